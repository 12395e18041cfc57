import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CELLS } from "./support/faces/mapping.ts";
import { FACES, facesPage } from "./support/faces/page.ts";

const textOf = (file: string): string => readFileSync(join(import.meta.dirname, "..", file), "utf8");

test("docs/faces.md says what the mappings of all faces say", async () => {
  await expect(facesPage()).toMatchFileSnapshot("../docs/faces.md");
});

describe.each(FACES)("$framework", ({ cells }) => {
  test.each(CELLS)("%s: is proven by a test that is there, or has a reason", (cell) => {
    const served = cells[cell];
    if ("reason" in served) {
      expect(served.reason.length).toBeGreaterThan(20);
      return;
    }
    const [file, title] = served.test;
    expect(textOf(file)).toContain(JSON.stringify(title).slice(1, -1));
  });
});
