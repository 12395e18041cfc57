import fc from "fast-check";
import { Minimatch } from "minimatch";
import { describe, expect, it } from "vitest";
import { type AbsolutePath, knownPath, namesOf, upwards } from "../../../src/profile/path.ts";
import {
  exactTest,
  literalPattern,
  type NamePiece,
  type Pattern,
  type PatternSegment,
  parsePatterns,
  patternTest,
  readPattern,
} from "../../../src/profile/pattern.ts";
import { matchesBelow } from "../../../src/profile/pattern-matches.ts";
import { path as overlapping, pattern as overlappingPattern } from "../../support/generate.ts";

const RUNS = { numRuns: 10_000 };

/** Names and patterns from so few characters that they match often; one of them is two UTF-16 units. */
const oddName = fc.array(fc.constantFrom("a", "b", "A", ".", "é", "\u{1F600}", "\udcff", "*", "]"), {
  minLength: 1,
  maxLength: 5,
});
const oddPath = fc
  .array(
    oddName.map((all) => all.join("")).filter((name) => name !== "." && name !== ".."),
    { maxLength: 4 },
  )
  .map((names) => knownPath(`/${names.join("/")}`));
const oddSegment = fc
  .array(
    fc.constantFrom("a", "b", "A", ".", "é", "\u{1F600}", "*", "?", "[ab]", "[!a]", "[!é]", "[*]", "[]]"),
    { minLength: 1, maxLength: 5 },
  )
  .map((all) => all.join("").replace(/\*+(?!\])/g, "*"))
  .filter((name) => !/^\.\.?$/.test(name) && !name.includes("**"));
const oddPattern = fc
  .array(fc.oneof({ weight: 3, arbitrary: oddSegment }, fc.constant("**")), { maxLength: 4 })
  .map((segments) => onlyPattern(`/${segments.join("/")}`));

const path = fc.oneof(overlapping, oddPath);
const pattern = fc.oneof(overlappingPattern, oddPattern);

describe("a pattern", () => {
  it("matches exactly the paths that its segments describe, read word by word", () => {
    fc.assert(
      fc.property(pattern, path, fc.boolean(), (one, at, ignoreCase) => {
        const described = matchesNames(one.segments, namesOf(at), ignoreCase);
        expect([one.text, at, exactTest(one, ignoreCase)(at)]).toEqual([one.text, at, described]);
      }),
      RUNS,
    );
  });

  it("matches exactly the paths that minimatch says, but that `/**` is not the root itself", () => {
    const flags = { dot: true, nonegate: true, nocomment: true, noext: true, nobrace: true };
    fc.assert(
      fc.property(pattern, path, fc.boolean(), (one, at, ignoreCase) => {
        fc.pre(one.text !== "/**" || at !== "/");
        const matched = new Minimatch(one.text, { ...flags, nocase: ignoreCase }).match(at);
        expect([one.text, at, exactTest(one, ignoreCase)(at)]).toEqual([one.text, at, matched]);
      }),
      RUNS,
    );
  });

  it("covers what it matches and all below that", () => {
    fc.assert(
      fc.property(pattern, path, fc.boolean(), (one, at, ignoreCase) => {
        const exact = exactTest(one, ignoreCase);
        expect(patternTest(one, ignoreCase)(at)).toBe([...upwards(at)].some(exact));
      }),
      RUNS,
    );
  });

  it("that is one path matches that path alone", () => {
    fc.assert(
      fc.property(path, path, (one, other) => {
        expect([one, other].map(exactTest(literalPattern(one), false))).toEqual([true, one === other]);
      }),
      RUNS,
    );
  });

  it("is read back from its canonical text", () => {
    fc.assert(
      fc.property(fc.oneof(pattern, path.map(literalPattern)), (one) => {
        expect(readPattern(one.text)).toEqual(one);
      }),
      RUNS,
    );
  });

  it.each([
    ["/?", "/\u{1F600}", true],
    ["/[!a]", "/\u{1F600}", true],
    ["/[b\u{1D49C}]", "/\u{1D49C}", true],
    ["/*[!\u{1D49C}]", "/\u{1D49C}", false],
    ["/[b\u{1D49C}]", "/\udc9c", false],
    ["/a/**", "/a", false],
    ["/a/**", "/a/b/c", true],
    ["/a/**/b", "/a/b", true],
    ["/**", "/", false],
    ["/*", "/.a", true],
    ["/*.md", "/.md", true],
    ["/*", "/a\nb", true],
  ])("%j matches %j: %j", (text, at, matches) => {
    expect(exactTest(readPattern(text), false)(knownPath(at))).toBe(matches);
  });

  it("that ignores case does so for ASCII letters alone", () => {
    const matches = (text: string, at: string): boolean => exactTest(readPattern(text), true)(knownPath(at));
    expect([
      matches("/Ab/*.MD", "/aB/x.md"),
      matches("/[A-Z]".replace("A-Z", "AZ"), "/z"),
      matches("/[!az]", "/A"),
    ]).toEqual([true, true, false]);
    expect([
      matches("/é", "/É"),
      matches("/*é", "/É"),
      matches("/s", "/\u017F"),
      matches("/*k", "/\u212A"),
    ]).toEqual([false, false, false, false]);
  });

  it("is matched in time that grows with the name, not with its powers", () => {
    const names = onlyPattern(`/${"*a".repeat(60)}*b`);
    const folders = onlyPattern(`/${"**/a/".repeat(250)}b`);
    expect(exactTest(names, false)(knownPath(`/${"a".repeat(4_000)}`))).toBe(false);
    expect(exactTest(folders, false)(knownPath("/a".repeat(2_000)))).toBe(false);
    expect(exactTest(onlyPattern(`/${"**/a/".repeat(250)}a`), false)(knownPath("/a".repeat(300)))).toBe(true);
  });
});

