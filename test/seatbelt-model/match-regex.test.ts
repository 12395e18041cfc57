import { createContext, Script } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLinear } from "../support/linear-time.ts";
import { orFailure } from "./fault.ts";
import { regexOf } from "./match-regex.ts";
import { type Unit, unitsOf } from "./units.ts";

function isIn(source: string, text: string, unit: Unit = "byte", foldsCase = false): boolean {
  return regexOf(source, 1).isIn(unitsOf(text, unit), unit, foldsCase);
}

describe("a regex", () => {
  test.each([
    ["b", "abc", true],
    ["^b", "abc", false],
    ["c$", "abc", true],
    ["b$", "abc", false],
    ["^$", "", true],
    ["^$", "a", false],
    ["$", "abc", true],
    ["^a.c$", "abc", true],
    ["^a.c$", "a\nc", true],
    ["^[^/]*$", "a\nb", true],
    ["^[^/]*$", "a/b", false],
    ["^/w/(.*/)?[.]env$", "/w/.env", true],
    ["^/w/(.*/)?[.]env$", "/w/a/b/.env", true],
    ["^/w/(.*/)?[.]env$", "/w/a.env", false],
    ["^/w/(.*/)?[.]env(/.*)?$", "/w/.env/x", true],
    ["^(a|b)+$", "abba", true],
    ["^(a|b)+$", "", false],
    ["^a|b$", "ax", true],
    ["^a|b$", "xb", true],
    ["^/dev/ttys[0-9]+$", "/dev/ttys004", true],
    ["^/dev/ttys[0-9]+$", "/dev/ttys", false],
    [String.raw`^/a\.b\[\]\\$`, String.raw`/a.b[]\ `.trim(), true],
    ["^[a-]$", "-", true],
    ["^[[]$", "[", true],
    ["^[]]$|a", "a", undefined],
    ["^(a*)*$", "aaaa", true],
    ["^(a?)+b$", "aaab", true],
  ])("%s in %j: %s", (source, text, expected) => {
    const failure = orFailure(() => isIn(source, text));
    if (expected === undefined) expect(failure).toMatchObject({ kind: "unsupported" });
    else expect(failure).toBe(expected);
  });
});

describe("not known is", () => {
  test.each([
    "a{2}",
    "a}",
    String.raw`\d`,
    String.raw`(a)\1`,
    "(?:a)",
    "(?=a)",
    "a**",
    "a+?",
    "*a",
    "^*",
    "a||b",
    "(|a)",
    "()",
    "",
    "a)",
    "a]",
    "[[:alpha:]]",
    String.raw`[\]]`,
    "[b-a]",
    "[é-ü]",
    "a\\",
  ])("%s", (source) => {
    expect(orFailure(() => regexOf(source, 7))).toMatchObject({ kind: "unsupported", line: 7 });
  });
});

test("a group or a bracket without an end is an error", () => {
  for (const source of ["(a", "[a", "[^"]) {
    expect(orFailure(() => regexOf(source, 7))).toMatchObject({ kind: "error", line: 7 });
  }
});

test("a character is one unit of a path, or one for each of its bytes", () => {
  expect([isIn("^/.$", "/é", "character"), isIn("^/.$", "/é", "byte")]).toEqual([true, false]);
  expect([isIn("^/..$", "/é", "character"), isIn("^/..$", "/é", "byte")]).toEqual([false, true]);
  expect([isIn("^/é$", "/é", "character"), isIn("^/é$", "/é", "byte")]).toEqual([true, true]);
  expect([isIn("^/é?$", "/", "character"), isIn("^/é?$", "/", "byte")]).toEqual([true, false]);
});

test("a byte that is no letter is one unit, whichever the unit", () => {
  const path = "/\udcff\udc80x";
  expect(unitsOf(path, "byte")).toEqual([0x2f, 0xff, 0x80, 0x78]);
  for (const unit of ["byte", "character"] as const) {
    expect([isIn("^/..x$", path, unit), isIn("^/.x$", path, unit)]).toEqual([true, false]);
  }
});

