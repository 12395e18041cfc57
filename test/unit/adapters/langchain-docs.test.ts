import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const checkout = join(import.meta.dirname, "../../..");

it("the code on the page of LangChain is files of its example, which the tests run", () => {
  const page = readFileSync(join(checkout, "docs/langchain.md"), "utf8");
  const shown = [...page.matchAll(/^\[(examples\/\S+)\]\(\.\.\/\1\):\n\n```ts\n(.*?)^```$/gms)];
  expect(shown).toHaveLength(page.match(/^```ts$/gm)?.length ?? 0);
  expect(shown.length).toBeGreaterThan(1);
  for (const [, file = "", block] of shown) expect(block).toBe(readFileSync(join(checkout, file), "utf8"));
});
