import { readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import { startedAt, untilEnded } from "./process-id.ts";
import type { Child } from "./spawn.ts";

/** Why a call ended. */
export type Cause = "exited" | "timed-out" | "aborted";

/** What ends a call early. */
export interface EndOptions {
  readonly wallMs: number | null;
  readonly signal: AbortSignal | null;
}

/** How long a program has between the request to end and its end. */
const GRACE_MS = 1_000;

/**
 * Waits for the end of a call and of every process in it; at the wall time, or when cancelled, asks the program to end and
 * then ends everything. `init` is the pid of the sandbox's first process: when it has ended, all others have.
 */
export async function untilEnd(
  child: Child,
  ended: Promise<number>,
  init: number,
  options: EndOptions,
): Promise<Cause> {
  let cause: Cause = "exited";
  const timers: NodeJS.Timeout[] = [];
  const stop = (why: "timed-out" | "aborted"): void => {
    if (cause !== "exited") return;
    cause = why;
    terminate(init);
    timers.push(setTimeout(() => child.kill("SIGKILL"), GRACE_MS));
  };
  const onAbort = (): void => stop("aborted");
  if (options.wallMs !== null) timers.push(setTimeout(() => stop("timed-out"), options.wallMs));
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (options.signal?.aborted === true) onAbort();
  const started = startedAt(init);
  try {
    await ended;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
  }
  await untilEnded(init, started, GRACE_MS);
  return cause;
}

/** The sandbox's first process ignores SIGTERM, so its child, the program, is asked. */
function terminate(init: number): void {
  const program = childOf(init);
  try {
    if (program !== null) process.kill(program, "SIGTERM");
  } catch {
    // Gone already: then there is nothing left to ask.
  }
}

/**
 * Ends what is left of a launch, so that none of its processes is there afterwards. Before go, closing the gate is what
 * ends it: a launcher that is killed while it builds leaves its half-built sandbox behind, so that only one that does not
 * end by itself is.
 */
export async function endAll(child: Child, gate: Writable, ended: Promise<number>): Promise<void> {
  const wasLetGo = gate.writableEnded;
  const init = wasLetGo || child.pid === undefined ? null : childOf(child.pid);
  const started = init === null ? null : startedAt(init);
  gate.destroy();
  const kill = setTimeout(() => child.kill("SIGKILL"), wasLetGo ? 0 : GRACE_MS);
  await ended;
  clearTimeout(kill);
  for (const stream of child.stdio) stream?.destroy();
  if (init !== null) await untilEnded(init, started, GRACE_MS);
}

/** Resolves with the launcher's status, which is the program's, when it has ended; with it, everything inside is ended by the kernel. Never rejects. */
export function endOf(child: Child): Promise<number> {
  return new Promise((resolve) => {
    child.on("error", () => {
      if (child.pid === undefined) resolve(-1);
    });
    child.once("exit", (code) => resolve(code ?? 137));
  });
}

/** The first child of a process, or null when it has none, or is gone. */
export function childOf(pid: number): number | null {
  try {
    const [first = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    return first === "" ? null : Number(first);
  } catch {
    return null;
  }
}
