import { type AbsolutePath, isAbsolutePath, joinPath } from "../../profile/path.ts";
import { lock } from "../lock.ts";
import { openFolder } from "../open-folder.ts";
import { isRunning, thisProcess } from "../process-id.ts";
import { codeOf } from "../system-error.ts";
import { WorkTurn } from "../turns.ts";
import { contentOf, type HeldContent } from "./content.ts";
import { measured, type Numbered, removeHeld, withEntryOf } from "./held-entry.ts";
import { asideNameOf, moveAway } from "./move.ts";
import { isHeld, type QuarantineItem, type QuarantineRecord } from "./record.ts";
import { isAtWork, QuarantineRecords } from "./records.ts";
import { isCut, isUnended, recovered } from "./recover.ts";
import { removeTree } from "./remove.ts";
import { restoreItem, temporaryNameOf } from "./restore.ts";
import { ReadBudget } from "./tree.ts";

/** Something that hosts execute, where it was found, and which program does what it says when. */
export interface Planted {
  readonly path: AbsolutePath;
  readonly by: string;
  readonly when: string;
}

/** Something that a person agreed to before it is made: what is to be at a path. */
export interface ToBeMade extends Planted, Pick<QuarantineItem, "kind" | "files" | "bytes"> {
  readonly digest: string;
}

/** Whose call made it. */
export type TakenFrom = Pick<QuarantineRecord, "sessionId" | "callId" | "tool" | "workspace">;

/** What became of one item that was to be put back or removed; `problem` null: it was done. */
export interface Settled {
  readonly path: string;
  readonly problem: string | null;
}

/** Records of which nothing is held any more are kept for so long, in milliseconds: calls that still run are told by them. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Files that calls made and that hosts execute by themselves, taken out of their places: a folder of the state folder for each
 * call, with a record and what was taken. Whatever is to be done is written down before it is begun, so that at whatever instant a
 * process is killed, each file is in its place or known here, and the next sweep ends what was begun.
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

  /** Takes any number of things out of their places; a record for each so many of them, once these are taken. */
  async *takeAll(planted: readonly Planted[], from: TakenFrom): AsyncGenerator<QuarantineRecord> {
    const budget = new ReadBudget();
    for (const part of partsOf(planted)) yield await this.take(part, from, budget);
  }

  /**
   * Takes things out of their places, and tells of each what became of it. Where nothing can be written in the state folder they
   * stay in their folders, under other names, and no record is kept of that here.
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
   * Lets a call make what a person agreed to before, and no other call's end is to take: it counts as put back until this is disposed
   * of, and at that moment.
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

  /** Every record in which something is held, the oldest first. */
  list(): readonly QuarantineRecord[] {
    return this.#records
      .all()
      .map((record) => this.#records.asFound(record))
      .filter(({ items }) => items.some(isHeld));
  }

  /** One record, by its id; null where there is none. */
  find(id: string): QuarantineRecord | null {
    const record = this.#records.read(id);
    return record === null ? null : this.#records.asFound(record);
  }

  /** What an item holds, as far as a person looks at it; null where it can't be shown, or is not what it was when it was taken. */
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

  /**
   * What people agreed to since a moment, in milliseconds since 1970: which paths, each with the digests of what was put back, or
   * written, there.
   */
  async keptSince(moment: number): Promise<ReadonlyMap<string, ReadonlySet<string | null>>> {
    const kept = new Map<string, Set<string | null>>();
    // It may be in its place already while it is being put there.
    for (const { items } of await this.#records.writtenSince(moment))
      for (const { path, digest, state, keptAt } of items)
        if (state === "restoring" || (keptAt !== null && keptAt >= moment))
          kept.set(path, (kept.get(path) ?? new Set()).add(digest));
    return kept;
  }

  /** Puts back what is held of a record, or those of these paths. Throws `SANDBOX_UNAVAILABLE`: see `lock`. */
  restore(id: string, paths: readonly string[] | null = null): Promise<readonly Settled[]> {
    return this.#settle(id, paths, {
      begun: (item) => (item.digest === null ? item : { ...item, state: "restoring" }),
      act: (numbered) => this.#putBack(numbered),
      done: (item) => ({ ...item, state: "kept", keptAt: this.#now() }),
    });
  }

  /** Removes what is held of a record, or those of these paths, for good. Throws the same. */
  drop(id: string, paths: readonly string[] | null = null): Promise<readonly Settled[]> {
    return this.#settle(id, paths, {
      begun: (item) => ({ ...item, state: "dropped" }),
      act: (numbered) => removeHeld(this.#records, numbered),
      done: (item) => ({ ...item, state: "dropped" }),
    });
  }

  /** Ends what killed processes began, and removes records of which nothing has been held for long. Throws the same. */
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

  /** Writes what came of what was begun. */
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

  /** What can't be removed here then goes with a later sweep. */
  async #putBack(numbered: Numbered): Promise<string | null> {
    const { id, index, item } = numbered;
    const { path } = item;
    if (!isAbsolutePath(path)) return "its path is none";
    try {
      const problem = await withEntryOf(this.#records, numbered, (source) =>
        restoreItem(item, source, path, temporaryNameOf(id, index)),
      );
      if (problem === null) await removeHeld(this.#records, numbered);
      return problem;
    } catch (cause) {
      return codeOf(cause) || "it can't be reached";
    }
  }

  /** All is written down as it is begun, and as it has ended. */
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
      return wanted.map(({ item: { path } }) => ({ path, problem: `process ${read.pid} is still at it` }));
    const items = [...record.items];
    for (const { index, item } of wanted) items[index] = how.begun(item);
    this.#records.begin({ ...record, ...thisProcess(), items });
    const settled: Settled[] = [];
    const turn = new WorkTurn();
    // A folder before what was taken out of it.
    for (const numbered of wanted.toSorted((a, b) => a.item.path.length - b.item.path.length)) {
      await turn.step();
      const { index, item } = numbered;
      const problem = await how.act(numbered);
      items[index] = problem === null ? how.done(item) : item;
      settled.push({ path: item.path, problem });
    }
    // On a full disk, what was removed since may have made room.
    this.#end({ ...record, ...thisProcess(), items });
    return settled;
  }
}

/** What is done with items: what each is while it is done and once that was done; why it could not be, or null. */
interface Settling {
  readonly begun: (item: QuarantineItem) => QuarantineItem;
  readonly act: (numbered: Numbered) => Promise<string | null>;
  readonly done: (item: QuarantineItem) => QuarantineItem;
}

/** The most things that one record holds, and the most characters of their paths: a record is read and written at once. */
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

/** Before anything is moved. */
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
