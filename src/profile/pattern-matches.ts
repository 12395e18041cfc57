import { type AbsolutePath, joinPath, namesOf } from "./path.ts";
import { nameTest, type Pattern, type Piece, type Segment } from "./pattern.ts";

/** Paths that one way to go on yields at most: a few, because the first could be hidden by another pattern's mask. */
const MOST_A_WAY = 3;

/** Matches of a pattern below a folder; made once, asked about many folders. */
export type MatchesBelow = (folder: AbsolutePath) => Iterable<AbsolutePath>;

/**
 * Finds paths below a folder that the pattern matches and that begin there with a name that is not taken: a few for
 * every way in which the pattern can go on below the folder. When there is any such path, at least one is found. That
 * the folder itself matches is not looked at.
 */
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
        if (count === MOST_A_WAY) break;
      }
    }
  };
}

/** What can be left of the pattern when its beginning has matched all of the names. */
function waysThrough(
  segments: readonly Segment[],
  ignoreCase: boolean,
): (names: readonly string[]) => readonly (readonly Segment[])[] {
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

function fillSegment(segment: Segment, isLast: boolean, ignoreCase: boolean): readonly string[] {
  if (segment.kind === "any-names") return isLast ? ["w"] : [];
  const [name] = namesFor(segment.pieces, ignoreCase);
  return name === undefined ? [] : [name];
}

/** Names that the pieces match, each once or more: all of them when they are few, else more than anybody asks for. */
function* namesFor(pieces: readonly Piece[], ignoreCase: boolean): Generator<string> {
  const choices = pieces.flatMap((piece) => choicesFor(piece, ignoreCase));
  for (const name of combined(choices)) if (name !== "" && name !== "." && name !== "..") yield name;
}

function* combined(choices: readonly (() => Iterable<string>)[]): Generator<string> {
  const [first, ...rest] = choices;
  if (first === undefined) yield "";
  else for (const head of first()) for (const tail of combined(rest)) yield head + tail;
}

/** One list of alternatives for every part of the piece that can vary by itself. */
function choicesFor(piece: Piece, ignoreCase: boolean): readonly (() => Iterable<string>)[] {
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

/** Short and unlike each other, then longer and longer. */
function* manyTexts(): Generator<string> {
  yield* ["w", "sample-7", "Zz", ""];
  for (let length = 2; ; length += 1) yield "w".repeat(length);
}

/** Every printable character that a name may hold, but those. */
function* characters(without: string): Generator<string> {
  const left = new Set([...without, "/"]);
  for (const plain of "wZ0") if (!left.has(plain)) yield plain;
  for (let code = 0x21; code < 0x30000; code += 1) {
    const character = String.fromCodePoint(code);
    if (!left.has(character) && !/[\p{C}\p{Z}]/u.test(character)) yield character;
  }
}
