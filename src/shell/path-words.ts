import { fileNameOf } from "./rule.ts";

/** A word that can only be one path: names and slashes, without a character at which a program may split it. */
const PLAIN = /^[\p{L}\p{N}_./][\p{L}\p{N}_./-]*$/u;
/** Characters at which a program may split a word. */
const CUTS = /[^\p{L}\p{N}_./-]/u;
/** An option whose value is a file that holds names, also cut short. */
const NAMES_IN_A_FILE = /^--?(files\d*|[\w-]*from)\b/;
/** Programs that change to another folder first, and the option that names it, also in a group. */
const MOVES: ReadonlySet<string> = new Set(
  "git tar gtar bsdtar make gmake ninja env cargo go npm pnpm yarn".split(" "),
);
const MOVES_TO = /^(-[a-zA-Z]*C|--(dir|chd|cwd|pref))/;
/** The maximum length of a path (path_resolution(7), `PATH_MAX`). */
const MAX_PATH_LENGTH = 4_095;

/**
 * The paths in a command's words, without the program's own word. A plain word is one path, relative ones too. Any
 * other may hold one after each character that is no part of a name (`if=/x`, `@file`, `a:b`), and an option anywhere
 * after its letter (`-cf/x`, `-I../x`, `-Clink`); of `--name=value` only the value counts, of `--name` nothing.
 * `-Isub/x` holds `/x` too, and everything from a `~` on is a path of its own. A generator, as there may be more than
 * the caller reads.
 */
export function* pathWords(words: readonly string[]): Generator<string> {
  for (const word of words.slice(1)) yield* candidates(word);
}

/**
 * The same, and unlikely paths: each word as a whole, as a file may be named like an option, and each piece of it, as
 * the end may be cut off as well (`x:y`). `~` represents unknown paths: names in a file (`--files-from`), and paths
 * from a folder that an option names (`git -C x`).
 */
export function* possiblePathWords([program = "", ...words]: readonly string[]): Generator<string> {
  const isMoving = MOVES.has(fileNameOf(program));
  for (const word of words) {
    if (word === "") continue;
    if (isMoving && MOVES_TO.test(word)) yield "~";
    const isLong = word.length > MAX_PATH_LENGTH;
    const pieces = isLong ? [] : word.split(CUTS).filter((piece) => piece !== "");
    yield* new Set([word, ...candidates(word), ...pieces, ...(NAMES_IN_A_FILE.test(word) ? ["~"] : [])]);
  }
}

function candidates(word: string): readonly string[] {
  if (word === "" || /^--?[\p{L}\p{N}]?$|^--[\p{L}\p{N}_-]+$/u.test(word)) return [];
  if (word.length > MAX_PATH_LENGTH || PLAIN.test(word)) return [word];
  const name = /^--[\p{L}\p{N}_-]+=/u.exec(word)?.[0];
  if (name !== undefined) return candidates(word.slice(name.length));
  const home = word.includes("~") ? [word.slice(word.indexOf("~"))] : [];
  if (word.startsWith("-"))
    return [...home, ...tails(word, /./su).filter((tail) => isBehindLetter(word, tail))];
  return [word, ...home, ...tails(word, CUTS)];
}

/** The first letter of an option is the option's own. */
function isBehindLetter(word: string, tail: string): boolean {
  return tail.length < word.length - 1 || /^[^\p{L}\p{N}]/u.test(tail);
}

function tails(word: string, isEnd: RegExp): readonly string[] {
  const found: string[] = [];
  for (let at = 1; at < word.length; at += 1) {
    if (isEnd.test(word[at - 1] ?? "")) found.push(word.slice(at));
  }
  return found;
}
