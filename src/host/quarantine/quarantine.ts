import { mkdirSync, readFileSync } from "node:fs";
import { type AbsolutePath, isAbsolutePath, joinPath, nameOf, parentOf } from "../../profile/path.ts";
import { lock } from "../lock.ts";
import { namesIn } from "../names-in.ts";
import { statsOf } from "../nodes.ts";
import { type OpenFolder, openFolder } from "../open-folder.ts";
import { isRunning, thisProcess } from "../process-id.ts";
import { inFolder, isFull, writeWhole } from "../state-files.ts";
import { codeOf } from "../system-error.ts";
import { contentAt, type HeldContent } from "./content.ts";
import { removeTree } from "./copy.ts";
import { asideNameOf, moveAway } from "./move.ts";
import { type ItemState, type QuarantineItem, QuarantineRecord } from "./record.ts";
import { restoreItem } from "./restore.ts";
import { type Entry, readTree, type TreeSummary } from "./tree.ts";

/** Something that hosts execute, where it was found, and which program does what it says when. */
export interface Planted {
  readonly path: AbsolutePath;
  readonly by: string;
  readonly when: string;
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

const RECORD = "record.json";
const HELD: ReadonlySet<ItemState> = new Set(["taken", "aside"]);

/**
 * Files that calls made and that hosts execute by themselves, taken out of their places: a folder of the state folder for each
 * call, with a record and what was taken. The record is written before anything is moved, and names all of it, so that at
 * whatever instant a supervisor is killed, each file is either in its place or known here.
 */
export class Quarantine {
  readonly #folder: AbsolutePath;
  readonly #lock: AbsolutePath;
  readonly #id: () => string;
  readonly #now: () => number;

  constructor(
    stateFolder: AbsolutePath,
    { id, now }: { readonly id: () => string; readonly now: () => number },
  ) {
    this.#folder = joinPath(stateFolder, "quarantine");
    this.#lock = joinPath(stateFolder, "quarantine-lock");
    this.#id = id;
    this.#now = now;
  }

