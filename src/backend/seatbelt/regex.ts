import type { Pattern, Piece } from "../../profile/pattern.ts";
import type { Suffix } from "../../profile/suffix.ts";

/**
 * One character that is no printable ASCII, in a pattern that is printable ASCII itself. Whether the kernel matches
 * bytes or characters is not documented, so a run of them stands for each: caps may hold for more, never for less.
 */
const FOREIGN = "[^ -~]+";

/** Any one character: one byte, or the two to four of a character that is not ASCII. */
const FOREIGN_CHARACTER = "[^ -~][^ -~]?[^ -~]?[^ -~]?";

/**
 * Regexes that match what the pattern matches and all below that, for rules that take away: one for the node, one for
 * what is below it. Only `^ $ * + ? ( ) | [ ]` are used, for which others' profiles show that they work. Letters have
 * both cases with `ignoreCase`; accented letters have both of their Unicode spellings.
 */
export function coveringRegexes({ segments }: Pattern, ignoreCase: boolean): readonly string[] {
  const sources = SPELLINGS.flatMap((spell) => {
    const source = (pieces: readonly Piece[]): string => nameSource(pieces, spell, ignoreCase);
    const leading = segments
      .slice(0, -1)
      .map((one) => (one.kind === "name" ? `${source(one.pieces)}/` : "([^/]+/)*"));
    const last = segments.at(-1);
    const start = `^/${leading.join("")}`;
    if (last === undefined) return [start];
    if (last.kind === "any-names") return [`${start}[^/]`];
    return [`${start}${source(last.pieces)}$`, `${start}${source(last.pieces)}/`];
  });
  return [...new Set(sources)];
}

/** The regex that matches every path that ends so, and no other: it stands in rules that give. */
export function endingRegex(ending: Suffix): string {
  return `${ending.replace(/./gsu, plainSource)}$`;
}

/** Composed and decomposed, as a file system may keep either. */
const SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.normalize("NFC"),
  (text) => text.normalize("NFD"),
];

function nameSource(pieces: readonly Piece[], spell: (text: string) => string, ignoreCase: boolean): string {
  const [first, ...others] = pieces;
  if (first?.kind === "many" && others.length === 0) return "[^/]+";
  return pieces.map((piece) => pieceSource(piece, spell, ignoreCase)).join("");
}

function pieceSource(piece: Piece, spell: (text: string) => string, ignoreCase: boolean): string {
  switch (piece.kind) {
    case "text":
      return textSource(spell(piece.text), ignoreCase);
    case "many":
      return "[^/]*";
    case "one":
      return `([^/]|${FOREIGN_CHARACTER})`;
    case "set":
      return setSource(piece, ignoreCase);
  }
}

function setSource({ negated, members }: Extract<Piece, { kind: "set" }>, ignoreCase: boolean): string {
  const plain = [...members].filter((one) => /[ -~]/.test(one));
  const cased = [...new Set(ignoreCase ? plain.flatMap(bothCases) : plain)].join("");
  if (negated) return `([^/${cased}]|${FOREIGN_CHARACTER})`;
  if (plain.length === [...members].length) return `[${cased}]`;
  return cased === "" ? FOREIGN : `([${cased}]|${FOREIGN})`;
}

function textSource(text: string, ignoreCase: boolean): string {
  return text.replace(/[^ -~]+|./gsu, (part) => {
    if (/[^ -~]/u.test(part)) return FOREIGN;
    return ignoreCase && /[A-Za-z]/.test(part) ? `[${bothCases(part).join("")}]` : plainSource(part);
  });
}

/** A character as itself. `[.]` reads the same whether or not a backslash escapes; three characters have no such form. */
function plainSource(character: string): string {
  if (/[[\]\\^]/.test(character)) return `\\${character}`;
  return /[.*+?(){}|$]/.test(character) ? `[${character}]` : character;
}

function bothCases(letter: string): readonly string[] {
  return /[A-Za-z]/.test(letter) ? [letter.toLowerCase(), letter.toUpperCase()] : [letter];
}
