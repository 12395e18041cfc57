import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { CofferdamError, visible } from "../../errors.ts";
import { type AbsolutePath, joinPath } from "../../profile/path.ts";
import { codeOf } from "../system-error.ts";
import { isRunning, type ProcessId, printProcess, readProcess, thisProcess } from "./process-id.ts";
import { explainFull, inFolder, removeFile } from "./state-files.ts";
import { CallWork } from "./work.ts";

/** State of a call: waiting to begin; being built without a shelter, not to be disturbed; or safe. */
const LiveFilesState = z.enum(["waiting", "rising", "safe"]);
export type LiveFilesState = z.infer<typeof LiveFilesState>;

const Entry = z.strictObject({ state: LiveFilesState, work: CallWork });
type Entry = z.infer<typeof Entry>;

/** A call that is not over. */
export interface Live extends Entry {
  readonly name: string;
}

/** Milliseconds after which the launcher of a killed supervisor is done. */
const LEFT_ALONE_MS = 1_000;

/**
 * A file for each live call, `<order>-<pid>.<start>`, with its work; and an empty one, `<the same>-<pid>.<start>` of
 * the sandbox's first process, once its sandbox is ready. The first is only written under the user's lock, so that no
 * process reads half of it, and none is ever renamed, so that no list misses one.
 */
export class LiveFiles {
  readonly #folder: AbsolutePath;

  constructor(folder: AbsolutePath) {
    this.#folder = folder;
  }

  hasAny(): boolean {
    return this.#names().length > 0;
  }

  /** Every call that is not over; the others are removed. Throws `SANDBOX_UNAVAILABLE` if something can't be read. */
  list(): readonly Live[] {
    const names = this.#names();
    return names.flatMap((name): readonly Live[] => {
      const label = readLabel(name);
      if (label === null) return [];
      if (label.init !== null) {
        // Left by a process that was killed while it removed both.
        if (!names.includes(name.split("-", 2).join("-"))) removeFile(joinPath(this.#folder, name));
        return [];
      }
      const marker = names.find((one) => one.startsWith(`${name}-`));
      const entry = this.#read(name);
      if (entry === null) return [];
      const state = marker === undefined ? entry.state : "safe";
      if (!this.#isOver(name, marker, state)) return [{ name, state, work: entry.work }];
      this.#removeOver(name, names);
      return [];
    });
  }

  /** Writes a call, under a new name if it has none; returns the name. Nanoseconds since boot are its order. */
  write(name: string | null, entry: Entry): string {
    const named = name ?? `${process.hrtime.bigint()}-${printProcess(thisProcess())}`;
    inFolder(this.#folder, () =>
      writeFileSync(joinPath(this.#folder, named), JSON.stringify(entry), { mode: 0o600 }),
    );
    return named;
  }

  /** Writes that a call's sandbox is ready, and its first process; returns the name of that file. */
  addInit(name: string, init: ProcessId): string {
    const marker = `${name}-${printProcess(init)}`;
    try {
      // Without the folder the call is unknown to others: then this throws, and it does not go on.
      writeFileSync(joinPath(this.#folder, marker), "", { mode: 0o600 });
    } catch (cause) {
      throw explainFull(cause, this.#folder);
    }
    return marker;
  }

  stateOf(name: string, before: LiveFilesState): LiveFilesState | null {
    const names = this.#names().filter((one) => one === name || one.startsWith(`${name}-`));
    if (!names.includes(name)) return null;
    const marker = names.find((one) => one !== name);
    const state = marker === undefined ? before : "safe";
    return this.#isOver(name, marker, state) ? null : state;
  }

  isEarlier(name: string, other: string): boolean {
    return orderOf(name) < orderOf(other);
  }

  /** Removes a call, and its mark of a ready sandbox. The call goes first: the mark means nothing by itself. */
  remove(name: string, marker: string | null): void {
    removeFile(joinPath(this.#folder, name));
    if (marker !== null) removeFile(joinPath(this.#folder, marker));
  }

  #removeOver(name: string, names: readonly string[]): void {
    this.remove(name, null);
    for (const one of names) if (one.startsWith(`${name}-`)) removeFile(joinPath(this.#folder, one));
  }

  #isOver(name: string, marker: string | undefined, state: LiveFilesState): boolean {
    const owner = readLabel(name)?.owner ?? null;
    if (owner !== null && isRunning(owner)) return false;
    const init = marker === undefined ? null : (readLabel(marker)?.init ?? null);
    if (init !== null) return !isRunning(init);
    if (state !== "rising") return true;
    const stats = statSync(joinPath(this.#folder, name), { throwIfNoEntry: false });
    return stats === undefined || Math.abs(Date.now() - stats.mtimeMs) > LEFT_ALONE_MS;
  }

  #read(name: string): Entry | null {
    const file = joinPath(this.#folder, name);
    try {
      return Entry.parse(JSON.parse(readFileSync(file, "utf8")));
    } catch (cause) {
      if (codeOf(cause) === "ENOENT") return null;
      const owner = readLabel(name)?.owner ?? null;
      if (owner !== null && !isRunning(owner)) {
        this.remove(name, null);
        return null;
      }
      throw new CofferdamError(
        "SANDBOX_UNAVAILABLE",
        `the file of another live call can't be read: ${visible(file)}`,
        {
          hint: "end that call, or remove the file if no cofferdam runs",
          cause,
        },
      );
    }
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#folder);
    } catch (cause) {
      if (codeOf(cause) === "ENOENT") return [];
      throw new CofferdamError(
        "SANDBOX_UNAVAILABLE",
        `live calls can't be listed in ${visible(this.#folder)}`,
        { hint: "raise `ulimit -n`, or end programs with many open files", cause },
      );
    }
  }
}

function readLabel(name: string): { readonly owner: ProcessId; readonly init: ProcessId | null } | null {
  const [order = "", whose = "", first] = name.split("-");
  const [owner, init] = [readProcess(whose), first === undefined ? null : readProcess(first)];
  return !/^\d+$/.test(order) || owner === null ? null : { owner, init };
}

function orderOf(name: string): bigint {
  return BigInt(name.split("-", 1)[0] ?? "0");
}