describe("matches below a folder", () => {
  it("are matches, below the folder, with a first name that is not taken", () => {
    fc.assert(
      fc.property(pattern, path, fc.array(path), fc.boolean(), (one, folder, taken, ignoreCase) => {
        const found = [...matchesBelow(one, ignoreCase, (at) => taken.includes(at))(folder)];
        const exact = exactTest(one, ignoreCase);
        for (const at of found)
          expect([at, exact(at), at.startsWith(folder), taken.includes(firstBelow(folder, at))]).toEqual([
            at,
            true,
            true,
            false,
          ]);
      }),
      RUNS,
    );
  });

  it("are found whenever there are any", () => {
    fc.assert(
      fc.property(pattern, path, fc.array(path), fc.boolean(), (one, at, taken, ignoreCase) => {
        fc.pre(exactTest(one, ignoreCase)(at));
        for (const folder of [...upwards(at)].slice(1)) {
          if (taken.includes(firstBelow(folder, at))) continue;
          expect([...matchesBelow(one, ignoreCase, (other) => taken.includes(other))(folder)]).not.toEqual(
            [],
          );
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("are none when the few that there could be are taken", () => {
    const below = (text: string, ignoreCase: boolean, ...taken: string[]): readonly string[] => [
      ...matchesBelow(readPattern(text), ignoreCase, (at) => taken.includes(at))(knownPath("/r")),
    ];
    expect(below("/r/[ab]", false, "/r/a", "/r/b")).toEqual([]);
    expect(below("/r/[ab]", false, "/r/a")).toEqual(["/r/b"]);
    expect(below("/r/a/x", true, "/r/a")).toEqual(["/r/A/x"]);
    expect(below("/r/a", true, "/r/a", "/r/A")).toEqual([]);
    expect(below("/*/*.md", false)).toEqual(["/r/w.md", "/r/sample-7.md", "/r/Zz.md"]);
    expect(below("/other/**", false)).toEqual([]);
  });
});

function onlyPattern(text: string): Pattern {
  const [only] = parsePatterns(text);
  if (only === undefined) throw new Error(`${text} means no pattern`);
  return only;
}

function firstBelow(folder: AbsolutePath, at: AbsolutePath): AbsolutePath {
  const [name = ""] = namesOf(at).slice(namesOf(folder).length);
  return knownPath(folder === "/" ? `/${name}` : `${folder}/${name}`);
}

/** The meaning of segments as their docstrings put it, by trying everything. */
function matchesNames(
  segments: readonly PatternSegment[],
  names: readonly string[],
  ignoreCase: boolean,
): boolean {
  const [segment, ...rest] = segments;
  if (segment === undefined) return names.length === 0;
  if (segment.kind === "name") {
    const [name, ...others] = names;
    if (name === undefined) return false;
    const [spelled, folded] = ignoreCase
      ? [small(name), segment.pieces.map(smallPiece)]
      : [name, segment.pieces];
    return matchesPieces(folded, [...spelled]) && matchesNames(rest, others, ignoreCase);
  }
  const fewest = rest.length === 0 ? 1 : 0;
  return (
    names.some((_, at) => at + 1 >= fewest && matchesNames(rest, names.slice(at + 1), ignoreCase)) ||
    (fewest === 0 && matchesNames(rest, names, ignoreCase))
  );
}

function matchesPieces(pieces: readonly NamePiece[], characters: readonly string[]): boolean {
  const [piece, ...rest] = pieces;
  if (piece === undefined) return characters.length === 0;
  const [character, ...others] = characters;
  switch (piece.kind) {
    case "text": {
      const text = [...piece.text];
      return (
        text.every((one, at) => one === characters[at]) && matchesPieces(rest, characters.slice(text.length))
      );
    }
    case "many":
      return matchesPieces(rest, characters) || (character !== undefined && matchesPieces(pieces, others));
    case "one":
      return character !== undefined && matchesPieces(rest, others);
    case "set":
      return (
        character !== undefined &&
        [...piece.members].includes(character) !== piece.negated &&
        matchesPieces(rest, others)
      );
  }
}

function small(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function smallPiece(piece: NamePiece): NamePiece {
  if (piece.kind === "text") return { ...piece, text: small(piece.text) };
  return piece.kind === "set" ? { ...piece, members: small(piece.members) } : piece;
}
