import { type ChildProcess, type StdioOptions, spawn, spawnSync } from "node:child_process";
import { isMainThread } from "node:worker_threads";
import { CofferdamError } from "../../errors.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { codeOf } from "../system-error.ts";
import { withoutInherited } from "./inherited.ts";

/** A started launcher. */
export type LauncherChild = ChildProcess;

/** A launcher's descriptors, by number. */
export type Descriptors = StdioOptions;

/** A program with its words that starts the launcher. It becomes the launcher: their pid is the same. */
export type StartedBy = readonly [AbsolutePath, ...string[]];

/** Options of a launcher's start: its descriptors, and the user if the supervisor is root. */
export interface SpawnOptions {
  readonly stdio: Descriptors;
  readonly runAs: { readonly uid: number; readonly gid: number } | null;
  /** All variables that it gets; none by default. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts the sandbox. The launcher gets only the given environment: it mostly sets the program's itself. Changing the
 * user empties the supplementary groups (libuv's `uv__process_child_init`). A session of its own keeps a terminal's
 * Ctrl-C for the supervisor, which then ends the program with its grace. Throws `SANDBOX_UNAVAILABLE` if it can't be
 * started, `USAGE` if the arguments are too long, `INTERNAL` off the main thread: the kernel ties the parent-death signal to the thread that forked
 * (prctl(2)).
 */
export function launch(file: AbsolutePath, argv: readonly string[], options: SpawnOptions): LauncherChild {
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
    // Without descriptors there are no streams to wait for.
    child.once("error", () => undefined);
  } catch (cause) {
    if (codeOf(cause) === "E2BIG")
      throw new CofferdamError("USAGE", "the arguments and variables of the call are too long", {
        hint: "pass the data in a file or by standard input",
        cause,
      });
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

/** Starts a helper outside of all sandboxes, as `launch` does: it inherits only its three streams from this process. */
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
): LauncherChild {
  const start = (others: readonly ("ignore" | number)[]): LauncherChild =>
    launch(file, argv, { stdio: [...stdio, ...others], runAs });
  return withoutInherited(start, runAs !== null);
}

/** The answer of a probe. */
export interface HelperResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a helper of the system without environment; never throws for its status. Aborting ends its process group. */
export async function ask(
  file: AbsolutePath,
  argv: readonly string[],
  { timeoutMs = 10_000, signal, runAs = null }: AskOptions = {},
): Promise<HelperResult> {
  const { execa } = await import("execa");
  const asked = execa(file, [...argv], {
    cwd: "/",
    env: {},
    extendEnv: false,
    reject: false,
    // Only whole milliseconds are accepted.
    timeout: Math.ceil(timeoutMs),
    stdin: "ignore",
    maxBuffer: 1_000_000,
    // Then it leads a group of its own, by which all of it can be ended.
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

/** Runs a quick helper synchronously; false if it failed. For steps before anything else, as at this process's exit. */
export function askNow(file: AbsolutePath, argv: readonly string[]): boolean {
  const options = { cwd: "/", env: {}, timeout: 1_000 } as const;
  return withoutInherited((others) => {
    const stdio = ["ignore", "ignore", "ignore", ...others] as const;
    return spawnSync(file, argv, { ...options, stdio: [...stdio] }).status === 0;
  });
}

/** The output of a quick helper, and its pid. */
export interface AnswerNow extends Pick<HelperResult, "status" | "stdout"> {
  readonly pid: number;
}

/** Runs a quick helper with this environment alone. Throws the system's error if it can't start or takes too long. */
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
