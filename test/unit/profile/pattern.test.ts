import { describe, expect, it } from "vitest";
import { knownPath } from "../../../src/profile/path.ts";
import {
  literalPattern,
  literalPrefix,
  type Pattern,
  parsePatterns,
  readPattern,
} from "../../../src/profile/pattern.ts";
import { refusal } from "./refusal.ts";

const texts = (written: string): readonly string[] => parsePatterns(written).map((pattern) => pattern.text);

describe("a written pattern", () => {
  it.each([
    ["/a/*.md", ["/a/*.md"]],
    ["*.md", ["/**/*.md"]],
    [".env", ["/**/.env"]],
    ["**/.git/", ["/**/.git"]],
    ["/**/**/a/**", ["/**/a/**"]],
    ["/x/[cab]", ["/x/[abc]"]],
    ["/x/[a-cb0-2]", ["/x/[012abc]"]],
    ["/x/[!b-]", ["/x/[!b-]"]],
    ["/x/[a]y", ["/x/ay"]],
    ["/x/[aa]", ["/x/a"]],
    ["/x/[a-a]*", ["/x/a*"]],
    ["/x/[*]", ["/x/[*]"]],
    ["/x/[[]y[]]", ["/x/[[]y[]]"]],
    ["/x/[{]y[}]", ["/x/{y}"]],
    ["/{a,b}/{c,d}", ["/a/c", "/a/d", "/b/c", "/b/d"]],
    ["/x{1..3}", ["/x1", "/x2", "/x3"]],
    ["/{a,a}", ["/a"]],
    ["/a/#b/!c/~d", ["/a/#b/!c/~d"]],
    ["~$report.docx", ["/**/~$report.docx"]],
    ["/", ["/"]],
  ])("%j means %j", (written, meant) => {
    expect(texts(written)).toEqual(meant);
  });

  it("is a literal when it has no wildcard, and begins with one up to its first wildcard", () => {
    const read = (text: string): readonly unknown[] => [
      readPattern(text).literal,
      literalPrefix(readPattern(text)),
    ];
    expect([read("/a/[*]"), read("/a/b*/c"), read("/**/a"), read("/"), read("/a/**")]).toEqual([
      ["/a/*", "/a/*"],
      [null, "/a"],
      [null, "/"],
      ["/", "/"],
      [null, "/a"],
    ]);
  });
});

