import { linkSync, renameSync, unlinkSync } from "node:fs";
import { namesIn } from "../host/look/names-in.ts";
import { statsOf } from "../host/look/nodes.ts";
import { codeOf } from "../host/system-error.ts";
import { type AbsolutePath, joinPath, knownPath } from "../profile/path.ts";
import { linesOf } from "./lines.ts";
import { eventIn, filedRuns, isSegmentName } from "./record.ts";

/** Age and config of records to remove. */
export interface Retention {
  readonly config: string;
  /** Age of a file's last write after which it is too old. */
  readonly keepMs: number;
}

const ASIDE = ".aside";

/**
 * Removes old files in a folder of records: whole runs, and the first files of continuing runs, so that no gap appears.
 * Only files that are certainly records of sessions under that config are ever removed. `now` is in milliseconds since
 * 1970. Files that the system does not let us remove stay.
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
 * The writer may be active, so the file is first renamed and then checked again. After each line the writer checks
 * whether its file is still at its path (`OpenSegment.isThere`). If that check came before the rename, the line is seen
 * here, and the file is not old. If it came after, the writer continues in a new file, with that line.
 */
function isRemoved(file: AbsolutePath, isOld: (file: AbsolutePath) => boolean): boolean {
  const aside = knownPath(`${file}${ASIDE}`);
  if (!isDone(() => renameSync(file, aside))) return false;
  if (isOld(aside) && isDone(() => unlinkSync(aside))) return true;
  putBack(aside, file);
  return false;
}

/** Restores a file that a killed removal left renamed. */
function putBackLeft(folder: AbsolutePath, name: string): void {
  const before = name.endsWith(ASIDE) ? name.slice(0, -ASIDE.length) : "";
  if (!isSegmentName(before) || statsOf(joinPath(folder, name))?.isFile() !== true) return;
  if (configOf(joinPath(folder, name)) !== null) putBack(joinPath(folder, name), joinPath(folder, before));
}

/** Never replaces a file: a taken name belongs to another one (link(2)). */
function putBack(aside: AbsolutePath, file: AbsolutePath): void {
  if (isDone(() => linkSync(aside, file))) isDone(() => unlinkSync(aside));
}

/** The config of the sessions in a record's file; null if it names none, or is no record. */
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

function isDone(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (cause) {
    if (codeOf(cause) === "") throw cause;
    return false;
  }
}
