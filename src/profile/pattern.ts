import { braceExpand } from "minimatch";
import { CofferdamError, visible } from "../errors.ts";
import { type AbsolutePath, foldedText, knownPath, namesOf } from "./path.ts";
import { takesAll } from "./wildcard.ts";
import { MAX_PATH_BYTES } from "./written.ts";

/** One part of a name in a pattern. `many` is any run of characters, `one` is one, `set` is one of a few. */
export type NamePiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "many" }
  | { readonly kind: "one" }
  | { readonly kind: "set"; readonly negated: boolean; readonly members: string };

/** One name of a pattern, or `**`: any number of whole names, also none; at the end of a pattern at least one. */
export type PatternSegment =
  | { readonly kind: "any-names" }
  | { readonly kind: "name"; readonly pieces: readonly NamePiece[] };

/** A parsed path pattern. `text` is its one canonical spelling, `literal` the path when it has no wildcard. */
export interface Pattern {
  readonly text: string;
  readonly segments: readonly PatternSegment[];
  readonly literal: AbsolutePath | null;
}

/** Values of `${name}` in a pattern or a path; each is inserted as literal text. */
export type Variables = Readonly<Record<string, AbsolutePath>>;

const MAX_ALTERNATIVES = 64;

/**
 * The patterns of one written pattern: `{a,b}` and `{1..3}` are expanded, so there may be several (at most 64).
 * Absolute, or read as `/**` + `/` + pattern. `*`, `?`, `[abc]`, `[a-z]`, `[!abc]` within a name, `**` for whole names;
 * `[*]` is a plain `*`; names that begin with a dot match like others. Throws `PATTERN_INVALID`: `!`, `#` or `~` at the
 * start, extglob, backslash, control character, `.` or `..`, an unbalanced bracket or brace, an unknown variable.
 */
export function parsePatterns(text: string, variables: Variables = {}): readonly Pattern[] {
  if (text === "") throw refused(text, "is empty");
  if (/[\\\p{Cc}\p{Cs}]/u.test(text))
    throw refused(text, "has a backslash or a control character", "write a plain `*` as `[*]`");
  const alternatives = braceExpand(text, { braceExpandMax: MAX_ALTERNATIVES + 1 });
  if (alternatives.length > MAX_ALTERNATIVES)
    throw refused(text, `expands to more than ${MAX_ALTERNATIVES} patterns`, "write several patterns");
  const parsed = alternatives.map((one) => {
    refuseForeign(one, text);
    return parseOne(insertVariables(one, variables, text), text);
  });
  return [...new Map(parsed.map((pattern) => [pattern.text, pattern])).values()];
}

/** Reads a pattern's canonical text, in which braces are plain characters. Throws `PATTERN_INVALID`. */
export function readPattern(text: string): Pattern {
  const pattern = text.includes("\0") ? null : parseOne(text, text);
  if (pattern === null || pattern.text !== text) throw refused(text, "is not in canonical form");
  return pattern;
}

/** The pattern that matches exactly this path. */
export function literalPattern(path: AbsolutePath): Pattern {
  return fromSegments(namesOf(path).map((text) => ({ kind: "name", pieces: [{ kind: "text", text }] })));
}

/** A test for paths: true when the pattern matches the path or a folder above it. */
export type PathTest = (path: AbsolutePath) => boolean;

/** Compiles the pattern. With `ignoreCase`, ASCII letters match in both cases. */
export function patternTest(pattern: Pattern, ignoreCase: boolean): PathTest {
  const spell = speller(ignoreCase);
  if (pattern.literal === null) return namesTest([...nameTokens(pattern, spell), "any"], spell);
  const literal = spell(pattern.literal);
  const below = literal === "/" ? literal : `${literal}/`;
  return (path) => spell(path) === literal || spell(path).startsWith(below);
}

/** Like `patternTest`, but for the path alone: a folder above it that matches does not count. */
export function exactTest(pattern: Pattern, ignoreCase: boolean): PathTest {
  const spell = speller(ignoreCase);
  if (pattern.literal === null) return namesTest(nameTokens(pattern, spell), spell);
  const literal = spell(pattern.literal);
  return (path) => spell(path) === literal;
}

/** Compiles one name of a pattern. With `ignoreCase`, ASCII letters match in both cases. */
export function nameTest(pieces: readonly NamePiece[], ignoreCase: boolean): (name: string) => boolean {
  const spell = speller(ignoreCase);
  const test = spelledTest(pieces, spell);
  return (name) => test(spell(name));
}

