import { fileNameOf } from "./rule.ts";

/** A word that can only be one path: names and slashes, nothing that a program may cut it at. */
const PLAIN = /^[\p{L}\p{N}_./][\p{L}\p{N}_./-]*$/u;
/** What a program may cut a word at. */
const CUTS = /[^\p{L}\p{N}_./-]/u;
/** An option whose value is a file that holds names, also cut short. */
const NAMES_IN_A_FILE = /^--?(files\d*|[\w-]*from)\b/;
/** Programs that go to another folder first, and the option that names it, also among others. */
const MOVES: ReadonlySet<string> = new Set(
  "git tar gtar bsdtar make gmake ninja env cargo go npm pnpm yarn".split(" "),
);
const MOVES_TO = /^(-[a-zA-Z]*C|--(dir|chd|cwd|pref))/;
/** No path is longer (path_resolution(7), `PATH_MAX`). */
const MOST_PATH_LENGTH = 4_095;

/**
 * The paths that a command's words name, the program's own word left out. A plain word is one path, relative ones too.
 * Any other may hold one after each character that is no part of a name (`if=/x`, `@file`, `a:b`), and an option
 * anywhere behind its letter (`-cf/x`, `-I../x`, `-Clink`); of `--name=value` only the value counts, of `--name` nothing.
 * `-Isub/x` holds `/x` too, and everything from a `~` on is a path of its own. One after the other, as there may be many
 * more than anybody wants to look at.
 */
export function* pathWords(words: readonly string[]): Generator<string> {
  for (const word of words.slice(1)) yield* candidates(word);
}

/**
 * The same, and what may be one against all appearances: each word as a whole, as a file may be named like an option, and
 * each piece of it, as the end may be cut off as well (`x:y`). What nobody knows, `~` stands for: names that a file
 * holds (`--files-from`), and paths from a folder that an option names (`git -C x`).
 */
export function* possiblePathWords([program = "", ...words]: readonly string[]): Generator<string> {
  const isMoving = MOVES.has(fileNameOf(program));
  for (const word of words) {
    if (word === "") continue;
    if (isMoving && MOVES_TO.test(word)) yield "~";
    const isLong = word.length > MOST_PATH_LENGTH;
    const pieces = isLong ? [] : word.split(CUTS).filter((piece) => piece !== "");
    yield* new Set([word, ...candidates(word), ...pieces, ...(NAMES_IN_A_FILE.test(word) ? ["~"] : [])]);
  }
}

function candidates(word: string): readonly string[] {
  if (word === "" || /^--?[\p{L}\p{N}]?$|^--[\p{L}\p{N}_-]+$/u.test(word)) return [];
  if (word.length > MOST_PATH_LENGTH || PLAIN.test(word)) return [word];
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

/** What stands behind each character that may end the part before a path. */
function tails(word: string, isEnd: RegExp): readonly string[] {
  const found: string[] = [];
  for (let at = 1; at < word.length; at += 1) {
    if (isEnd.test(word[at - 1] ?? "")) found.push(word.slice(at));
  }
  return found;
}
