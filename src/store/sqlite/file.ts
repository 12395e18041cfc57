import { closeSync, lstatSync, mkdirSync, openSync, type Stats, statSync } from "node:fs";
import { systemPath } from "../../host/nodes.ts";
import { codeOf } from "../../host/system-error.ts";
import { type AbsolutePath, parentOf } from "../../profile/path.ts";
import { quote } from "../../shell/quote.ts";
import { told, unavailable } from "./failure.ts";

/** Which file stands at a path: another one there is another store. */
export interface Identity {
  readonly dev: number;
  readonly ino: number;
}

/** The file that stands there, or null. Throws `STORE_UNAVAILABLE` where that can't be seen. */
export function fileAt(file: AbsolutePath): Stats | null {
  try {
    return lstatSync(systemPath(file), { throwIfNoEntry: false }) ?? null;
  } catch (cause) {
    throw told(file, cause);
  }
}

/** True when this very file still stands there. */
export function stillStands(file: AbsolutePath, { dev, ino }: Identity): boolean {
  const stats = fileAt(file);
  return stats !== null && stats.dev === dev && stats.ino === ino;
}

/**
 * The file of a store, made where there is none: for its user alone, in a folder in which no other can put something in
 * its place or beside it, as SQLite takes in whatever log it finds there. What SQLite makes beside it has its mode.
 * Throws `STORE_UNAVAILABLE` for a file that is none, or another's.
 */
export function ensureFile(file: AbsolutePath): Identity {
  try {
    const stats = fileAt(file) ?? made(file);
    assertOwn(file, stats);
    return stats;
  } catch (cause) {
    throw told(file, cause);
  }
}

/** It is empty, which SQLite takes for a database without tables. Whoever is first makes it. */
function made(file: AbsolutePath): Stats {
  mkdirSync(systemPath(parentOf(file)), { recursive: true, mode: 0o700 });
  try {
    // Nobody can have opened it in between: to close what SQLite has open would take its locks away (fcntl(2)).
    closeSync(openSync(systemPath(file), "wx", 0o600));
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cause;
  }
  return lstatSync(systemPath(file));
}

function assertOwn(file: AbsolutePath, stats: Stats): void {
  const folder = parentOf(file);
  const around = statSync(systemPath(folder));
  const uid = process.geteuid?.() ?? stats.uid;
  if (stats.isSymbolicLink()) throw unavailable(file, "is a symlink", "name the file that it leads to");
  if (!stats.isFile()) throw unavailable(file, "is no plain file", "name another, or move it away");
  if (stats.uid !== uid)
    throw unavailable(file, `belongs to user ${stats.uid}`, "name one in a folder of your own");
  if ((stats.mode & 0o077) !== 0)
    throw unavailable(file, "can be read or changed by others", `run ${quote(["chmod", "go=", file])}`);
  if (around.uid !== uid && around.uid !== 0)
    throw unavailable(file, `lies in a folder of user ${around.uid}`, "name one in a folder of your own");
  if ((around.mode & 0o022) !== 0)
    throw unavailable(
      file,
      "lies in a folder that others can write",
      `run ${quote(["chmod", "go-w", folder])}`,
    );
}