/** The longest path that contains every match: the names before the first wildcard. */
export function literalPrefix(pattern: Pattern): AbsolutePath {
  const names: string[] = [];
  for (const segment of pattern.segments) {
    const name = segment.kind === "name" ? plainText(segment.pieces) : null;
    if (name === null) break;
    names.push(name);
  }
  return knownPath(`/${names.join("/")}`);
}

/** The text of a name without wildcards, or null. */
export function plainText(pieces: readonly NamePiece[]): string | null {
  let text = "";
  for (const piece of pieces) {
    if (piece.kind !== "text") return null;
    text += piece.text;
  }
  return text;
}

type Spell = (text: string) => string;

function speller(ignoreCase: boolean): Spell {
  return ignoreCase ? foldedText : (text) => text;
}

type NameToken = "any" | ((name: string) => boolean);

/** A `**` at the end matches paths below, so it takes one name at least. */
function nameTokens(pattern: Pattern, spell: Spell): readonly NameToken[] {
  const tokens = pattern.segments.map((segment) =>
    segment.kind === "any-names" ? "any" : spelledTest(segment.pieces, spell),
  );
  return tokens.at(-1) === "any" ? [...tokens, () => true] : tokens;
}

function namesTest(tokens: readonly NameToken[], spell: Spell): PathTest {
  return (path) => {
    const names = namesOf(path).map(spell);
    const take = (token: NameToken, at: number): number | "any" => {
      const name = names[at];
      return token === "any" ? token : name !== undefined && token(name) ? 1 : -1;
    };
    return takesAll(tokens, names.length, take, () => 1);
  };
}

function spelledTest(pieces: readonly NamePiece[], spell: Spell): (name: string) => boolean {
  const plain = plainText(pieces);
  const wanted = plain === null ? null : spell(plain);
  if (wanted !== null) return (name) => name === wanted;
  const takers = pieces.map((piece) => taker(piece, spell));
  return (name) => {
    const step = (at: number): number => characterAt(name, at).length;
    return takesAll(takers, name.length, (take, at) => take(name, at), step);
  };
}

function taker(piece: NamePiece, spell: Spell): (name: string, at: number) => number | "any" {
  switch (piece.kind) {
    case "text": {
      const text = spell(piece.text);
      return (name, at) => (name.startsWith(text, at) ? text.length : -1);
    }
    case "many":
      return () => "any";
    case "one":
      return (name, at) => characterAt(name, at).length || -1;
    case "set": {
      const members = new Set(spell(piece.members));
      return (name, at) => {
        const character = characterAt(name, at);
        return character !== "" && members.has(character) !== piece.negated ? character.length : -1;
      };
    }
  }
}

