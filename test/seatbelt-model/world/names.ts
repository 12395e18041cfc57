import type { Errno } from "./errno.ts";

/** The longest name of one file on APFS, in bytes of UTF-8. */
export const NAME_MAX_BYTES = 255;

/** The longest path that a call takes, in bytes of UTF-8 and without its closing zero (`PATH_MAX` is 1024). */
export const PATH_MAX_BYTES = 1023;

/** How many symbolic links one path may pass through (`MAXSYMLINKS`); one more is `ELOOP`. */
export const LINKS_MAX = 32;

/**
 * The key under which a folder keeps a name: two names are one exactly when their keys are. APFS takes composed and
 * decomposed spellings for one on every volume, and upper and lower case where the volume is not case-sensitive.
 */
export function keyOf(name: string, isCaseSensitive: boolean): string {
  if (isAscii(name)) return isCaseSensitive ? name : name.toLowerCase();
  const decomposed = name.normalize("NFD");
  return isCaseSensitive ? decomposed : folded(decomposed);
}

/** Why no file can have this name, or undefined when one can. */
export function nameProblem(name: string): Errno | undefined {
  if (!name.isWellFormed()) return "EILSEQ";
  return isLonger(name, NAME_MAX_BYTES) ? "ENAMETOOLONG" : undefined;
}

/** Why no call takes this path, or undefined when it is looked up. */
export function pathProblem(path: string): Errno | undefined {
  if (path === "") return "ENOENT";
  return isLonger(path, PATH_MAX_BYTES) ? "ENAMETOOLONG" : undefined;
}

/** The names in a path, without the empty ones: `/a//b/` is `a`, `b`. */
export function partsOf(path: string): readonly string[] {
  return path.split("/").filter((part) => part !== "");
}

/** The path of a name in a folder, given the folder's. */
export function joined(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

/** Full folding, so that `ß` is `ss`; a character at a time, since a sigma at a word's end is a sigma still. */
function folded(text: string): string {
  let out = "";
  for (const character of text) {
    if (character === "ı") out += character;
    else for (const upper of character.toUpperCase()) out += upper.toLowerCase();
  }
  return out.normalize("NFD");
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

function isLonger(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}
