import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type AbsolutePath, joinPath, knownPath, parentOf } from "../profile/path.ts";
import { statsOf } from "./nodes.ts";
import { isRunning, printProcess, readProcess, thisProcess } from "./process-id.ts";

/** How many bytes stand behind the prefix on macOS at most: `<pid>.<seconds>.<6>`. */
export const BEHIND_PREFIX = 23;

/**
 * Makes a folder of this user's alone in a place that others share. Its name says which process made it, `<prefix><pid>.
 * <start>.<6>`: what ended ones of this user left there under the prefix is removed. Throws node's errors.
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

/** Only what this user made: in such a place others make folders of any name, and what is in those is theirs to change. */
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
      // Another run is at it, or it is left to the next.
    }
  }
}
