import { closeSync, lstatSync, mkdirSync, openSync, type Stats, statSync } from "node:fs";
import { systemPath } from "../../host/look/nodes.ts";
import { codeOf } from "../../host/system-error.ts";
import { type AbsolutePath, parentOf } from "../../profile/path.ts";
import { quote } from "../../shell/quote.ts";
import { storeError, unavailable } from "./failure.ts";

/** The identity of a file at a path: another file is another store. */
export interface Identity {
  readonly dev: number;
  readonly ino: number;
}

/** The file at a path, or null. Throws `STORE_UNAVAILABLE` if that can't be determined. */
export function fileAt(file: AbsolutePath): Stats | null {
  try {
    return lstatSync(systemPath(file), { throwIfNoEntry: false }) ?? null;
  } catch (cause) {
    throw storeError(file, cause);
  }
}

/** True if this very file is still at its path. */
export function stillStands(file: AbsolutePath, { dev, ino }: Identity): boolean {
  const stats = fileAt(file);
  return stats !== null && stats.dev === dev && stats.ino === ino;
}

/**
 * The private file of a store, created if missing. No other user can replace it or put a file beside it: SQLite reads
 * any log there, and gives its own files beside it its mode. Throws `STORE_UNAVAILABLE` if it is no file, or another
 * user's.
 */
export function ensureFile(file: AbsolutePath): Identity {
  try {
    const stats = fileAt(file) ?? made(file);
    assertOwn(file, stats);
    return stats;
  } catch (cause) {
    throw storeError(file, cause);
  }
}

/** Creates an empty file, which SQLite takes for a database without tables. The first to come creates it. */
function made(file: AbsolutePath): Stats {
  mkdirSync(systemPath(parentOf(file)), { recursive: true, mode: 0o700 });
  try {
    // No one can have opened it in between: closing a file that SQLite has open would release its locks (fcntl(2)).
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
  if (stats.isSymbolicLink()) throw unavailable(file, "is a symlink", "name the target of the link");
  if (!stats.isFile()) throw unavailable(file, "is not a regular file", "name another file, or move it away");
  if (stats.uid !== uid)
    throw unavailable(file, `belongs to user ${stats.uid}`, "name a file in a folder that you own");
  if ((stats.mode & 0o077) !== 0)
    throw unavailable(file, "can be read or changed by other users", `run ${quote(["chmod", "go=", file])}`);
  if (around.uid !== uid && around.uid !== 0)
    throw unavailable(file, `is in a folder of user ${around.uid}`, "name a file in a folder that you own");
  if ((around.mode & 0o022) !== 0)
    throw unavailable(
      file,
      "is in a folder that other users can write",
      `run ${quote(["chmod", "go-w", folder])}`,
    );
}
