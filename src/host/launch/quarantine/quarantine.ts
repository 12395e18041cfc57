import { type AbsolutePath, isAbsolutePath, joinPath } from "../../../profile/path.ts";
import { openFolder } from "../../look/open-folder.ts";
import { codeOf } from "../../system-error.ts";
import { WorkTurn } from "../../turns.ts";
import { lock } from "../lock.ts";
import { isRunning, thisProcess } from "../process-id.ts";
import { contentOf, type HeldContent } from "./content.ts";
import { measured, type Numbered, removeItem, withEntryOf } from "./item-entry.ts";
import { asideNameOf, moveAway } from "./move.ts";
import { isHeld, type QuarantineItem, type QuarantineRecord } from "./record.ts";
import { isAtWork, QuarantineRecords } from "./records.ts";
import { isCut, isUnended, recovered } from "./recover.ts";
import { removeTree } from "./remove.ts";
import { restoreItem, temporaryNameOf } from "./restore.ts";
import { ReadBudget } from "./tree.ts";

/** A file or folder that hosts execute, its path, and the program that obeys it, and when. */
export interface Planted {
  readonly path: AbsolutePath;
  readonly by: string;
  readonly when: string;
}

/** A file or folder that a person approved before it is made, with its future path. */
export interface ToBeMade extends Planted, Pick<QuarantineItem, "kind" | "files" | "bytes"> {
  readonly digest: string;
}

/** The call that made it. */
export type TakenFrom = Pick<QuarantineRecord, "sessionId" | "callId" | "tool" | "workspace">;

/** The result for one item that was to be put back or removed; `problem` null: it was done. */
export interface Settled {
  readonly path: string;
  readonly problem: string | null;
}

/** Milliseconds for which records without held items are kept: running calls still read them. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Files that calls made and that hosts execute by themselves, taken out of their places: a folder of the state folder
 * for each call, with a record and the taken files. Every step is written down before it is begun. So whenever a
 * process is killed, each file is in its place or known here, and the next sweep ends the step.
 */
export class Quarantine {
  readonly #records: QuarantineRecords;
  readonly #lock: AbsolutePath;
  readonly #id: () => string;
  readonly #now: () => number;

  constructor(
    stateFolder: AbsolutePath,
    { id, now }: { readonly id: () => string; readonly now: () => number },
  ) {
    this.#records = new QuarantineRecords(joinPath(stateFolder, "quarantine"));
    this.#lock = joinPath(stateFolder, "quarantine-lock");
    this.#id = id;
    this.#now = now;
  }

  /** Takes any number of things out of their places; yields a record for each part of them, once these are taken. */
  async *takeAll(planted: readonly Planted[], from: TakenFrom): AsyncGenerator<QuarantineRecord> {
    const budget = new ReadBudget();
    for (const part of partsOf(planted)) yield await this.take(part, from, budget);
  }

  /**
   * Takes things out of their places, and reports the result for each. If the state folder is not writable
   * they stay in their folders, under other names, and no record is kept of that here.
   */
  async take(
    planted: readonly Planted[],
    from: TakenFrom,
    budget = new ReadBudget(),
  ): Promise<QuarantineRecord> {
    const turn = new WorkTurn();
    const begun = this.#newRecord(
      from,
      planted.map((one) => ({ ...NOT_MOVED, ...one })),
    );
    const { id } = begun;
    const at = this.#records.folderOf(id);
    using folder = this.#records.begin(begun) ? openFolder(at) : null;
    const items: QuarantineItem[] = [];
    for (const [index, { path, ...by }] of planted.entries()) {
      await turn.step();
      const to = folder === null ? null : { folder, name: String(index), at };
      const moved = await moveAway(path, to, asideNameOf(path, id, index), budget);
      items.push({ ...NOT_MOVED, path, ...by, ...moved });
    }
    const record = await measured(this.#records, { ...begun, items }, budget);
    if (folder !== null) this.#end(record);
    return record;
  }

