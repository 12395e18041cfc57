import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { Outcome } from "../src/decide/outcome.ts";
import { OUTCOME_KINDS } from "../src/policy/outcome-kinds.ts";
import { blocksOf, markOf, PAGES, pageText, ROOT } from "./support/docs/pages.ts";
import { proseOf } from "./support/docs/prose.ts";
import { helpText } from "./support/figures/help-text.ts";

/** Languages of blocks, with the check that they get. */
const CHECKED = {
  console: "played in a shell, and compared with the output (docs-console.slow, readme)",
  sh: "run, and must succeed (docs-console.slow)",
  ts: "type-checked and run as a file of the page (docs-code.slow), or a part of an example that the tests run",
  yaml: "accepted by `cofferdam check` (docs-yaml.slow)",
  json: "read as JSON; those of MCP hosts are used (docs-pages.slow)",
  toml: "used (docs-pages.slow)",
  text: "a picture, or the question that cli-terminal.slow compares",
} as const;

/** The pages of `docs/reference`, which are generated from the code. */
const REFERENCE = /^docs\/reference\/[a-z-]+\.md$/;

/** The words that have a fixed meaning. */
const WORDS =
  "call ceiling channel config decision enforcement event facts gate grant integration launcher outcome plan policy profile receipt request root rule sandbox session tool verdict worker";

describe.each(PAGES)("%s", (page) => {
  const text = pageText(page);
  const blocks = blocksOf(text);

  test("its links lead to files and headings that exist", () => {
    expect(linksOf(text).filter((link) => !leads(page, link))).toEqual([]);
  });

  test("each of its blocks is of a language that is checked, and TypeScript is a file or a part of an example", () => {
    expect(blocks.filter(({ language }) => !Object.hasOwn(CHECKED, language))).toEqual([]);
    const loose = blocks.filter(
      (block) => block.language === "ts" && block.example === null && markOf(block, "file") === null,
    );
    expect(loose).toEqual([]);
  });

  test("its parts of examples are in the example, which the tests run", () => {
    for (const { example, language, text: shown } of blocks)
      if (example !== null && language === "ts")
        expect(unindented(readFileSync(join(ROOT, example), "utf8"))).toContain(unindented(shown));
  });

  test("its TypeScript is read by Node 22, which does not know `using`", () => {
    expect(
      blocks.filter(({ language, text: shown }) => language === "ts" && /^\s*(?:await )?using /m.test(shown)),
    ).toEqual([]);
  });

  test("its sentences are short and name things", () => {
    const { sentenceP90, whats, words, long } = proseOf(text);
    expect(long).toEqual([]);
    expect(sentenceP90).toBeLessThanOrEqual(24);
    // One occurrence is no habit.
    expect(whats).toBeLessThanOrEqual(Math.max(1, (3 * words) / 1000));
  });
});

test("the README is a door of at most 200 lines", () => {
  expect(pageText("README.md").split("\n").length).toBeLessThanOrEqual(201);
});

test.each([
  ["SECURITY.md", pageText("SECURITY.md")],
  ["the help", helpText()],
])("%s has short sentences, and names things", (_name, text) => {
  const { sentenceP90, whats, words, long } = proseOf(text);
  expect([long, sentenceP90 <= 24, whats < (3 * words) / 1000]).toEqual([[], true, true]);
});

test("the glossary defines its 25 words, each in one or two sentences", () => {
  const rows = [...pageText("docs/explanation/glossary.md").matchAll(/^\| \*\*(.*)\*\* \| (.*) \|$/gm)];
  expect(rows.map(([, word]) => word).join(" ")).toBe(WORDS);
  for (const [, , meaning = ""] of rows) expect(meaning.split(/(?<=\.) /).length).toBeLessThanOrEqual(2);
});

test("the glossary lists each kind of outcome, in one order with results and events", () => {
  expectTypeOf<(typeof OUTCOME_KINDS)[number]>().toEqualTypeOf<Outcome["kind"]>();
  const [, listed = ""] =
    /^\| \*\*outcome\*\* \| The result of a call: (.*)\. \|$/m.exec(
      pageText("docs/explanation/glossary.md"),
    ) ?? [];
  expect(listed.split(/, | or /)).toEqual(OUTCOME_KINDS.map((kind) => kind.replace("-", " ")));
});

test("every JSON block can be read", () => {
  for (const page of PAGES)
    for (const { language, text } of blocksOf(pageText(page)))
      if (language === "json") expect(() => JSON.parse(text)).not.toThrow();
});

test("the reasons why blocks are not run", () => {
  const reasons = PAGES.flatMap((page) =>
    blocksOf(pageText(page)).map((block) => markOf(block, "not run") ?? ""),
  );
  expect([...new Set(reasons)].filter((reason) => reason !== "").toSorted()).toMatchInlineSnapshot(`
    [
      "it changes cgroups as root",
      "it clones and installs",
      "it installs packages",
      "it installs packages, and serves until it is stopped",
      "it needs systemd",
      "it serves an MCP client until that ends",
      "it serves until it is stopped",
      "it starts agents that are not installed here",
      "it tries all attacks, which takes a while",
      "needs a request that waits",
      "needs recorded answers",
      "the answers differ from machine to machine",
    ]
  `);
});

/** The targets of a page's links, outside of its blocks. */
function linksOf(text: string): readonly string[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, "").replaceAll(/`[^`\n]*`/g, "");
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)|\bsrc="([^"]+)"/g)].map(
    ([, link, source]) => link ?? source ?? "",
  );
  return links.filter((link) => !/^https?:/.test(link));
}

function leads(page: string, link: string): boolean {
  const [file = "", heading] = link.split("#");
  const target = file === "" ? page : join(dirname(page), file);
  // Generated pages are tested where they are written.
  if (REFERENCE.test(target)) return true;
  if (!existsSync(join(ROOT, target))) return false;
  return heading === undefined || headingsOf(readFileSync(join(ROOT, target), "utf8")).includes(heading);
}

/** The headings of a page, as GitHub names them in links. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** A program without its indentation, which a page does not show. */
function unindented(text: string): string {
  return text.replaceAll(/^ +/gm, "");
}
