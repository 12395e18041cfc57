import { type ProcessStatus, type ProcessTable, procTable, type Watched } from "./process-table.ts";
import { psTable } from "./ps-table.ts";

/** Which process: its pid, and when it started. No two processes since boot have the same. */
export interface ProcessId {
  readonly pid: number;
  /** Digits, as the system's table of processes tells it; null where it tells nothing. */
  readonly startedAt: string | null;
}

/** The table of the system that this runs on. */
const SYSTEM: ProcessTable = process.platform === "darwin" ? psTable() : procTable;

/** A process in a file's name: `<pid>.<start>`. */
export function printProcess({ pid, startedAt }: ProcessId): string {
  return `${pid}.${startedAt ?? "0"}`;
}

/** The process that a name says, or null for any other name. */
export function readProcess(name: string): ProcessId | null {
  const [, pid, startedAt] = /^(\d+)\.(\d+)$/.exec(name) ?? [];
  return pid === undefined || startedAt === undefined ? null : { pid: Number(pid), startedAt };
}

/** This process. Throws node's error when it can't be looked at: by half an identity it would count as ended. */
export function thisProcess(): ProcessId {
  const known = own.get(process.pid) ?? lookAtOwn();
  own.set(known.pid, known);
  return known;
}

/** By its pid, which a process keeps. */
const own = new Map<number, ProcessId>();

function lookAtOwn(): ProcessId {
  const { pid } = process;
  return { pid, startedAt: SYSTEM.status(pid)?.startedAt ?? null };
}

/** The process that has this pid now; null when there is none, or that can't be told. */
export function processAt(pid: number, table: ProcessTable = SYSTEM): ProcessId | null {
  return idOf(seen(pid, table));
}

/**
 * The first child of a process; null when that has none, or has ended. The child says who its
 * parent is, and the parent is still there afterwards: so until then nobody else can have had its pid.
 */
export function childOf(parent: ProcessId, table: ProcessTable = SYSTEM): ProcessId | null {
  const child = childOfOwn(parent.pid, table);
  return child !== null && isThere(parent, table) ? child : null;
}

/** The same of a child of this process whose end was not told yet: until then nobody else can have its pid. */
export function childOfOwn(parent: number, table: ProcessTable = SYSTEM): ProcessId | null {
  try {
    return idOf(table.firstChild(parent));
  } catch {
    return null;
  }
}

/** Every process below one, with what it does, as far as that can be told. */
export function processesBelow(pid: number, table: ProcessTable = SYSTEM): readonly ProcessStatus[] {
  return table.below(pid);
}

/**
 * True when a child of this process goes on, or would: it has not ended, whether or not that was told, and nobody stopped it.
 * For one whose end was not told yet, as above.
 */
export function isOwnReady(pid: number, table: ProcessTable = SYSTEM): boolean {
  const { state } = seen(pid, table) ?? { state: "Z" };
  return !["Z", "X", "T", "t"].includes(state);
}

/** True when it is certain that the pid is still that process's: it runs, or waits for its parent. */
function isThere({ pid, startedAt }: ProcessId, table: ProcessTable): boolean {
  return startedAt !== null && seen(pid, table)?.startedAt === startedAt;
}

/**
 * Sends a signal to the process that is meant, and to none that has its pid by now: when it started is compared right
 * before. Node has no call for pidfd_send_signal(2); between the two calls a pid would have to come all the way
 * round. Never throws.
 */
export function signal(meant: ProcessId, name: NodeJS.Signals, table: ProcessTable = SYSTEM): void {
  if (!isThere(meant, table)) return;
  try {
    process.kill(meant.pid, name);
  } catch {
    // Gone meanwhile, or not ours to signal: whoever asks it to end goes on to end it.
  }
}

/**
 * False when the process has ended, whether or not its parent has noticed. One that can't be looked at (no descriptor is
 * left, say) counts as running.
 */
export function isRunning({ pid, startedAt }: ProcessId, table: ProcessTable = SYSTEM): boolean {
  try {
    const now = table.status(pid);
    return now !== null && now.startedAt === startedAt && !isOver(now);
  } catch {
    return true;
  }
}

/** Looks again and again whether one process is there. */
export class LifeWatch implements Disposable {
  readonly #watched: Watched;
  #isOver = false;

  /** Throws the system's error where the process must be opened for that, and is gone. */
  constructor(process: ProcessId, table: ProcessTable = SYSTEM) {
    this.#watched = table.watch(process);
  }

  /** As `isRunning`; false once nobody watches any more. */
  isRunning(): boolean {
    return !this.#isOver && this.#watched.isRunning();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#watched[Symbol.dispose]();
  }
}

/** Resolves when the process has ended, whether or not its parent has noticed, or when the time is up. */
export async function untilEnded(
  { pid, startedAt }: ProcessId,
  maxMs: number,
  table: ProcessTable = SYSTEM,
): Promise<void> {
  const until = performance.now() + maxMs;
  for (;;) {
    // An error takes longer to make than all the rest, and mostly the process has ended by now.
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

/** Null when there is no such process, or that can't be told. */
function seen(pid: number, table: ProcessTable): ProcessStatus | null {
  try {
    return table.status(pid);
  } catch {
    return null;
  }
}