  /**
   * Lets a call make files that a person approved before; the end of another call must not take them. Each counts as
   * put back until this is disposed of, and at that moment.
   */
  allowMaking(agreed: readonly ToBeMade[], from: TakenFrom): Disposable {
    const items = agreed.map((one): QuarantineItem => ({ ...NOT_MOVED, ...one, state: "restoring" }));
    const record = this.#newRecord(from, items);
    const isWritten = this.#records.begin(record);
    return {
      [Symbol.dispose]: () => {
        const keptAt = this.#now();
        const made = items.map((item): QuarantineItem => ({ ...item, state: "kept", keptAt }));
        if (isWritten) this.#end({ ...record, items: made });
      },
    };
  }

  #newRecord(from: TakenFrom, items: readonly QuarantineItem[]): QuarantineRecord {
    const [id, takenAt] = [this.#id(), this.#now()];
    return { version: 1, id, ...thisProcess(), takenAt, ...from, items: [...items] };
  }

  /** Every record with held items, the oldest first. */
  list(): readonly QuarantineRecord[] {
    return this.#records
      .all()
      .map((record) => this.#records.asFound(record))
      .filter(({ items }) => items.some(isHeld));
  }

  find(id: string): QuarantineRecord | null {
    const record = this.#records.read(id);
    return record === null ? null : this.#records.asFound(record);
  }

  /** The content of an item, if people can look at it; null if it can't be shown, or has changed since it was taken. */
  async contentOf({ id, items }: QuarantineRecord, index: number): Promise<HeldContent | null> {
    const item = items[index];
    if (item === undefined || !isHeld(item)) return null;
    try {
      return await withEntryOf(this.#records, { id, index, item }, (entry) => contentOf(entry, item.digest));
    } catch (cause) {
      if (codeOf(cause) === "") throw cause;
      return null;
    }
  }

  /** Paths approved since a moment (ms since 1970), with the digests of content put back or written there. */
  async keptSince(moment: number): Promise<ReadonlyMap<string, ReadonlySet<string | null>>> {
    const kept = new Map<string, Set<string | null>>();
    // An item may be in its place already while it is being put there.
    for (const { items } of await this.#records.writtenSince(moment))
      for (const { path, digest, state, keptAt } of items)
        if (state === "restoring" || (keptAt !== null && keptAt >= moment))
          kept.set(path, (kept.get(path) ?? new Set()).add(digest));
    return kept;
  }

  /** Puts back the held items of a record, or those of these paths. Throws `SANDBOX_UNAVAILABLE`: see `lock`. */
  restore(id: string, paths: readonly string[] | null = null): Promise<readonly Settled[]> {
    return this.#settle(id, paths, {
      begun: (item) => (item.digest === null ? item : { ...item, state: "restoring" }),
      act: (numbered) => this.#putBack(numbered),
      done: (item) => ({ ...item, state: "kept", keptAt: this.#now() }),
    });
  }

  /** Removes the held items of a record, or those of these paths, for good. Throws the same. */
  drop(id: string, paths: readonly string[] | null = null): Promise<readonly Settled[]> {
    return this.#settle(id, paths, {
      begun: (item) => ({ ...item, state: "dropped" }),
      act: (numbered) => removeItem(this.#records, numbered),
      done: (item) => ({ ...item, state: "dropped" }),
    });
  }

  /** Ends the steps of killed processes, and removes records without held items after a long time. Throws the same. */
  async sweep(): Promise<void> {
    await this.#records.removeUnbegun(this.#now());
    const isLeft = (record: QuarantineRecord): boolean => !isRunning(record);
    const old = await this.#records.unwrittenSince(this.#now() - KEPT_MS);
    if (old.length === 0 && !(await this.#records.begun()).some(isLeft)) return;
    using _lock = await lock(this.#lock);
    const left = (await this.#records.begun()).filter(isLeft);
    for (const record of left) this.#end(await this.#recovered(record));
    const turn = new WorkTurn();
    for (const record of await this.#records.unwrittenSince(this.#now() - KEPT_MS)) {
      await turn.step();
      const { items } = this.#records.asFound(record);
      if (items.some(isHeld)) this.#records.touch(record, this.#now());
      else await this.#forget(record);
    }
  }

  #end(record: QuarantineRecord): void {
    if (this.#records.write(record) && !isUnended(this.#records, record)) this.#records.unmark(record);
  }

  async #forget({ id }: QuarantineRecord): Promise<void> {
    const { folder: at } = this.#records;
    using folder = openFolder(at);
    await removeTree({ folder, name: id, at });
  }

  #recovered(record: QuarantineRecord): Promise<QuarantineRecord> {
    return recovered(this.#records, record, this.#now());
  }

  /** Items that can't be removed here are left to a later sweep. */
  async #putBack(numbered: Numbered): Promise<string | null> {
    const { id, index, item } = numbered;
    const { path } = item;
    if (!isAbsolutePath(path)) return "its path is invalid";
    try {
      const problem = await withEntryOf(this.#records, numbered, (source) =>
        restoreItem(item, source, path, temporaryNameOf(id, index)),
      );
      if (problem === null) await removeItem(this.#records, numbered);
      return problem;
    } catch (cause) {
      return codeOf(cause) || "it can't be reached";
    }
  }

  /** Each step is written down when it begins, and when it has ended. */
  async #settle(id: string, paths: readonly string[] | null, how: Settling): Promise<readonly Settled[]> {
    using _lock = await lock(this.#lock);
    const read = this.#records.read(id);
    if (read === null) return [];
    const record = isCut(this.#records, read) ? await this.#recovered(read) : this.#records.asFound(read);
    const isWanted = paths === null ? () => true : isOneOf(paths);
    const wanted = record.items.flatMap((item, index): readonly Numbered[] =>
      isHeld(item) && isWanted(item) ? [{ id, index, item }] : [],
    );
    if (isAtWork(read))
      return wanted.map(({ item: { path } }) => ({ path, problem: `process ${read.pid} is still busy` }));
    const items = [...record.items];
    for (const { index, item } of wanted) items[index] = how.begun(item);
    this.#records.begin({ ...record, ...thisProcess(), items });
    const settled: Settled[] = [];
    const turn = new WorkTurn();
    // A folder before the items taken out of it.
    for (const numbered of wanted.toSorted((a, b) => a.item.path.length - b.item.path.length)) {
      await turn.step();
      const { index, item } = numbered;
      const problem = await how.act(numbered);
      items[index] = problem === null ? how.done(item) : item;
      settled.push({ path: item.path, problem });
    }
    // On a full disk, items removed since may have made room.
    this.#end({ ...record, ...thisProcess(), items });
    return settled;
  }
}

/** A treatment of items: the state during it, the action (null, or the reason of a failure), and the state after it. */
interface Settling {
  readonly begun: (item: QuarantineItem) => QuarantineItem;
  readonly act: (numbered: Numbered) => Promise<string | null>;
  readonly done: (item: QuarantineItem) => QuarantineItem;
}

/** Maximum of items of one record, and of characters of their paths: a record is read and written at once. */
const MAX_ITEMS = 1_000;
const MAX_CHARACTERS = 256 * 1024;

function* partsOf(planted: readonly Planted[]): Generator<readonly Planted[]> {
  let part: Planted[] = [];
  let characters = 0;
  for (const one of planted) {
    characters += one.path.length;
    if (part.length === MAX_ITEMS || (part.length > 0 && characters > MAX_CHARACTERS)) {
      yield part;
      [part, characters] = [[], one.path.length];
    }
    part.push(one);
  }
  if (part.length > 0) yield part;
}

function isOneOf(paths: readonly string[]): (item: QuarantineItem) => boolean {
  const wanted = new Set(paths);
  return ({ path }) => wanted.has(path);
}

const NOT_MOVED = {
  kind: "unread",
  files: 0,
  bytes: 0,
  digest: null,
  state: "moving",
  aside: null,
  problem: null,
  keptAt: null,
} as const;
