import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { durationsIn } from "../support/clocks.ts";

test("no test of the model expects anything of how long something takes", () => {
  const names = globSync("**/*.test.ts", { cwd: import.meta.dirname });
  const found = names.flatMap((name) =>
    durationsIn(`seatbelt-model/${name}`, readFileSync(join(import.meta.dirname, name), "utf8")),
  );
  expect(names.length).toBeGreaterThan(20);
  expect(found).toEqual([]);
});
