import type { Writable } from "node:stream";
import { childOf, childOfOwn, isRunning, type ProcessId, signal, untilEnded } from "./process-id.ts";
import type { LauncherChild } from "./spawn.ts";

/** Why a call ended; `uncovered`: something hidden could be read from inside. */
export type Cause = "exited" | "timed-out" | "aborted" | "uncovered";

/** The events that end a call early. */
export interface EndOptions {
  readonly wallMs: number | null;
  readonly signal: AbortSignal | null;
  /** The program has its own terminal: it hangs up if the program does not end when asked, before everything ends. */
  readonly hasTerminal?: boolean;
  readonly uncovered?: AbortSignal;
}

/** The time between the request to end and the kill of a program, in milliseconds. */
const GRACE_MS = 1_000;

/**
 * Waits for the end of a program and of every process beside it; at the wall time, or when cancelled, asks it to end
 * and then ends everything. When `init`, the sandbox's first process, has ended, all others have: from then on nothing
 * is asked or called cancelled. Output may still be on its way.
 */
export async function untilEnd(
  child: LauncherChild,
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
      // A shell at a terminal does not end when asked, but ends its jobs in order when the terminal hangs up.
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
 * Ends the rest of a launch. Before go, closing its descriptor ends it: a launcher that is killed while it builds
 * leaves its half-built sandbox behind, so it is killed only if it does not end by itself.
 */
export async function endAll(
  child: LauncherChild,
  launchers: number,
  start: Writable,
  ended: Promise<number>,
): Promise<void> {
  const wasLetGo = start.writableEnded;
  const below = processesBelow(child, launchers);
  start.destroy();
  const timers: NodeJS.Timeout[] = [];
  const killNow = (): unknown => timers.push(kill(child, firstProcessOf(child, launchers)));
  timers.push(setTimeout(killNow, wasLetGo ? 0 : GRACE_MS));
  await ended;
  for (const timer of timers) clearTimeout(timer);
  for (const stream of child.stdio) stream?.destroy();
  for (const process of below) await untilEnded(process, GRACE_MS);
}

/**
 * Kills a sandbox by its first process: the kernel ends all others, and the launcher ends by itself. A killed launcher
 * leaves its child to the reaper of orphans, which a container may lack, so that comes second.
 */
function kill(child: LauncherChild, init: ProcessId | null): NodeJS.Timeout {
  if (init === null) child.kill("SIGKILL");
  else signal(init, "SIGKILL");
  return setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
}

/** Resolves with the launcher's status, the program's, when it and so everything inside has ended. Never rejects. */
export function endOf(child: LauncherChild): Promise<number> {
  return new Promise((resolve) => {
    child.on("error", () => {
      if (child.pid === undefined) resolve(-1);
    });
    child.once("exit", (code) => resolve(code ?? 137));
  });
}

/**
 * The sandbox's first process, only child of the innermost launcher; null before it exists and once launchers ended.
 */
export function firstProcessOf(child: LauncherChild, launchers: number): ProcessId | null {
  return processesBelow(child, launchers)[launchers - 1] ?? null;
}

/** The launchers below the outermost, and the sandbox's first process, as far as they exist; each is the only child. */
function processesBelow(child: LauncherChild, launchers: number): readonly ProcessId[] {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return [];
  const found: ProcessId[] = [];
  for (let at = childOfOwn(child.pid); at !== null; at = childOf(at)) {
    found.push(at);
    if (found.length === launchers) break;
  }
  return found;
}
