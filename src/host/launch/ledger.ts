import { existsSync, readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import type { Placeholder } from "../../backend/placeholder.ts";
import { CofferdamError, visible } from "../../errors.ts";
import {
  type AbsolutePath,
  isAbsolutePath,
  joinPath,
  nameOf,
  parentOf,
  upwards,
} from "../../profile/path.ts";
import { nodeOf } from "../look/node-looker.ts";
import { untilBuilt } from "./building.ts";
import { lock, sweepUnfinished } from "./lock.ts";
import {
  FoldersAtHand,
  makePlaceholder,
  removePlaceholder,
  shortened,
  throwShortage,
} from "./placeholders.ts";
import { isRunning, thisProcess } from "./process-id.ts";
import { inFolder, removeFile, UNFINISHED, writeWhole } from "./state-files.ts";

const Entry = z.strictObject({
  pid: z.int().positive(),
  startedAt: z.string().nullable(),
  placeholders: z.array(z.strictObject({ path: z.string(), text: z.string().nullable() })),
});
type Entry = z.infer<typeof Entry>;

/**
 * The ledger of placeholders: empty folders and files that hold missing paths while calls run. Each live call has a
 * file in the ledger's folder with its placeholders: it is there, whole, before the first is made, and until the last
 * is removed. So after a kill the next supervisor finds and removes them. The last of the calls that share a
 * placeholder removes it. Only unchanged ones are ever removed. Every change is made under a lock.
 */
export class Ledger {
  readonly #folder: AbsolutePath;
  readonly #lock: AbsolutePath;

  constructor(stateFolder: AbsolutePath) {
    this.#folder = joinPath(stateFolder, "ledger");
    this.#lock = joinPath(stateFolder, "ledger-lock");
  }

  held(): ReadonlySet<AbsolutePath> {
    return this.#heldBeside(null);
  }

  /**
   * Makes the placeholders for one call. Throws `FACTS_UNSTABLE` if something else is at one of the paths by now, and
   * if one lies in another call's, which was taken for the host's own: that call could not remove it. `NOT_ENFORCEABLE`
   * if this user can't make one, `SANDBOX_UNAVAILABLE` on a full disk.
   */
  async hold(callId: string, placeholders: readonly Placeholder[]): Promise<AsyncDisposable> {
    if (placeholders.length === 0) return { [Symbol.asyncDispose]: async () => undefined };
    const file = joinPath(this.#folder, `${callId}.json`);
    using _lock = await lock(this.#lock);
    const held = this.held();
    const within = placeholders.find(({ path }) => [...upwards(parentOf(path))].some((at) => held.has(at)));
    if (within !== undefined)
      throw unstable(`${visible(shortened(within.path))} is in a path that another call uses`);
    const entry: Entry = { ...thisProcess(), placeholders: [...placeholders] };
    inFolder(this.#folder, () => writeWhole(file, JSON.stringify(entry)));
    const folders = new FoldersAtHand();
    try {
      this.#make(file, entry, held, callId, folders);
    } catch (cause) {
      folders[Symbol.dispose]();
      throw cause;
    }
    return {
      [Symbol.asyncDispose]: async () => {
        using _folders = folders;
        using _lock = await lock(this.#lock);
        this.#release(file, entry, folders);
      },
    };
  }

  #make(
    file: AbsolutePath,
    entry: Entry,
    held: ReadonlySet<AbsolutePath>,
    callId: string,
    folders: FoldersAtHand,
  ): void {
    const made: Placeholder[] = [];
    try {
      for (const one of heldBy(entry)) {
        if (makePlaceholder(one, callId, folders)) made.push(one);
        else if (!held.has(one.path))
          throw unstable(`${visible(shortened(one.path))} appeared, or its folder disappeared`);
      }
    } catch (cause) {
      this.#release(file, { ...entry, placeholders: made }, folders);
      throw cause;
    }
  }

  /** Removes the placeholders of ended processes, once no sandbox is built on them. */
  async sweep(): Promise<void> {
    sweepUnfinished(this.#lock);
    if (nodeOf(this.#folder).kind !== "folder") return;
    const left = this.#entries(null).filter(({ entry }) => !isRunning(entry));
    if (left.length > 0) await untilBuilt();
    using _lock = await lock(this.#lock);
    using folders = new FoldersAtHand();
    for (const { file, entry } of left) if (existsSync(file)) this.#release(file, entry, folders);
    // Entries are written under the lock: a half-written one is that of a process that was killed.
    for (const name of namesIn(this.#folder))
      if (name.endsWith(UNFINISHED)) removeFile(joinPath(this.#folder, name));
  }

  /**
   * The entry goes last: after a kill before that, its placeholders are still known. It stays if one can't be removed
   * from a folder that was closed meanwhile; the next process to start tries again.
   */
  #release(file: AbsolutePath, entry: Entry, folders: FoldersAtHand): void {
    const held = this.#heldBeside(file);
    // Among many folders, those opened last are at hand.
    const left = heldBy(entry)
      .toReversed()
      .filter((one) => !removePlaceholder(one, holderOf(file), held.has(one.path), folders));
    if (left.length === 0) removeFile(file);
  }

  #heldBeside(own: AbsolutePath | null): ReadonlySet<AbsolutePath> {
    return new Set(this.#entries(own).flatMap(({ entry }) => heldBy(entry).map(({ path }) => path)));
  }

  #entries(except: AbsolutePath | null): readonly { readonly file: AbsolutePath; readonly entry: Entry }[] {
    return namesIn(this.#folder).flatMap((name) => {
      const file = joinPath(this.#folder, name);
      const entry = name.endsWith(".json") && file !== except ? readEntry(file) : null;
      return entry === null ? [] : [{ file, entry }];
    });
  }
}

function unstable(what: string): CofferdamError {
  return new CofferdamError("FACTS_UNSTABLE", `${what} while the call was prepared`, {
    hint: "run the call again",
  });
}

function holderOf(file: AbsolutePath): string {
  return nameOf(file).replace(/\.json$/, "");
}

function heldBy({ placeholders }: Entry): readonly Placeholder[] {
  return placeholders.flatMap(({ path, text }) => (isAbsolutePath(path) ? [{ path, text }] : []));
}

/** Null for an invalid entry: its placeholders are unknown, so it is left as it is. */
function readEntry(file: AbsolutePath): Entry | null {
  try {
    return Entry.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (cause) {
    throwShortage(cause);
    return null;
  }
}

function namesIn(folder: AbsolutePath): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throwShortage(cause);
    return [];
  }
}