  /**
   * Takes things out of their places, and tells of each what became of it. Where there is no room in the state folder they stay in
   * their folders, under other names, and no record is kept of that here.
   */
  async take(planted: readonly Planted[], from: TakenFrom): Promise<QuarantineRecord> {
    const id = this.#id();
    const begun: QuarantineRecord = {
      version: 1,
      id,
      ...thisProcess(),
      takenAt: this.#now(),
      ...from,
      items: planted.map((one) => ({ ...NOT_MOVED, ...one })),
    };
    const hasRoom = this.#write(begun);
    using folder = hasRoom ? openFolder(joinPath(this.#folder, id)) : null;
    const items: QuarantineItem[] = [];
    for (const [index, item] of begun.items.entries()) {
      const path = planted[index]?.path;
      if (path === undefined) continue;
      const to = folder === null ? null : this.#entryOf(folder, id, index);
      items.push({ ...item, ...(await moveAway(path, to, asideNameOf(path, id, index))) });
    }
    const record = await this.#measured({ ...begun, items }, folder);
    if (hasRoom) this.#write(record);
    return record;
  }

  /** Every record in which something is held, the oldest first. */
  list(): readonly QuarantineRecord[] {
    return this.#records().filter(({ items }) => items.some(({ state }) => HELD.has(state)));
  }

  /** One record, by its id; null where there is none. */
  find(id: string): QuarantineRecord | null {
    return this.#read(id);
  }

  /** What an item holds, as far as a person looks at it; null where it can't be shown. */
  contentOf({ id, items }: QuarantineRecord, index: number): HeldContent | null {
    const item = items[index];
    if (item === undefined || !HELD.has(item.state)) return null;
    const path = item.aside ?? joinPath(joinPath(this.#folder, id), String(index));
    return isAbsolutePath(path) ? contentAt(path) : null;
  }

  /** True where something was put back at this path before. */
  hasKept(path: AbsolutePath): boolean {
    return this.#records().some(({ items }) =>
      items.some((item) => item.state === "kept" && item.path === path),
    );
  }

  /** True where exactly this was put back at this path before. */
  isKept(path: AbsolutePath, digest: string): boolean {
    return this.#records().some(({ items }) =>
      items.some((item) => item.state === "kept" && item.path === path && item.digest === digest),
    );
  }

  /** Puts back what is held of a record, or those of these paths. */
  restore(id: string, paths: readonly string[] | null = null): Promise<readonly Settled[]> {
    return this.#settle(id, paths, "kept", (item, source, index) =>
      restoreItem(item, source, `.cofferdam-kept-${id.slice(0, 8)}-${index}`),
    );
  }

  /** Removes what is held of a record, or those of these paths, for good. */
  drop(id: string, paths: readonly string[] | null = null): Promise<readonly Settled[]> {
    return this.#settle(id, paths, "dropped", async () => null);
  }

  /** Finishes records of processes that were killed, and removes those of which nothing has been held for long. */
  async sweep(): Promise<void> {
    const isLeft = (record: QuarantineRecord): boolean => this.#isCut(record) || this.#isOver(record);
    if (!this.#records().some(isLeft)) return;
    using _lock = await lock(this.#lock);
    using all = openFolder(this.#folder);
    for (const record of this.#records().filter(isLeft)) {
      if (this.#isOver(record)) await removeTree({ folder: all, name: record.id, at: this.#folder });
      else {
        using folder = openFolder(joinPath(this.#folder, record.id));
        this.#write(await this.#measured(record, folder));
      }
    }
  }

  #isOver({ items, takenAt }: QuarantineRecord): boolean {
    return !items.some(({ state }) => HELD.has(state)) && this.#now() - takenAt > KEPT_MS;
  }

  /** The process that wrote it was killed before it had looked at what it took. */
  #isCut({ items, pid, startedAt }: QuarantineRecord): boolean {
    return (
      items.some(({ kind, state }) => kind === "unread" && HELD.has(state)) && !isRunning({ pid, startedAt })
    );
  }

  async #settle(
    id: string,
    paths: readonly string[] | null,
    state: "kept" | "dropped",
    work: (item: QuarantineItem, source: Entry, index: number) => Promise<string | null>,
  ): Promise<readonly Settled[]> {
    using _lock = await lock(this.#lock);
    const record = this.#read(id);
    if (record === null) return [];
    const settled: Settled[] = [];
    const items = [...record.items];
    for (const [index, item] of record.items.entries()) {
      if (!HELD.has(item.state) || (paths !== null && !paths.includes(item.path))) continue;
      const problem = await this.#withSource(id, item, index, async (source) => {
        const why = await work(item, source, index);
        if (why === null) await removeTree(source);
        return why;
      });
      settled.push({ path: item.path, problem });
      if (problem !== null) continue;
      items[index] = { ...item, state };
      // One after another: whoever is killed in between has said what was done until then.
      this.#write({ ...record, items });
    }
    return settled;
  }

  /** Opens where an item lies. Throws nothing that the file system says: that is the problem. */
  async #withSource(
    id: string,
    { state, aside }: QuarantineItem,
    index: number,
    work: (source: Entry) => Promise<string | null>,
  ): Promise<string | null> {
    try {
      if (state === "aside" && aside !== null && isAbsolutePath(aside)) {
        using folder = openFolder(parentOf(aside));
        return await work({ folder, name: nameOf(aside), at: parentOf(aside) });
      }
      using folder = openFolder(joinPath(this.#folder, id));
      return await work(this.#entryOf(folder, id, index));
    } catch (cause) {
      return codeOf(cause) || "it can't be reached";
    }
  }

  /** The same with what each item holds. */
  async #measured(record: QuarantineRecord, folder: OpenFolder | null): Promise<QuarantineRecord> {
    const items: QuarantineItem[] = [];
    for (const [index, item] of record.items.entries()) {
      const isRead = item.kind === "unread" && HELD.has(item.state);
      items.push(isRead ? { ...item, ...(await this.#summaryOf(item, folder, record.id, index)) } : item);
    }
    return { ...record, items };
  }

  async #summaryOf(
    { state, aside }: QuarantineItem,
    folder: OpenFolder | null,
    id: string,
    index: number,
  ): Promise<TreeSummary> {
    const unreadable: TreeSummary = { kind: "other", files: 0, bytes: 0, digest: null };
    try {
      if (state === "taken")
        return folder === null ? unreadable : await readTree(this.#entryOf(folder, id, index));
      if (aside === null || !isAbsolutePath(aside)) return unreadable;
      using beside = openFolder(parentOf(aside));
      return await readTree({ folder: beside, name: nameOf(aside), at: parentOf(aside) });
    } catch (cause) {
      if (codeOf(cause) === "") throw cause;
      return unreadable;
    }
  }

  #entryOf(folder: OpenFolder, id: string, index: number): Entry {
    return { folder, name: String(index), at: joinPath(this.#folder, id) };
  }

  /** False where there is no room for it. */
  #write(record: QuarantineRecord): boolean {
    const folder = joinPath(this.#folder, record.id);
    try {
      inFolder(this.#folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
      writeWhole(joinPath(folder, RECORD), JSON.stringify(record));
      return true;
    } catch (cause) {
      if (!isFull(cause) && !isFull(cause instanceof Error ? cause.cause : null)) throw cause;
      return false;
    }
  }

  #records(): readonly QuarantineRecord[] {
    return namesIn(this.#folder)
      .flatMap((id) => this.#read(id) ?? [])
      .sort((a, b) => a.takenAt - b.takenAt);
  }

  /** A record as it is on the disk by now; null for what is none. */
  #read(id: string): QuarantineRecord | null {
    const folder = joinPath(this.#folder, id);
    try {
      const record = QuarantineRecord.parse(JSON.parse(readFileSync(joinPath(folder, RECORD), "utf8")));
      if (record.id !== id) return null;
      return { ...record, items: record.items.map((item, index) => asFound(item, folder, index, id)) };
    } catch {
      return null;
    }
  }
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
} as const;

/** What was about to be moved when its process was killed is where it is found; in its place it is the next sweep's to take. */
function asFound(item: QuarantineItem, folder: AbsolutePath, index: number, id: string): QuarantineItem {
  if (item.state !== "moving" || !isAbsolutePath(item.path)) return item;
  if (statsOf(joinPath(folder, String(index))) !== null) return { ...item, state: "taken" };
  const aside = joinPath(parentOf(item.path), asideNameOf(item.path, id, index));
  return statsOf(aside) === null ? { ...item, state: "gone" } : { ...item, state: "aside", aside };
}
