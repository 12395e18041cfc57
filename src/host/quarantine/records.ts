import { lstatSync, mkdirSync, readFileSync, rmdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { type AbsolutePath, isAbsolutePath, joinPath, parentOf } from "../../profile/path.ts";
import { CLOCK_GRAIN_MS } from "../clock-grain.ts";
import { namesIn } from "../names-in.ts";
import { statsOf, systemPath } from "../nodes.ts";
import { isRunning } from "../process-id.ts";
import { inFolder, isAbandoned, UNFINISHED, writeWhole } from "../state-files.ts";
import { codeOf } from "../system-error.ts";
import { flatMapInTurns, WorkTurn } from "../turns.ts";
import { asideNameOf } from "./move.ts";
import { isHeld, type QuarantineItem, QuarantineRecord } from "./record.ts";

const RECORD = "record.json";

/** Stands beside a record while something that was begun with it may not have ended, so that a start has no other to read. */
const BEGUN = "begun";

/** The records of a quarantine: a folder for each, with what was taken by its number in the record. */
export class QuarantineRecords {
  readonly folder: AbsolutePath;

  constructor(folder: AbsolutePath) {
    this.folder = folder;
  }

  /** Where what a record names is held. */
  folderOf(id: string): AbsolutePath {
    return joinPath(this.folder, id);
  }

  /** As they stand on the disk, the oldest first. What can't be read is none. */
  all(): readonly QuarantineRecord[] {
    const records = namesIn(this.folder).flatMap((id) => this.read(id) ?? []);
    return records.toSorted((a, b) => a.takenAt - b.takenAt);
  }

  /** Those with which something was begun that may not have ended. */
  begun(): Promise<readonly QuarantineRecord[]> {
    return this.#readOf((id) => statsOf(joinPath(this.folderOf(id), BEGUN)) !== null);
  }

  /** Those that were not written since then, in milliseconds since 1970. */
  unwrittenSince(moment: number): Promise<readonly QuarantineRecord[]> {
    return this.#readOf((id) => (this.#fileOf(id)?.mtimeMs ?? moment) < moment);
  }

  /** Those that were. Records may be many, and large: the others are not read. */
  writtenSince(moment: number): Promise<readonly QuarantineRecord[]> {
    return this.#readOf((id) => (this.#fileOf(id)?.ctimeMs ?? 0) >= moment - CLOCK_GRAIN_MS);
  }

  #readOf(isWanted: (id: string) => boolean): Promise<readonly QuarantineRecord[]> {
    return flatMapInTurns(namesIn(this.folder), (id) => (isWanted(id) ? (this.read(id) ?? []) : []));
  }

  #fileOf(id: string) {
    return statsOf(joinPath(this.folderOf(id), RECORD));
  }

  /** One as it stands on the disk; null for what is none. */
  read(id: string): QuarantineRecord | null {
    try {
      const text = readFileSync(joinPath(this.folderOf(id), RECORD), "utf8");
      const record = QuarantineRecord.parse(JSON.parse(text));
      return record.id === id ? record : null;
    } catch {
      return null;
    }
  }

  /** Says that something is begun with a record, and writes it; its folder is made where it is new. False: see `write`. */
  begin(record: QuarantineRecord): boolean {
    const folder = this.folderOf(record.id);
    const isMarked = isDone(() => {
      inFolder(this.folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
      writeFileSync(joinPath(folder, BEGUN), "", { mode: 0o600 });
    });
    const isWritten = isMarked && this.write(record);
    if (!isWritten && this.#fileOf(record.id) === null) this.#removeEmpty(record.id);
    return isWritten;
  }

  /** Says that all that was begun with a record has ended. */
  unmark({ id }: QuarantineRecord): void {
    isDone(() => rmSync(joinPath(this.folderOf(id), BEGUN), { force: true }));
  }

  /** False where the system says no, as on a full disk: then it is what it was. */
  write(record: QuarantineRecord): boolean {
    return isDone(() => writeWhole(joinPath(this.folderOf(record.id), RECORD), JSON.stringify(record)));
  }

  /** A record that is held for long is looked at again only after as long. */
  touch({ id }: QuarantineRecord, now: number): void {
    isDone(() => utimesSync(joinPath(this.folderOf(id), RECORD), new Date(now), new Date(now)));
  }

  /** Removes folders in which nothing is but what a process left that was killed before it had written its record. */
  async removeUnbegun(now: number): Promise<void> {
    const turn = new WorkTurn();
    for (const id of namesIn(this.folder)) {
      await turn.step();
      if (this.#fileOf(id) === null && isAbandoned(this.folderOf(id), now)) this.#removeEmpty(id);
    }
  }

  /** One in which nothing is held, nor ever was. */
  #removeEmpty(id: string): void {
    const folder = this.folderOf(id);
    const names = namesIn(folder);
    if (!names.every((name) => name === BEGUN || name === `${RECORD}${UNFINISHED}`)) return;
    for (const name of names) rmSync(joinPath(folder, name), { force: true });
    isDone(() => rmdirSync(folder));
  }

  /** The same record, each item where it is found: a process that was killed, or somebody by hand, may have moved it since. */
  asFound(record: QuarantineRecord): QuarantineRecord {
    const folder = this.folderOf(record.id);
    const items = record.items.map((item, index) =>
      itemAsFound(item, joinPath(folder, String(index)), record, index),
    );
    return { ...record, items };
  }
}

/** True while the process that has begun something with a record is at it. */
export function isAtWork(record: QuarantineRecord): boolean {
  return record.items.some(isBegun) && isRunning(record);
}

/** True for what a process has begun something with, and not ended. */
export function isBegun(item: QuarantineItem): boolean {
  return ["moving", "restoring"].includes(item.state) || (isHeld(item) && item.kind === "unread");
}

function itemAsFound(
  item: QuarantineItem,
  held: AbsolutePath,
  { id }: QuarantineRecord,
  index: number,
): QuarantineItem {
  if (!isAbsolutePath(item.path)) return item;
  if (item.state === "moving") {
    if (isThere(held)) return { ...item, state: "taken" };
    const aside = joinPath(parentOf(item.path), asideNameOf(item.path, id, index));
    return isThere(aside) ? { ...item, state: "aside", aside } : { ...item, state: "gone" };
  }
  if (item.state !== "restoring" && !isHeld(item)) return item;
  const at = item.aside ?? held;
  if (isAbsolutePath(at) && !isThere(at)) return { ...item, state: "gone" };
  return { ...item, state: item.aside === null ? "taken" : "aside" };
}

/** What can't be looked at counts as there. */
function isThere(path: AbsolutePath): boolean {
  try {
    lstatSync(systemPath(path));
    return true;
  } catch (cause) {
    return !["ENOENT", "ENOTDIR"].includes(codeOf(cause));
  }
}

/** False where the system says no. */
function isDone(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (cause) {
    const code = codeOf(cause instanceof Error && cause.cause !== undefined ? cause.cause : cause);
    if (code === "") throw cause;
    return false;
  }
}
