import { globSync, readFileSync } from "node:fs";
import { parseSync } from "vite";
import { expect, test } from "vitest";

/** Words that only people know who have read the sources, and forms of sentences that have to be read twice. */
const INSIDE =
  /\b(?:walls?|unasked|on a yes|a yes|your yes|anew|twins?|whoever|contradict|can(?:not|'t)? be had|stands?|obeys?|hosts execute|by itself|is none|that there (?:is|are)|what is|of what|whose|told)\b/i;

/** Settings, events and names of keys that are spelled so, and words that mean the same to everybody. */
const SPELLED = /`[^`]*`|walls\.proven|stands? for|wall: 10m/g;

/** Every text of `src/cli` with more than one word, by its file. */
const TEXTS = globSync("src/cli/**/*.ts").flatMap((file) =>
  textsIn(parseSync(file, readFileSync(file, "utf8"), { lang: "ts", sourceType: "module" }).program).map(
    (text) => [file, text] as const,
  ),
);

test("no text of the command line has a word of the inside", () => {
  const found = TEXTS.filter(([, text]) => INSIDE.test(text.replace(SPELLED, "")));
  expect(found).toEqual([]);
});

test("no sentence of the command line has more than 30 words", () => {
  const long = TEXTS.flatMap(([file, text]) =>
    text
      .split(/(?<=[.:;?!]) |\n/)
      .filter((one) => one.split(/\s+/).length > 30 && !file.includes("completion/"))
      .map((one) => [file, one]),
  );
  expect(long).toEqual([]);
});

function textsIn(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(textsIn);
  if (typeof node !== "object" || node === null) return [];
  const own = textOf(node);
  const below = Object.values(node).flatMap((one) => (typeof one === "object" ? textsIn(one) : []));
  return own !== null && /[a-z] [a-z]/i.test(own) ? [own, ...below] : below;
}

/** A literal, or a template with `…` for what is put in. */
function textOf(node: object): string | null {
  if (!("type" in node)) return null;
  if (node.type === "Literal") return "value" in node && typeof node.value === "string" ? node.value : null;
  if (node.type !== "TemplateLiteral" || !("quasis" in node) || !Array.isArray(node.quasis)) return null;
  return node.quasis
    .map((quasi: { readonly value: { readonly cooked: string } }) => quasi.value.cooked)
    .join("…");
}