/** The whole character that begins there: two units for one outside the basic plane. Empty at the end. */
function characterAt(name: string, at: number): string {
  const code = name.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

function refuseForeign(alternative: string, written: string): void {
  if (/^[!#]/.test(alternative))
    throw refused(written, "begins with `!` or `#`", "write `**/!name` for a name that begins with `!`");
  if (/^~(\/|$)/.test(alternative))
    throw refused(written, "begins with `~`, which is not expanded", "write `${home}`");
  if (/[?*+@!]\(/.test(alternative))
    throw refused(written, "has an extended glob, which is not supported", "write `{a,b}` for alternatives");
  if (/[{}]/.test(alternative.replace(/\$\{[^{}]*\}|\[[{}]\]/g, "")))
    throw refused(
      written,
      "has a brace outside of `{a,b}` and `${name}`",
      "write a plain brace as `[{]` or `[}]`",
    );
}

function insertVariables(alternative: string, variables: Variables, written: string): string {
  const filled = alternative.replace(/\$\{([^{}]*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) throw refused(written, `names the unknown variable ${visible(name)}`);
    if (/[\p{Cc}\p{Cs}]/u.test(value)) throw refused(value, "has a control character or is not UTF-8");
    return escapeText(value);
  });
  if (filled.length > MAX_PATH_BYTES)
    throw refused(written, `expands to more than ${MAX_PATH_BYTES} characters`);
  return filled;
}

function parseOne(alternative: string, written: string): Pattern {
  const names = (alternative.startsWith("/") ? alternative : `/**/${alternative}`).split("/");
  return fromSegments(names.filter((name) => name !== "").map((name) => parseSegment(name, written)));
}

function parseSegment(name: string, written: string): PatternSegment {
  if (name === "**") return { kind: "any-names" };
  if (name.includes("**")) throw refused(written, "has `**` next to other characters of a name");
  const pieces: NamePiece[] = [];
  for (let at = 0; at < name.length; ) {
    const [piece, length] = parsePiece(name.slice(at), written);
    const last = pieces.at(-1);
    if (piece.kind === "text" && last?.kind === "text")
      pieces[pieces.length - 1] = { kind: "text", text: last.text + piece.text };
    else pieces.push(piece);
    at += length;
  }
  const plain = plainText(pieces);
  if (plain === "." || plain === "..") throw refused(written, "has `.` or `..` as a name");
  return { kind: "name", pieces };
}

function parsePiece(rest: string, written: string): readonly [NamePiece, number] {
  const character = characterAt(rest, 0);
  if (character === "*") return [{ kind: "many" }, 1];
  if (character === "?") return [{ kind: "one" }, 1];
  if (character !== "[" && character !== "]") return [{ kind: "text", text: character }, character.length];
  const set = /^\[(!?)(\]|[^\]!^][^\][]*)\]/u.exec(rest);
  if (set === null)
    throw refused(
      written,
      "has a bracket outside of `[abc]` and `[!abc]`",
      "write a plain bracket as `[[]` or `[]]`",
    );
  const [whole, not, inside] = [set[0], set[1] === "!", set[2] ?? ""];
  const members = not || [...inside].length > 1 ? expandRanges(inside, written) : inside;
  if (!not && [...members].length === 1) return [{ kind: "text", text: members }, whole.length];
  return [{ kind: "set", negated: not, members }, whole.length];
}

/** `a-e` as `abcde`: members of a set are listed one by one, sorted, so that a set has one spelling. */
function expandRanges(inside: string, written: string): string {
  const expanded = inside.replace(/([a-z])-([a-z])|([A-Z])-([A-Z])|([0-9])-([0-9])/g, (range) => {
    const [from, to] = [range.charCodeAt(0), range.charCodeAt(2)];
    if (from > to) throw refused(written, `has the empty range ${visible(range)}`);
    return String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, step) => from + step));
  });
  if (!/^[\p{L}\p{N}._~@+ ,=:;%$-]+$/u.test(expanded) || /-./u.test(expanded)) {
    throw refused(written, "has a set with more than letters, digits, ranges and `._~@+ ,=:;%$-`");
  }
  return [...new Set(expanded)].sort((a, b) => (a === "-" ? 1 : b === "-" ? -1 : a < b ? -1 : 1)).join("");
}

function fromSegments(given: readonly PatternSegment[]): Pattern {
  const segments = given.filter(
    (segment, index) => segment.kind === "name" || given[index - 1]?.kind !== "any-names",
  );
  const names = segments.map((segment) => (segment.kind === "name" ? plainText(segment.pieces) : null));
  const literal = names.includes(null) ? null : knownPath(`/${names.join("/")}`);
  return { text: `/${segments.map(printSegment).join("/")}`, segments, literal };
}

/** True for a name with a set that excludes characters. */
export function hasNegatedSet(segment: PatternSegment): boolean {
  return segment.kind === "name" && segment.pieces.some((piece) => piece.kind === "set" && piece.negated);
}

function printSegment(segment: PatternSegment): string {
  return segment.kind === "any-names" ? "**" : segment.pieces.map(printPiece).join("");
}

function printPiece(piece: NamePiece): string {
  switch (piece.kind) {
    case "text":
      return escapeText(piece.text);
    case "many":
      return "*";
    case "one":
      return "?";
    case "set":
      return `[${piece.negated ? "!" : ""}${piece.members}]`;
  }
}

/** A plain text in the form of a pattern: each wildcard character is a set of itself. */
function escapeText(text: string): string {
  return text.replace(/[*?[\]]/g, (character) => `[${character}]`);
}

function refused(text: string, what: string, hint?: string): CofferdamError {
  return new CofferdamError("PATTERN_INVALID", `the pattern ${visible(text)} ${what}`, {
    hint: hint ?? "write a path with `*`, `?`, `[abc]`, `[!abc]`, `**` or `{a,b}`",
  });
}
