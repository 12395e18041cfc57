import { type AbsolutePath, joinPath, namesOf } from "./path.ts";
import { type NamePiece, nameTest, type Pattern, type PatternSegment } from "./pattern.ts";

/** The maximum of paths from one way: a few, because another pattern's mask could hide the first. */
const MAX_A_WAY = 3;

/** Matches of a pattern below a folder; made once, queried for many folders. */
export type MatchesBelow = (folder: AbsolutePath) => Iterable<AbsolutePath>;

/** Finds matches below a folder that begin with an unused name: a few for each way, at least one if there is any. */
export function matchesBelow(
  pattern: Pattern,
  ignoreCase: boolean,
  isTaken: (path: AbsolutePath) => boolean,
): MatchesBelow {
  const waysOn = waysThrough(pattern.segments, ignoreCase);
  return function* (folder) {
    for (const [next, ...rest] of waysOn(namesOf(folder))) {
      if (next === undefined) continue;
      const below = rest.flatMap((segment, at) => fillSegment(segment, at === rest.length - 1, ignoreCase));
      let count = 0;
      for (const name of namesFor(next.kind === "name" ? next.pieces : [{ kind: "many" }], ignoreCase)) {
        if (isTaken(joinPath(folder, name))) continue;
        yield joinPath(folder, [name, ...below].join("/"));
        count += 1;
        if (count === MAX_A_WAY) break;
      }
    }
  };
}

function waysThrough(
  segments: readonly PatternSegment[],
  ignoreCase: boolean,
): (names: readonly string[]) => readonly (readonly PatternSegment[])[] {
  const tests = segments.map((one) => (one.kind === "name" ? nameTest(one.pieces, ignoreCase) : null));
  /** The place itself; before it the one after a `**`, which may also take no name: so short matches come first. */
  const from = (place: number): readonly number[] => (tests[place] === null ? [place + 1, place] : [place]);
  return (names) => {
    let places = new Set(from(0));
    for (const name of names) {
      const passed = [...places].flatMap((place) => {
        const test = tests[place];
        return test === null ? from(place) : test?.(name) === true ? from(place + 1) : [];
      });
      places = new Set(passed);
    }
    return [...places].map((place) => segments.slice(place));
  };
}

function fillSegment(segment: PatternSegment, isLast: boolean, ignoreCase: boolean): readonly string[] {
  if (segment.kind === "any-names") return isLast ? ["w"] : [];
  const [name] = namesFor(segment.pieces, ignoreCase);
  return name === undefined ? [] : [name];
}

/** Names that the pieces match, each once or more: all if they are few, else more than any caller needs. */
function* namesFor(pieces: readonly NamePiece[], ignoreCase: boolean): Generator<string> {
  const choices = pieces.flatMap((piece) => choicesFor(piece, ignoreCase));
  for (const name of combined(choices)) if (name !== "" && name !== "." && name !== "..") yield name;
}

function* combined(choices: readonly (() => Iterable<string>)[]): Generator<string> {
  const [first, ...rest] = choices;
  if (first === undefined) yield "";
  else for (const head of first()) for (const tail of combined(rest)) yield head + tail;
}

/** One list of alternatives for every part of the piece that can vary by itself. */
function choicesFor(piece: NamePiece, ignoreCase: boolean): readonly (() => Iterable<string>)[] {
  switch (piece.kind) {
    case "text":
      return [...piece.text].map((character) => () => (ignoreCase ? bothCases(character) : [character]));
    case "many":
      return [manyTexts];
    case "one":
      return [() => characters("")];
    case "set":
      if (piece.negated)
        return [
          () => characters(ignoreCase ? [...piece.members].flatMap(bothCases).join("") : piece.members),
        ];
      return [() => [...piece.members].flatMap((member) => (ignoreCase ? bothCases(member) : [member]))];
  }
}

function bothCases(character: string): readonly string[] {
  if (!/[A-Za-z]/.test(character)) return [character];
  return [
    character,
    character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase(),
  ];
}

function* manyTexts(): Generator<string> {
  yield* ["w", "sample-7", "Zz", ""];
  for (let length = 2; ; length += 1) yield "w".repeat(length);
}

function* characters(without: string): Generator<string> {
  const left = new Set([...without, "/"]);
  for (const plain of "wZ0") if (!left.has(plain)) yield plain;
  for (let code = 0x21; code < 0x30000; code += 1) {
    const character = String.fromCodePoint(code);
    if (!left.has(character) && !/[\p{C}\p{Z}]/u.test(character)) yield character;
  }
}
