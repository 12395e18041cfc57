import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type AbsolutePath, joinPath, knownPath, parentOf } from "../../profile/path.ts";
import { statsOf } from "../look/nodes.ts";
import { isRunning, printProcess, readProcess, thisProcess } from "./process-id.ts";

/** Maximum of bytes after the prefix on macOS: `<pid>.<seconds>.<6>`. */
export const BEHIND_PREFIX = 23;

/**
 * Makes a folder of this user's alone in a place that others share. Its name is `<prefix><pid>.<start>.<6>`: such
 * folders of this user's ended processes are removed. Throws node's errors.
 */
export function makeTemporary(place: string, prefix: string): AbsolutePath {
  const made = knownPath(mkdtempSync(join(place, `${prefix}${printProcess(thisProcess())}.`)));
  try {
    sweepBeside(made, prefix);
    return made;
  } catch (cause) {
    rmSync(made, { recursive: true, force: true });
    throw cause;
  }
}

/** Removes only folders of this user: others make folders of any name in such a place. */
function sweepBeside(made: AbsolutePath, prefix: string): void {
  const [place, uid] = [parentOf(made), statsOf(made)?.uid];
  for (const name of readdirSync(place)) {
    const [, process = ""] = /^(\d+\.\d+)\.[A-Za-z0-9]{6}$/.exec(name.slice(prefix.length)) ?? [];
    const maker = name.startsWith(prefix) ? readProcess(process) : null;
    if (maker === null || isRunning(maker)) continue;
    const left = joinPath(place, name);
    const stats = statsOf(left);
    if (stats?.isDirectory() !== true || stats.uid !== uid) continue;
    try {
      rmSync(left, { recursive: true, force: true });
    } catch {
      // Another run is removing it, or it is left to the next.
    }
  }
}
