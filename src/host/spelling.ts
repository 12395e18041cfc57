import { type BigIntStats, lstatSync, realpathSync, type Stats } from "node:fs";
import { type AbsolutePath, isAbsolutePath, joinPath, nameOf, parentOf } from "../profile/path.ts";
import { namesIn } from "./names-in.ts";

/**
 * One way to write each path, where a system has several. On Linux there is but one. On macOS names that differ in case, or
 * in how an accent is written, may be one, and what lies on the volume of data has a path through that as well.
 */
export interface Spelling {
  /** False where a path without a link may be written in several ways. */
  readonly isOnly: boolean;
  /** The path of what stands at a name in a canonical folder; of a link, its own. */
  placeOf(folder: AbsolutePath, name: string, stats: Stats): AbsolutePath;
  /** The canonical path of what realpath(3) told. */
  canonical(real: AbsolutePath): AbsolutePath;
}

const PLAIN: Spelling = { isOnly: true, placeOf: joinPath, canonical: (real) => real };

/**
 * macOS. realpath(3) tells the name on disk of all but a link, which it follows: that is looked up in its folder. So is a
 * file that it tells by another name, since it may have both. Names there are UTF-8.
 */
export const DARWIN_SPELLING: Spelling = {
  isOnly: false,
  placeOf: (folder, name, stats) => {
    const path = joinPath(folder, name);
    const real = stats.isSymbolicLink() ? null : realOf(path);
    if (real !== null && nameOf(real) === name) return withoutFirmlink(path);
    const names = namesIn(folder);
    const others = names.includes(name) ? [] : names.map((one) => joinPath(folder, one));
    return withoutFirmlink(others.find((other) => isSame(other, path)) ?? path);
  },
  canonical: (real) => withoutFirmlink(real),
};

/** That of the system that this runs on. */
export const SPELLING: Spelling = process.platform === "darwin" ? DARWIN_SPELLING : PLAIN;

/** The volume that people's files lie on; what leads there from the system's volume is no link to anybody (firmlink). */
const DATA = "/System/Volumes/Data";

/** The path without the volume of data, where both lead to one place; else as it is. */
export function withoutFirmlink(path: AbsolutePath, data = DATA): AbsolutePath {
  const short = path.startsWith(`${data}/`) ? path.slice(data.length) : path;
  return short !== path && isAbsolutePath(short) && isSame(short, path) ? short : path;
}

/**
 * True when the same stands at both paths. Inodes of macOS's own volume have numbers above 2^53, which only a bigint holds
 * exactly.
 */
function isSame(one: AbsolutePath, other: AbsolutePath): boolean {
  const [a, b] = [one, other].map(numbersAt);
  return a !== null && a !== undefined && a.dev === b?.dev && a.ino === b.ino;
}

function numbersAt(path: AbsolutePath): Pick<BigIntStats, "dev" | "ino"> | null {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return null;
  }
}

/** Null where it can't be told, or somebody has put a link on the way. */
function realOf(path: AbsolutePath): AbsolutePath | null {
  try {
    const real = realpathSync.native(path);
    return isAbsolutePath(real) && parentOf(real) === parentOf(path) ? real : null;
  } catch {
    return null;
  }
}