describe("a pattern is refused", () => {
  it("that is empty or holds a character that it cannot hold", () => {
    expect(refusal(() => parsePatterns(""))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`\` is empty
      → write a path with \`*\`, \`?\`, \`[abc]\`, \`[!abc]\`, \`**\` or \`{a,b}\`"
    `);
    expect(refusal(() => parsePatterns("a\\*b"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`a\\*b\` has a backslash or a control character
      → write a plain \`*\` as \`[*]\`"
    `);
    expect(refusal(() => parsePatterns("a\tb"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`a\\u{9}b\` has a backslash or a control character
      → write a plain \`*\` as \`[*]\`"
    `);
    expect(refusal(() => parsePatterns("a\udc80"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`a\\u{dc80}\` has a backslash or a control character
      → write a plain \`*\` as \`[*]\`"
    `);
  });

  it("that other tools read as something else", () => {
    expect(refusal(() => parsePatterns("!a"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`!a\` begins with \`!\` or \`#\`
      → write \`**/!name\` for a name that begins with \`!\`"
    `);
    expect(refusal(() => parsePatterns("#a"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`#a\` begins with \`!\` or \`#\`
      → write \`**/!name\` for a name that begins with \`!\`"
    `);
    expect(refusal(() => parsePatterns("{a,!b}"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`{a,!b}\` begins with \`!\` or \`#\`
      → write \`**/!name\` for a name that begins with \`!\`"
    `);
    expect(refusal(() => parsePatterns("~/.ssh"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`~/.ssh\` begins with \`~\`, which is not expanded
      → write \`\${home}\`"
    `);
    expect(refusal(() => parsePatterns("*.+(a|b)"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`*.+(a|b)\` has an extended glob, which is not supported
      → write \`{a,b}\` for alternatives"
    `);
  });

  it("that means nothing or too much", () => {
    expect(refusal(() => parsePatterns("/a/../b"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/a/../b\` has \`.\` or \`..\` as a name
      → write a path with \`*\`, \`?\`, \`[abc]\`, \`[!abc]\`, \`**\` or \`{a,b}\`"
    `);
    expect(refusal(() => parsePatterns("./a"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`./a\` has \`.\` or \`..\` as a name
      → write a path with \`*\`, \`?\`, \`[abc]\`, \`[!abc]\`, \`**\` or \`{a,b}\`"
    `);
    expect(refusal(() => parsePatterns("/[.][.]/a"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/[.][.]/a\` has \`.\` or \`..\` as a name
      → write a path with \`*\`, \`?\`, \`[abc]\`, \`[!abc]\`, \`**\` or \`{a,b}\`"
    `);
    expect(refusal(() => parsePatterns("/a**"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/a**\` has \`**\` next to other characters of a name
      → write a path with \`*\`, \`?\`, \`[abc]\`, \`[!abc]\`, \`**\` or \`{a,b}\`"
    `);
    expect(refusal(() => parsePatterns("/[z-a]"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/[z-a]\` has the empty range \`z-a\`
      → write a path with \`*\`, \`?\`, \`[abc]\`, \`[!abc]\`, \`**\` or \`{a,b}\`"
    `);
    expect(refusal(() => parsePatterns("/x{1..65}"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/x{1..65}\` expands to more than 64 patterns
      → write several patterns"
    `);
    expect(texts("/x{1..64}")).toHaveLength(64);
    expect(texts("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}")).toHaveLength(64);
    expect(refusal(() => parsePatterns("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}\` expands to more than 64 patterns
      → write several patterns"
    `);
  });

  it("with a bracket or brace that is left over", () => {
    expect(refusal(() => parsePatterns("/[abc"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/[abc\` has a bracket outside of \`[abc]\` and \`[!abc]\`
      → write a plain bracket as \`[[]\` or \`[]]\`"
    `);
    expect(refusal(() => parsePatterns("/abc]"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/abc]\` has a bracket outside of \`[abc]\` and \`[!abc]\`
      → write a plain bracket as \`[[]\` or \`[]]\`"
    `);
    expect(refusal(() => parsePatterns("/[]"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/[]\` has a bracket outside of \`[abc]\` and \`[!abc]\`
      → write a plain bracket as \`[[]\` or \`[]]\`"
    `);
    expect(refusal(() => parsePatterns("/[!]"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/[!]\` has a bracket outside of \`[abc]\` and \`[!abc]\`
      → write a plain bracket as \`[[]\` or \`[]]\`"
    `);
    expect(refusal(() => parsePatterns("/[^a]"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/[^a]\` has a bracket outside of \`[abc]\` and \`[!abc]\`
      → write a plain bracket as \`[[]\` or \`[]]\`"
    `);
    expect(refusal(() => parsePatterns("/[a/b]"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/[a/b]\` has a bracket outside of \`[abc]\` and \`[!abc]\`
      → write a plain bracket as \`[[]\` or \`[]]\`"
    `);
    expect(refusal(() => parsePatterns("/[[:alpha:]]"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/[[:alpha:]]\` has a set with more than letters, digits, ranges and \`._~@+ ,=:;%$-\`
      → write a path with \`*\`, \`?\`, \`[abc]\`, \`[!abc]\`, \`**\` or \`{a,b}\`"
    `);
    expect(refusal(() => parsePatterns("/[a-]b-c]"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/[a-]b-c]\` has a bracket outside of \`[abc]\` and \`[!abc]\`
      → write a plain bracket as \`[[]\` or \`[]]\`"
    `);
    expect(refusal(() => parsePatterns("/[-a]"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/[-a]\` has a set with more than letters, digits, ranges and \`._~@+ ,=:;%$-\`
      → write a path with \`*\`, \`?\`, \`[abc]\`, \`[!abc]\`, \`**\` or \`{a,b}\`"
    `);
    expect(refusal(() => parsePatterns("/{a}"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/{a}\` has a brace outside of \`{a,b}\` and \`\${name}\`
      → write a plain brace as \`[{]\` or \`[}]\`"
    `);
    expect(refusal(() => parsePatterns("/{a,b"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/{a,b\` has a brace outside of \`{a,b}\` and \`\${name}\`
      → write a plain brace as \`[{]\` or \`[}]\`"
    `);
    expect(refusal(() => parsePatterns("/a,b}"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/a,b}\` has a brace outside of \`{a,b}\` and \`\${name}\`
      → write a plain brace as \`[{]\` or \`[}]\`"
    `);
  });

  it("with a variable that there is none of", () => {
    expect(refusal(() => parsePatterns("${home}/a"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`\${home}/a\` names the unknown variable \`home\`
      → write a path with \`*\`, \`?\`, \`[abc]\`, \`[!abc]\`, \`**\` or \`{a,b}\`"
    `);
    expect(refusal(() => parsePatterns("${toString}/a", {}))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`\${toString}/a\` names the unknown variable \`toString\`
      → write a path with \`*\`, \`?\`, \`[abc]\`, \`[!abc]\`, \`**\` or \`{a,b}\`"
    `);
    expect(refusal(() => parsePatterns("${home/a"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`\${home/a\` has a brace outside of \`{a,b}\` and \`\${name}\`
      → write a plain brace as \`[{]\` or \`[}]\`"
    `);
    expect(refusal(() => parsePatterns("${home}", { home: knownPath("/a\nb") }))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/a\\u{a}b\` has a control character or is not UTF-8
      → write a path with \`*\`, \`?\`, \`[abc]\`, \`[!abc]\`, \`**\` or \`{a,b}\`"
    `);
  });
});

describe("a variable", () => {
  it.each([
    "/a*b",
    "/a?b",
    "/[b]",
    "/a]b",
    "/{a,b}",
    "/!(a)",
    "/#a",
    "/+(a|b)",
    "/a b",
    "/**",
    "/a/**/b",
    "/~",
    "/a\\b",
    "/${home}",
    "/é😀",
  ])("whose value is %j is inserted as literal text", (value) => {
    const home = knownPath(value);
    const whole = parsePatterns("${home}", { home });
    expect(whole).toEqual([literalPattern(home)]);
    expect(whole[0]?.literal).toBe(home);
    expect(parsePatterns("${home}/{x,*.md}", { home }).map(last)).toEqual(["x", "*.md"]);
    expect(parsePatterns("${home}/{x,*.md}", { home }).map(literalPrefix)).toEqual([`${home}/x`, home]);
  });

  it("may stand in a brace", () => {
    const both = { a: knownPath("/a,b"), b: knownPath("/c") };
    expect(parsePatterns("{${a},${b}}/x", both).map((pattern) => pattern.text)).toEqual(["/a,b/x", "/c/x"]);
  });
});

describe("canonical text", () => {
  it.each(["a", "//a", "/a/", "/**/**", "/[ba]", "/[a]", "/a]", "/a\0", "/[a-c]"])("is not %j", (text) => {
    expect(refusal(() => readPattern(text))).toMatch(/^PATTERN_INVALID/);
  });

  it("says what is wrong", () => {
    expect(refusal(() => readPattern("/[ba]"))).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`/[ba]\` is not in canonical form
      → write a path with \`*\`, \`?\`, \`[abc]\`, \`[!abc]\`, \`**\` or \`{a,b}\`"
    `);
  });
});

function last(pattern: Pattern): string {
  return pattern.text.slice(pattern.text.lastIndexOf("/") + 1);
}
