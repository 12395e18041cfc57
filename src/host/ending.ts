import type { Writable } from "node:stream";
import { childOf, childOfOwn, isRunning, type ProcessId, signal, untilEnded } from "./process-id.ts";
import type { Child } from "./spawn.ts";

/** Why a call ended; `uncovered` is that something hidden could be read from inside. */
export type Cause = "exited" | "timed-out" | "aborted" | "uncovered";

/** What ends a call early. */
export interface EndOptions {
  readonly wallMs: number | null;
  readonly signal: AbortSignal | null;
  /** The program has a terminal of its own: if it does not end when asked, the terminal hangs up before everything ends. */
  readonly hasTerminal?: boolean;
  /** Aborted when something hidden can be read from inside. */
  readonly uncovered?: AbortSignal;
}

/** How long a program has between the request to end and its end. */
const GRACE_MS = 1_000;

/**
 * Waits for the end of a program and of every process beside it; at the wall time, or when cancelled, asks the program to
 * end and then ends everything. `init` is the sandbox's first process: when it has ended, all others have, and nothing is
 * asked or called cancelled any more, however late the launcher's end is noticed. Output may still be on its way.
 */
export async function untilEnd(
  child: Child,
  ended: Promise<number>,
  init: ProcessId,
  options: EndOptions,
): Promise<Cause> {
  let cause: Cause = "exited";
  const timers: NodeJS.Timeout[] = [];
  const stop = (why: Exclude<Cause, "exited">): void => {
    if (cause !== "exited") return;
    if (isRunning(init)) {
      cause = why;
      ask(init, "SIGTERM");
      // A shell at a terminal does not end when asked, and ends its jobs in order when nobody is there any more.
      if (options.hasTerminal === true) timers.push(setTimeout(() => ask(init, "SIGHUP"), GRACE_MS / 2));
    }
    timers.push(setTimeout(() => timers.push(kill(child, init)), GRACE_MS));
  };
  const onAbort = (): void => stop("aborted");
  const onUncovered = (): void => stop("uncovered");
  if (options.wallMs !== null) timers.push(setTimeout(() => stop("timed-out"), options.wallMs));
  options.signal?.addEventListener("abort", onAbort, { once: true });
  options.uncovered?.addEventListener("abort", onUncovered, { once: true });
  if (options.signal?.aborted === true) onAbort();
  try {
    await ended;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
    options.uncovered?.removeEventListener("abort", onUncovered);
  }
  await untilEnded(init, GRACE_MS);
  return cause;
}

/** The sandbox's first process ignores signals, so its child, the program, is asked. */
function ask(init: ProcessId, name: NodeJS.Signals): void {
  const program = childOf(init);
  if (program !== null) signal(program, name);
}

/**
 * Ends what is left of a launch, so that none of its processes is there afterwards. Before go, closing the gate is what
 * ends it: a launcher that is killed while it builds leaves its half-built sandbox behind, so that only one that does not
 * end by itself is.
 */
export async function endAll(
  child: Child,
  launchers: number,
  gate: Writable,
  ended: Promise<number>,
): Promise<void> {
  const wasLetGo = gate.writableEnded;
  const below = processesBelow(child, launchers);
  gate.destroy();
  const timers: NodeJS.Timeout[] = [];
  const killNow = (): unknown => timers.push(kill(child, firstProcessOf(child, launchers)));
  timers.push(setTimeout(killNow, wasLetGo ? 0 : GRACE_MS));
  await ended;
  for (const timer of timers) clearTimeout(timer);
  for (const stream of child.stdio) stream?.destroy();
  for (const process of below) await untilEnded(process, GRACE_MS);
}

/**
 * Kills a sandbox by its first process: the kernel ends all others with it, and the launcher, whose child it is, ends by
 * itself. Killing the launcher would do as well, but leave its child to whoever waits for orphans, and in a container
 * nobody may: this supervisor, say, as the first process there. So that comes second, where the first was in vain.
 */
function kill(child: Child, init: ProcessId | null): NodeJS.Timeout {
  if (init === null) child.kill("SIGKILL");
  else signal(init, "SIGKILL");
  return setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
}

/**
 * Resolves with the launcher's status, which is the program's, when it has ended; with it, everything inside is ended
 * by the kernel. Never rejects.
 */
export function endOf(child: Child): Promise<number> {
  return new Promise((resolve) => {
    child.on("error", () => {
      if (child.pid === undefined) resolve(-1);
    });
    child.once("exit", (code) => resolve(code ?? 137));
  });
}

/**
 * The sandbox's first process, the only child of the innermost launcher; null before there is one, and once the launchers
 * have ended.
 */
export function firstProcessOf(child: Child, launchers: number): ProcessId | null {
  return processesBelow(child, launchers)[launchers - 1] ?? null;
}

/** The launchers below the outermost, and the sandbox's first process, as far as they are there; each is the only child. */
function processesBelow(child: Child, launchers: number): readonly ProcessId[] {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return [];
  const found: ProcessId[] = [];
  for (let at = childOfOwn(child.pid); at !== null; at = childOf(at)) {
    found.push(at);
    if (found.length === launchers) break;
  }
  return found;
}
