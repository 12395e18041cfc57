import { lstatSync, mkdirSync, readFileSync, rmdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { type AbsolutePath, isAbsolutePath, joinPath, parentOf } from "../../../profile/path.ts";
import { CLOCK_GRAIN_MS } from "../../look/clock-grain.ts";
import { namesIn } from "../../look/names-in.ts";
import { statsOf, systemPath } from "../../look/nodes.ts";
import { codeOf } from "../../system-error.ts";
import { flatMapInTurns, WorkTurn } from "../../turns.ts";
import { isRunning } from "../process-id.ts";
import { inFolder, isAbandoned, UNFINISHED, writeWhole } from "../state-files.ts";
import { asideNameOf } from "./move.ts";
import { isHeld, type QuarantineItem, QuarantineRecord } from "./record.ts";

const RECORD = "record.json";

/** File beside a record with a step that may not have ended, so that a start reads no other records. */
const BEGUN = "begun";

/** The records of a quarantine: a folder for each, with the taken items by their numbers in the record. */
export class QuarantineRecords {
  readonly folder: AbsolutePath;

  constructor(folder: AbsolutePath) {
    this.folder = folder;
  }

  folderOf(id: string): AbsolutePath {
    return joinPath(this.folder, id);
  }

  /** All records on the disk, the oldest first. Unreadable ones are left out. */
  all(): readonly QuarantineRecord[] {
    const records = namesIn(this.folder).flatMap((id) => this.read(id) ?? []);
    return records.toSorted((a, b) => a.takenAt - b.takenAt);
  }

  begun(): Promise<readonly QuarantineRecord[]> {
    return this.#readOf((id) => statsOf(joinPath(this.folderOf(id), BEGUN)) !== null);
  }

  /** Records that were not written since then, in milliseconds since 1970. */
  unwrittenSince(moment: number): Promise<readonly QuarantineRecord[]> {
    return this.#readOf((id) => (this.#fileOf(id)?.mtimeMs ?? moment) < moment);
  }

  /** Records that were written since then. There may be many large ones: the others are not read. */
  writtenSince(moment: number): Promise<readonly QuarantineRecord[]> {
    return this.#readOf((id) => (this.#fileOf(id)?.ctimeMs ?? 0) >= moment - CLOCK_GRAIN_MS);
  }

  #readOf(isWanted: (id: string) => boolean): Promise<readonly QuarantineRecord[]> {
    return flatMapInTurns(namesIn(this.folder), (id) => (isWanted(id) ? (this.read(id) ?? []) : []));
  }

  #fileOf(id: string) {
    return statsOf(joinPath(this.folderOf(id), RECORD));
  }

  read(id: string): QuarantineRecord | null {
    try {
      const text = readFileSync(joinPath(this.folderOf(id), RECORD), "utf8");
      const record = QuarantineRecord.parse(JSON.parse(text));
      return record.id === id ? record : null;
    } catch {
      return null;
    }
  }

  /** Marks a record as begun, and writes it; its folder is made if it is new. False: see `write`. */
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

  unmark({ id }: QuarantineRecord): void {
    isDone(() => rmSync(joinPath(this.folderOf(id), BEGUN), { force: true }));
  }

  /** Writes a record. False if the system refuses, as on a full disk: then the old one is unchanged. */
  write(record: QuarantineRecord): boolean {
    return isDone(() => writeWhole(joinPath(this.folderOf(record.id), RECORD), JSON.stringify(record)));
  }

  /** Delays the next look at a record whose items are held for long. */
  touch({ id }: QuarantineRecord, now: number): void {
    isDone(() => utimesSync(joinPath(this.folderOf(id), RECORD), new Date(now), new Date(now)));
  }

  /** Removes folders with nothing but the rest of a process that was killed before it had written its record. */
  async removeUnbegun(now: number): Promise<void> {
    const turn = new WorkTurn();
    for (const id of namesIn(this.folder)) {
      await turn.step();
      if (this.#fileOf(id) === null && isAbandoned(this.folderOf(id), now)) this.#removeEmpty(id);
    }
  }

  #removeEmpty(id: string): void {
    const folder = this.folderOf(id);
    const names = namesIn(folder);
    if (!names.every((name) => name === BEGUN || name === `${RECORD}${UNFINISHED}`)) return;
    for (const name of names) rmSync(joinPath(folder, name), { force: true });
    isDone(() => rmdirSync(folder));
  }

  /** The same record, each item at its found place: a killed process, or a person by hand, may have moved it since. */
  asFound(record: QuarantineRecord): QuarantineRecord {
    const folder = this.folderOf(record.id);
    const items = record.items.map((item, index) =>
      itemAsFound(item, joinPath(folder, String(index)), record, index),
    );
    return { ...record, items };
  }
}

/** True while the process that began a step with a record is at work. */
export function isAtWork(record: QuarantineRecord): boolean {
  return record.items.some(isBegun) && isRunning(record);
}

/** True for an item with a step that was begun and has not ended. */
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

/** An entry that can't be looked at counts as there. */
function isThere(path: AbsolutePath): boolean {
  try {
    lstatSync(systemPath(path));
    return true;
  } catch (cause) {
    return !["ENOENT", "ENOTDIR"].includes(codeOf(cause));
  }
}

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
