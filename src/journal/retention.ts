import { linkSync, renameSync, unlinkSync } from "node:fs";
import { namesIn } from "../host/names-in.ts";
import { statsOf } from "../host/nodes.ts";
import { codeOf } from "../host/system-error.ts";
import { type AbsolutePath, joinPath, knownPath } from "../profile/path.ts";
import { linesOf } from "./lines.ts";
import { eventIn, filedRuns, isSegmentName } from "./record.ts";

/** Which records go, and when. */
export interface Retention {
  /** Only records of sessions under this config are removed. */
  readonly config: string;
  /** A file that was last written to so long ago is too old. */
  readonly keepMs: number;
}

/** How the name of a file ends while it is removed. */
const ASIDE = ".aside";

/**
 * Removes what is too old in a folder of records: whole runs, and of runs that go on the files at the beginning, so that
 * none is missing between two. Only what is a record for certain, of sessions under that config, is ever removed. `now`
 * is in milliseconds since 1970. What the system does not let be removed stays.
 */
export function removeOldRecords(folder: AbsolutePath, { config, keepMs }: Retention, now: number): void {
  const isOld = (file: AbsolutePath): boolean => {
    const written = statsOf(file)?.mtimeMs;
    return written !== undefined && now - written > keepMs;
  };
  for (const name of namesIn(folder)) putBackLeft(folder, name);
  for (const { segments } of filedRuns(folder))
    for (const { file } of segments)
      if (!isOld(file) || configOf(file) !== config || !isRemoved(file, isOld)) break;
}

/**
 * Its writer may be at work. So it is first moved aside, and then looked at again: whoever writes looks behind each line
 * whether the file still stands where it was made (`OpenSegment.isThere`). If that look came before the move, the line is
 * seen here, as a file that is not old; if it came after, the writer goes on in a new file, with that line.
 */
function isRemoved(file: AbsolutePath, isOld: (file: AbsolutePath) => boolean): boolean {
  const aside = knownPath(`${file}${ASIDE}`);
  if (!isDone(() => renameSync(file, aside))) return false;
  if (isOld(aside) && isDone(() => unlinkSync(aside))) return true;
  putBack(aside, file);
  return false;
}

/** What somebody who was killed at this left aside. */
function putBackLeft(folder: AbsolutePath, name: string): void {
  const before = name.endsWith(ASIDE) ? name.slice(0, -ASIDE.length) : "";
  if (!isSegmentName(before) || statsOf(joinPath(folder, name))?.isFile() !== true) return;
  if (configOf(joinPath(folder, name)) !== null) putBack(joinPath(folder, name), joinPath(folder, before));
}

/** Nothing is replaced by it: a name that is taken is another file's (link(2)). */
function putBack(aside: AbsolutePath, file: AbsolutePath): void {
  if (isDone(() => linkSync(aside, file))) isDone(() => unlinkSync(aside));
}

/** The config that a file of a record says its sessions have; null where it says none, or is no record. */
function configOf(file: AbsolutePath): string | null {
  let config: string | null = null;
  isDone(() => {
    for (const { bytes, kind } of linesOf(file)) {
      const event = kind === "whole" ? eventIn(bytes) : null;
      const says = event?.type === "session.started" || event?.type === "journal.continued";
      config = says ? event.config : null;
      return;
    }
  });
  return config;
}

/** False when the system says no. */
function isDone(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (cause) {
    if (codeOf(cause) === "") throw cause;
    return false;
  }
}