test("bytes are those of UTF-8", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(unitsOf(text, "byte").join()).toBe(Buffer.from(text, "utf8").join());
    }),
  );
});

test("with folded case both cases of a letter are the same, in brackets and out of them", () => {
  expect(["^/Aé$", "^/[a-z]é$", "^/[^b]é$"].map((source) => isIn(source, "/aé", "byte", true))).toEqual([
    true,
    true,
    true,
  ]);
  expect([isIn("^/[^A]$", "/a", "byte", true), isIn("^/[^A]$", "/a")]).toEqual([false, true]);
});

/** Regexes of the subset, in which the two languages agree; not too deep, for JavaScript tries every way. */
const { regex } = fc.letrec<{ regex: string; sequence: string; one: string; atom: string }>((tie) => ({
  regex: fc
    .array(tie("sequence"), { minLength: 1, maxLength: 3 })
    .map((alternatives) => alternatives.join("|")),
  sequence: fc.array(tie("one"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
  one: fc.oneof(
    fc.tuple(tie("atom"), fc.constantFrom("", "", "*", "+", "?")).map(([atom, sign]) => `${atom}${sign}`),
    fc.constantFrom("^", "$"),
  ),
  atom: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constantFrom(
      "a",
      "B",
      "/",
      "é",
      ".",
      "[^/]",
      "[.]",
      "[aB]",
      "[^aB]",
      "[a-c]",
      "[A-Z/]",
      String.raw`\.`,
    ),
    tie("regex").map((inner) => `(${inner})`),
  ),
}));
const text = fc.array(fc.constantFrom("a", "A", "b", "B", "c", "/", ".", "é", "\n"), { maxLength: 8 });

const SEARCH = new Script("regex.test(text)");
const SEARCHED = createContext({});

/** JavaScript's own answer; null where it would try ways for longer than anybody waits. */
function inJavaScript(regex: RegExp, text: string): boolean | null {
  // Only groups that repeat are tried in so many ways, and to stop in time takes time by itself.
  if (!/\)[*+]/.test(regex.source)) return regex.test(text);
  try {
    return SEARCH.runInContext(Object.assign(SEARCHED, { regex, text }), { timeout: 200 });
  } catch {
    return null;
  }
}

test.each([
  { unit: "character", foldsCase: false },
  { unit: "character", foldsCase: true },
  { unit: "byte", foldsCase: false },
  { unit: "byte", foldsCase: true },
] as const)("a regex holds for what it holds in JavaScript: %j", ({ unit, foldsCase }) => {
  // A regex over bytes is one over the letters with their numbers.
  const spelled = (one: string) => (unit === "byte" ? Buffer.from(one, "utf8").toString("latin1") : one);
  // JavaScript folds é, too: under folded case it is left out.
  const plain = (one: string) => (foldsCase ? one.replaceAll("é", "a") : one);
  fc.assert(
    fc.property(regex, text, (written, letters) => {
      const source = plain(written);
      const searched = plain(letters.join(""));
      const expected = inJavaScript(new RegExp(spelled(source), foldsCase ? "si" : "s"), spelled(searched));
      fc.pre(expected !== null);
      expect([source, searched, isIn(source, searched, unit, foldsCase)]).toEqual([
        source,
        searched,
        expected,
      ]);
    }),
    { numRuns: 1_000 },
  );
});

test("a search takes time in proportion to its text, and forgets states that are too many", () => {
  const source = `(a|b)*a${"(a|b)".repeat(14)}c$`;
  const work = (length: number) => {
    const search = regexOf(source, 1);
    let seed = 1;
    const letters = Array.from({ length }, () => {
      seed = (seed * 48_271) % 0x7fff_ffff;
      return seed % 2 === 0 ? 0x61 : 0x62;
    });
    expect(search.isIn(letters, "byte", false)).toBe(false);
  };
  expect(isLinear(work, 16_000, 5_000)).toBe(true);
});
