import { type ChildProcess, type StdioOptions, spawn, spawnSync } from "node:child_process";
import { isMainThread } from "node:worker_threads";
import { CofferdamError } from "../errors.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { withoutInherited } from "./inherited.ts";
import { codeOf } from "./system-error.ts";

/** A started launcher. */
export type Child = ChildProcess;

/** A launcher's descriptors, by number. */
export type Descriptors = StdioOptions;

/** A program, and its words, that the launcher is started by. It becomes the launcher: their pid is the same. */
export type StartedBy = readonly [AbsolutePath, ...string[]];

/** How a launcher is started: its descriptors, and as whom when the supervisor is root. */
export interface SpawnOptions {
  readonly stdio: Descriptors;
  readonly runAs: { readonly uid: number; readonly gid: number } | null;
  /** All variables that it gets; none without. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts the walls. The launcher gets no environment but what it is given: what the program is to have, it mostly sets
 * itself. Changing the user empties the supplementary groups (libuv's `uv__process_child_init`).
 * A session of its own keeps a terminal's Ctrl-C for the supervisor, which then ends the program with its grace.
 * Throws `SANDBOX_UNAVAILABLE` when it can't be started, `INTERNAL` off the main thread: the kernel ties the
 * parent-death signal to the thread that forked (prctl(2)).
 */
export function launch(file: AbsolutePath, argv: readonly string[], options: SpawnOptions): Child {
  if (!isMainThread) {
    throw new CofferdamError("INTERNAL", "sandboxes can't be started from a worker thread", {
      hint: "create the supervisor on the main thread",
    });
  }
  try {
    const child = spawn(file, argv, {
      cwd: "/",
      env: { ...options.env },
      stdio: options.stdio,
      shell: false,
      detached: true,
      ...options.runAs,
    });
    if (child.pid !== undefined) return child;
    // Without descriptors there are not even streams to wait for.
    child.once("error", () => undefined);
  } catch (cause) {
    // Of words that are too many the caller knows more.
    if (codeOf(cause) === "E2BIG") throw cause;
    // An inherited descriptor above the limit can't be covered.
    throw notStarted(file, cause);
  }
  throw notStarted(file);
}

function notStarted(file: AbsolutePath, cause?: unknown): CofferdamError {
  return new CofferdamError("SANDBOX_UNAVAILABLE", `${file} could not be started`, {
    hint: "raise `ulimit -n` and `ulimit -u`, or run `cofferdam doctor`",
    cause,
  });
}

/**
 * Starts a helper of the system outside of all walls, as `launch` starts those, with its three streams alone: nothing
 * that this process inherited is held open by it, or is its to use.
 */
export function launchHelper(
  file: AbsolutePath,
  argv: readonly string[],
  {
    stdio,
    runAs,
  }: { readonly stdio: readonly ["pipe" | "ignore" | "ipc", "pipe" | "ignore" | number, "ignore"] } & Pick<
    SpawnOptions,
    "runAs"
  >,
): Child {
  const start = (others: readonly ("ignore" | number)[]): Child =>
    launch(file, argv, { stdio: [...stdio, ...others], runAs });
  return withoutInherited(start, runAs !== null);
}

/** What a probe answered. */
export interface Answer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a helper of the system by its absolute path, without environment, and returns what it said. Never throws for
 * its status. Where the signal is aborted, it is ended with all that it started and has not sent elsewhere.
 */
export async function ask(
  file: AbsolutePath,
  argv: readonly string[],
  { timeoutMs = 10_000, signal, runAs = null }: AskOptions = {},
): Promise<Answer> {
  const { execa } = await import("execa");
  const asked = execa(file, [...argv], {
    cwd: "/",
    env: {},
    extendEnv: false,
    reject: false,
    // It takes whole ones alone.
    timeout: Math.ceil(timeoutMs),
    stdin: "ignore",
    maxBuffer: 1_000_000,
    // It leads a group of its own then, by which all of it can be ended.
    detached: signal !== undefined,
    ...(runAs === null ? {} : { uid: runAs.uid, gid: runAs.gid }),
  });
  const end = (): void => endGroup(asked.pid);
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted === true) end();
  try {
    const { exitCode, stdout, stderr } = await asked;
    return { status: exitCode ?? null, stdout, stderr };
  } finally {
    signal?.removeEventListener("abort", end);
  }
}

/** How long a helper may take, what ends it earlier, and as whom it runs, if not as this process. */
interface AskOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly runAs?: { readonly uid: number; readonly gid: number } | null;
}

function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // All of it has ended by itself.
  }
}

/**
 * Runs a helper that takes no time, and does nothing else meanwhile; false where it could not do what it was asked for.
 * For what must be done before whatever comes next, as on the way out of this process.
 */
export function askNow(file: AbsolutePath, argv: readonly string[]): boolean {
  const options = { cwd: "/", env: {}, timeout: 1_000 } as const;
  return withoutInherited((others) => {
    const stdio = ["ignore", "ignore", "ignore", ...others] as const;
    return spawnSync(file, argv, { ...options, stdio: [...stdio] }).status === 0;
  });
}

/** What a helper said that takes no time, and its pid. */
export interface AnswerNow extends Pick<Answer, "status" | "stdout"> {
  readonly pid: number;
}

/**
 * Runs a helper that takes no time, with this environment alone, and returns what it said. Does nothing else meanwhile.
 * Never throws for its status; throws the system's error where it can't be started, or takes too long.
 */
export function askNowForText(
  file: AbsolutePath,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): AnswerNow {
  const options = {
    cwd: "/",
    env: { ...env },
    timeout: 5_000,
    maxBuffer: 16_000_000,
    encoding: "utf8",
  } as const;
  return withoutInherited((others) => {
    const stdio = ["ignore", "pipe", "ignore", ...others] as const;
    const { error, pid, status, stdout } = spawnSync(file, argv, { ...options, stdio: [...stdio] });
    if (error !== undefined) throw error;
    return { pid, status, stdout };
  });
}
