import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { codeOf } from "./system-error.ts";

/** Which process: its pid, and when it started. No two processes since boot have the same. */
export interface ProcessId {
  readonly pid: number;
  /** In clock ticks since boot (proc(5), field 22 of `stat`); null where there is no `/proc`. */
  readonly startedAt: string | null;
}

/** Which of the fields behind the name say whose child it is, and when it started. */
const PARENT = 1;
const STARTED = 19;

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
  try {
    return { pid, startedAt: readStat(pid)[STARTED] ?? null };
  } catch (cause) {
    if (isGone(cause)) return { pid, startedAt: null };
    throw cause;
  }
}

/** The process that has this pid now; null when there is none, or no `/proc`. */
export function processAt(pid: number): ProcessId | null {
  const startedAt = statOf(pid)[STARTED];
  return startedAt === undefined ? null : { pid, startedAt };
}

/**
 * The first child of a process; null when that has none, or has ended. The child says who its
 * parent is, and the parent is still there afterwards: so until then nobody else can have had its pid.
 */
export function childOf(parent: ProcessId): ProcessId | null {
  const child = childOfOwn(parent.pid);
  return child !== null && isThere(parent) ? child : null;
}

/** The same of a child of this process whose end was not told yet: until then nobody else can have its pid. */
export function childOfOwn(parent: number): ProcessId | null {
  try {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8");
    const [first = ""] = children.trim().split(" ");
    const stat = readStat(Number(first));
    const isChild = Number(stat[PARENT]) === parent;
    return isChild ? { pid: Number(first), startedAt: stat[STARTED] ?? null } : null;
  } catch {
    return null;
  }
}

/**
 * True when a child of this process goes on, or would: it has not ended, whether or not that was told, and nobody stopped it.
 * For one whose end was not told yet, as above.
 */
export function isOwnReady(pid: number): boolean {
  const [state = "Z"] = statOf(pid);
  return !["Z", "X", "T", "t"].includes(state);
}

/** True when it is certain that the pid is still that process's: it runs, or waits for its parent. */
function isThere({ pid, startedAt }: ProcessId): boolean {
  return startedAt !== null && processAt(pid)?.startedAt === startedAt;
}

/**
 * Sends a signal to the process that is meant, and to none that has its pid by now: when it started is compared right
 * before. Node has no call for pidfd_send_signal(2); between the two calls a pid would have to come all the way
 * round. Never throws.
 */
export function signal(meant: ProcessId, name: NodeJS.Signals): void {
  if (!isThere(meant)) return;
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
export function isRunning({ pid, startedAt: started }: ProcessId): boolean {
  try {
    const stat = readStat(pid);
    return stat[STARTED] === started && !isOver(stat);
  } catch (cause) {
    return !isGone(cause);
  }
}

/** What the process does, as a letter of proc(5), `stat`: `R`, `S`, `D`, `T`, `Z` and so on; null when it is gone. */
export function stateOf({ pid, startedAt }: ProcessId): string | null {
  const stat = statOf(pid);
  return stat[STARTED] === startedAt ? (stat[0] ?? null) : null;
}

/** Looks again and again whether one process is there: what is opened once says of that very process. */
export class LifeWatch implements Disposable {
  readonly #fd: number;

  /** Throws the system's error when the process is gone. */
  constructor({ pid }: ProcessId) {
    this.#fd = openSync(`/proc/${pid}/cmdline`, "r");
  }

  /** As `isRunning`; one that has ended has no words any more, whether or not its parent has noticed (proc(5)). */
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

/** Resolves when the process has ended, whether or not its parent has noticed, or when the time is up. */
export async function untilEnded({ pid, startedAt }: ProcessId, maxMs: number): Promise<void> {
  const until = performance.now() + maxMs;
  for (;;) {
    // An error takes longer to make than all the rest, and mostly the process has ended by now.
    const stat = existsSync(`/proc/${pid}`) ? statOf(pid) : [];
    if (stat[STARTED] !== startedAt || isOver(stat) || performance.now() > until) return;
    await nextTurn();
  }
}

/** A zombie, or dead (proc(5)). */
function isOver([state]: readonly string[]): boolean {
  return state === "Z" || state === "X";
}

/** Gone before it was opened, or between opening and reading (proc(5): ESRCH). */
function isGone(cause: unknown): boolean {
  const code = codeOf(cause);
  return code === "ENOENT" || code === "ESRCH";
}

/** Empty when there is no such process. */
function statOf(pid: number): readonly string[] {
  try {
    return readStat(pid);
  } catch {
    return [];
  }
}

/** The fields behind the name: the state is the first. Throws node's errors. */
function readStat(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
