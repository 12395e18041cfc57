import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { procText } from "../look/proc-files.ts";
import { orNull } from "../or-null.ts";
import { codeOf } from "../system-error.ts";

/** The system's report on one process. */
export interface ProcessStatus {
  readonly pid: number;
  readonly parent: number;
  /** Its state, as one letter: `R` and `S` run, `T` is stopped, `Z` has ended and waits for its parent, and so on. */
  readonly state: string;
  /** The time of its start, in digits that stay the same for as long as it is there. */
  readonly startedAt: string;
}

/** The process table of a system. */
export interface ProcessTable {
  /** Null if no process has this pid. Throws the system's error if that is unknown. */
  status(pid: number): ProcessStatus | null;
  /** A quick look: false only if no process has this pid. */
  hasPid(pid: number): boolean;
  /** The first child of a process; null if it has none. Throws the system's error if that is unknown. */
  firstChild(parent: number): ProcessStatus | null;
  /** Every process below one, as far as known. Never throws. */
  below(pid: number): readonly ProcessStatus[];
  watch(process: { readonly pid: number; readonly startedAt: string | null }): Watched;
  /** Resolves when another look is worthwhile. */
  pause(): Promise<unknown>;
}

/** One watched process. */
export interface Watched extends Disposable {
  /** False if it has ended, whether or not its parent has noticed. */
  isRunning(): boolean;
}

/** Linux: `/proc` (proc(5)). A start is in clock ticks since boot. */
export const procTable: ProcessTable = {
  status,
  hasPid: (pid) => existsSync(`/proc/${pid}`),
  firstChild: (parent) => {
    const [first = ""] = procText(`/proc/${parent}/task/${parent}/children`).trim().split(" ");
    const child = first === "" ? null : status(Number(first));
    return child?.parent === parent ? child : null;
  },
  below,
  watch: ({ pid }) => new ProcWatch(pid),
  pause: () => nextTurn(),
};

/** Fields after the name with the parent and the start (proc(5), `stat`). */
const PARENT = 1;
const STARTED = 19;

function status(pid: number): ProcessStatus | null {
  try {
    const stat = procText(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, parent, startedAt] = [fields[0], fields[PARENT], fields[STARTED]];
    if (state === undefined || parent === undefined || startedAt === undefined) return null;
    return { pid, parent: Number(parent), state, startedAt };
  } catch (cause) {
    if (isGone(cause)) return null;
    throw cause;
  }
}

function below(pid: number): readonly ProcessStatus[] {
  return childrenOf(pid).flatMap((child) => {
    const found = orNull(() => status(child));
    return found === null ? [] : [found, ...below(child)];
  });
}

/** Children of all threads: each thread has its own (proc(5)). */
function childrenOf(pid: number): readonly number[] {
  try {
    const tasks = `/proc/${pid}/task`;
    const lists = readdirSync(tasks).map((task) => procText(`${tasks}/${task}/children`));
    return lists.flatMap((list) => list.split(" ").filter((one) => one !== "")).map(Number);
  } catch {
    return [];
  }
}

/** A file that was opened once reports on that very process; an ended one has no words (proc(5), `cmdline`). */
class ProcWatch implements Watched {
  readonly #fd: number;

  constructor(pid: number) {
    this.#fd = openSync(`/proc/${pid}/cmdline`, "r");
  }

  isRunning(): boolean {
    try {
      return readSync(this.#fd, FIRST_BYTE, 0, 1, 0) > 0;
    } catch (cause) {
      return !isGone(cause);
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

const FIRST_BYTE = Buffer.alloc(1);

/** True if it was gone before it was opened, or between opening and reading (proc(5): ESRCH). */
function isGone(cause: unknown): boolean {
  const code = codeOf(cause);
  return code === "ENOENT" || code === "ESRCH";
}
