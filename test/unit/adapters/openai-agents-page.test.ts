import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AGENTS } from "../../support/faces/agents.ts";
import { CELLS } from "../../support/faces/mapping.ts";

const root = join(import.meta.dirname, "../../..");
const example = join(root, "examples/openai-agents-agent");

test("what the page shows of TypeScript is a part of the example", () => {
  const page = readFileSync(join(root, "docs/openai-agents.md"), "utf8");
  const shown = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  expect(shown).toHaveLength(2);
  const files = readdirSync(example).filter((name) => name.endsWith(".ts"));
  const code = files.map((name) => readFileSync(join(example, name), "utf8")).join("\n");
  for (const one of shown) expect(code).toContain(one);
});

test("every cell of the SDK's mapping is proved by a test of that title, or has a reason", () => {
  expect(Object.keys(AGENTS.cells)).toEqual([...CELLS]);
  for (const cell of Object.values(AGENTS.cells)) {
    if ("reason" in cell) continue;
    const [file, title] = cell.test;
    expect(readFileSync(join(root, file), "utf8")).toContain(`("${title}"`);
  }
});
