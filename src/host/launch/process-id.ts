import { orNull } from "../or-null.ts";
import { type ProcessStatus, type ProcessTable, procTable, type Watched } from "./process-table.ts";
import { psTable } from "./ps-table.ts";

/** The identity of a process: its pid, and the time of its start. No two processes since boot have the same. */
export interface ProcessId {
  readonly pid: number;
  /** Digits, from the system's table of processes; null if it has none. */
  readonly startedAt: string | null;
}

const SYSTEM: ProcessTable = process.platform === "darwin" ? psTable() : procTable;

/** A process in a file's name: `<pid>.<start>`. */
export function printProcess({ pid, startedAt }: ProcessId): string {
  return `${pid}.${startedAt ?? "0"}`;
}

/** The process in a name, or null for any other name. */
export function readProcess(name: string): ProcessId | null {
  const [, pid, startedAt] = /^(\d+)\.(\d+)$/.exec(name) ?? [];
  return pid === undefined || startedAt === undefined ? null : { pid: Number(pid), startedAt };
}

/** This process. Throws node's error if it can't be looked at: with half an identity it would count as ended. */
export function thisProcess(): ProcessId {
  const known = own.get(process.pid) ?? lookAtOwn();
  own.set(known.pid, known);
  return known;
}

const own = new Map<number, ProcessId>();

function lookAtOwn(): ProcessId {
  const { pid } = process;
  return { pid, startedAt: SYSTEM.status(pid)?.startedAt ?? null };
}

/** The process that has this pid now; null if there is none, or it is unknown. */
export function processAt(pid: number, table: ProcessTable = SYSTEM): ProcessId | null {
  return idOf(seen(pid, table));
}

/**
 * The first child of a process; null if that has none, or has ended. The child reports its parent, and the parent is
 * still there afterwards: so until then no other process can have had its pid.
 */
export function childOf(parent: ProcessId, table: ProcessTable = SYSTEM): ProcessId | null {
  const child = childOfOwn(parent.pid, table);
  return child !== null && isThere(parent, table) ? child : null;
}

/** The same for a child of this process with an unreported end: until then no other process can have its pid. */
export function childOfOwn(parent: number, table: ProcessTable = SYSTEM): ProcessId | null {
  return orNull(() => idOf(table.firstChild(parent)));
}

/** Every process below one, with its state, as far as known. */
export function processesBelow(pid: number, table: ProcessTable = SYSTEM): readonly ProcessStatus[] {
  return table.below(pid);
}

/** True if a child of this process runs, or would run: it was not stopped. Its end must be unreported, as above. */
export function isOwnReady(pid: number, table: ProcessTable = SYSTEM): boolean {
  const { state } = seen(pid, table) ?? { state: "Z" };
  return !["Z", "X", "T", "t"].includes(state);
}

/** True if the pid is certainly still that process's: it runs, or waits for its parent. */
function isThere({ pid, startedAt }: ProcessId, table: ProcessTable): boolean {
  return startedAt !== null && seen(pid, table)?.startedAt === startedAt;
}

/**
 * Sends a signal to the given process, and to none that has its pid by now: the start is compared right before. Node
 * has no call for pidfd_send_signal(2); between the two calls a pid would have to come all the way round. Never throws.
 */
export function signal(meant: ProcessId, name: NodeJS.Signals, table: ProcessTable = SYSTEM): void {
  if (!isThere(meant, table)) return;
  try {
    process.kill(meant.pid, name);
  } catch {
    // Gone meanwhile, or not ours to signal: a caller that asks it to end goes on to kill it.
  }
}

/** False if the process has ended, noticed by its parent or not. One that can't be looked at counts as running. */
export function isRunning({ pid, startedAt }: ProcessId, table: ProcessTable = SYSTEM): boolean {
  try {
    const now = table.status(pid);
    return now !== null && now.startedAt === startedAt && !isOver(now);
  } catch {
    return true;
  }
}

/** Checks repeatedly whether one process is there. */
export class LifeWatch implements Disposable {
  readonly #watched: Watched;
  #isOver = false;

  /** Throws the system's error if the process must be opened for that, and is gone. */
  constructor(process: ProcessId, table: ProcessTable = SYSTEM) {
    this.#watched = table.watch(process);
  }

  /** Same as the function `isRunning`; false after disposal. */
  isRunning(): boolean {
    return !this.#isOver && this.#watched.isRunning();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#watched[Symbol.dispose]();
  }
}

/** Resolves if the process has ended, whether or not its parent has noticed, or if the time is up. */
export async function untilEnded(
  { pid, startedAt }: ProcessId,
  maxMs: number,
  table: ProcessTable = SYSTEM,
): Promise<void> {
  const until = performance.now() + maxMs;
  for (;;) {
    // Cheap: an error takes longer to make than all the rest, and mostly the process has ended by now.
    const now = table.hasPid(pid) ? seen(pid, table) : null;
    if (now === null || now.startedAt !== startedAt || isOver(now) || performance.now() > until) return;
    await table.pause();
  }
}

/** A zombie, or dead (proc(5)). */
function isOver({ state }: ProcessStatus): boolean {
  return state === "Z" || state === "X";
}

function idOf(status: ProcessStatus | null): ProcessId | null {
  return status === null ? null : { pid: status.pid, startedAt: status.startedAt };
}

/** Null if there is no such process, or it is unknown. */
function seen(pid: number, table: ProcessTable): ProcessStatus | null {
  return orNull(() => table.status(pid));
}
