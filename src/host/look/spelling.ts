import { lstatSync, realpathSync, type Stats } from "node:fs";
import { type AbsolutePath, isAbsolutePath, joinPath, nameOf, parentOf } from "../../profile/path.ts";
import { orNull } from "../or-null.ts";
import { namesIn } from "./names-in.ts";

/**
 * One way to write each path, if a system has several. On Linux there is but one. On macOS names that differ in case,
 * or in how an accent is written, may be one, and files on the volume of data have a path through that as well.
 */
export interface Spelling {
  /** False if a path without a link may be written in several ways. */
  readonly isOnly: boolean;
  /** The path of a name in a canonical folder; for a link, its own. */
  placeOf(folder: AbsolutePath, name: string, stats: Stats): AbsolutePath;
  /** The canonical path of a result of realpath(3). */
  canonical(real: AbsolutePath): AbsolutePath;
}

const PLAIN: Spelling = { isOnly: true, placeOf: joinPath, canonical: (real) => real };

/**
 * macOS. realpath(3) returns the name on disk, but follows a link: that is looked up in its folder. So is a file with
 * another name in the result, since it may have both. Names there are UTF-8.
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

/** The spelling of this system. */
export const SPELLING: Spelling = process.platform === "darwin" ? DARWIN_SPELLING : PLAIN;

/** The volume of people's files; paths from the system's volume lead there without a link (firmlink). */
const DATA = "/System/Volumes/Data";

/** The path without the volume of data, if both lead to one place; else as it is. */
export function withoutFirmlink(path: AbsolutePath, data = DATA): AbsolutePath {
  const short = path.startsWith(`${data}/`) ? path.slice(data.length) : path;
  return short !== path && isAbsolutePath(short) && isSame(short, path) ? short : path;
}

/** True for paths to the same entry. Inodes of macOS's own volume exceed 2^53, which only a bigint holds exactly. */
function isSame(one: AbsolutePath, other: AbsolutePath): boolean {
  const [a, b] = [one, other].map((path) => orNull(() => lstatSync(path, { bigint: true })));
  return a !== null && a !== undefined && a.dev === b?.dev && a.ino === b.ino;
}

function realOf(path: AbsolutePath): AbsolutePath | null {
  try {
    const real = realpathSync.native(path);
    return isAbsolutePath(real) && parentOf(real) === parentOf(path) ? real : null;
  } catch {
    return null;
  }
}
