import { existsSync, readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import type { Placeholder } from "../backend/placeholder.ts";
import { CofferdamError, visible } from "../errors.ts";
import { type AbsolutePath, isAbsolutePath, joinPath, nameOf, parentOf, upwards } from "../profile/path.ts";
import { untilBuilt } from "./building.ts";
import { lock, sweepUnfinished } from "./lock.ts";
import { nodeOf } from "./node-looker.ts";
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
 * The ledger of placeholders: empty folders and files that hold missing paths while calls run. Each live call has a file in the
 * ledger's folder that names its placeholders: it is there, whole, before the first is made, and until the last is
 * removed. So at whatever instant a supervisor is killed, the next one finds what it left and removes it. Of calls that
 * share a placeholder the last removes it. Only what is as it was made is ever removed. Every change is made under a lock.
 */
export class Ledger {
  readonly #folder: AbsolutePath;
  readonly #lock: AbsolutePath;

  constructor(stateFolder: AbsolutePath) {
    this.#folder = joinPath(stateFolder, "ledger");
    this.#lock = joinPath(stateFolder, "ledger-lock");
  }

  /** The placeholders of live calls, of this and other processes: they count as missing. */
  held(): ReadonlySet<AbsolutePath> {
    return this.#heldBeside(null);
  }

  /**
   * Makes the placeholders for one call. Throws `FACTS_UNSTABLE` when something else stands at one of the paths by now, and
   * when one lies in another call's, which was taken for the host's own then: that call could not remove it any more.
   * `NOT_ENFORCEABLE` where one can't be made by this user, `SANDBOX_UNAVAILABLE` on a full disk.
   */
  async hold(callId: string, placeholders: readonly Placeholder[]): Promise<AsyncDisposable> {
    if (placeholders.length === 0) return { [Symbol.asyncDispose]: async () => undefined };
    const file = joinPath(this.#folder, `${callId}.json`);
    using _lock = await lock(this.#lock);
    const held = this.held();
    const within = placeholders.find(({ path }) => [...upwards(parentOf(path))].some((at) => held.has(at)));
    if (within !== undefined)
      throw unstable(`${visible(shortened(within.path))} lies in what another call holds`);
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

  /** Makes all of them, or none. */
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
          throw unstable(`${visible(shortened(one.path))} appeared, or the folder that it lies in went away`);
      }
    } catch (cause) {
      this.#release(file, { ...entry, placeholders: made }, folders);
      throw cause;
    }
  }

  /** Removes what calls of ended processes left behind, once nothing builds walls on it any more. */
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
   * The entry goes last: killed before that, what is left of its placeholders is still known. It stays where one can't be
   * removed from a folder that was shut meanwhile; whoever starts next tries again.
   */
  #release(file: AbsolutePath, entry: Entry, folders: FoldersAtHand): void {
    const held = this.#heldBeside(file);
    // Of many folders those that were opened last are at hand.
    const left = heldBy(entry)
      .toReversed()
      .filter((one) => !removePlaceholder(one, holderOf(file), held.has(one.path), folders));
    if (left.length === 0) removeFile(file);
  }

  /** What entries other than this one hold. */
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

/** The id of the call that an entry is of. */
function holderOf(file: AbsolutePath): string {
  return nameOf(file).replace(/\.json$/, "");
}

function heldBy({ placeholders }: Entry): readonly Placeholder[] {
  return placeholders.flatMap(({ path, text }) => (isAbsolutePath(path) ? [{ path, text }] : []));
}

/** Null for what is no entry: nobody knows what it held, so it is left as it is. */
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
