import type { Limits } from "../../profile/limits.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { CoreDumps, Facts } from "../facts.ts";
import type { Plan } from "../plan.ts";
import { goWords, proxyLines } from "../proxy-way.ts";
import { TAKE_WORDS } from "./handed.ts";
import { processesInAll } from "./tree.ts";

/** Marks the words of every launcher and of every start program: it is a variable of that shell. */
export const START_MARK = "cofferdam_go";

/**
 * The start program, for a POSIX shell. The program and its words are in `"$@"` or in variables (`handed.ts`):
 * 0. if the program has a way out, sends the listening socket out (`listener.ts`), or writes `n`;
 * 1. sets hard limits for itself, which the program inherits. Units are those of POSIX `ulimit`: 512-byte blocks for
 *    `-f` and `-c`, KiB for `-d`, seconds for `-t`;
 * 2. enters the cgroup made for it, if that has doors, and closes them: `0` means the writing process, and the proof
 *    checks its cgroup. With cgroups v1 no other way in avoids waiting for every processor of the machine
 *    (kernel/cgroup/cgroup.c, `cgroup_procs_write_start`);
 * 3. writes `r` on the start program's descriptor, or `l` if a limit could not be set, and takes the words from the
 *    variables;
 * 4. waits for the line `go`. The end of the stream means that the supervisor died, and nothing runs;
 * 5. takes its standard input from the sandbox's own `/dev/null`, unless the line says that one is given. Sets the
 *    variables by which programs find the egress proxy, with the secret at the end of the line;
 * 6. closes the descriptor, runs the program and ends with its status: 126 or 127 if it cannot start, 128+n after
 *    signal n. It stays as the first process, because that one must be a program from the sandbox's read-only mounts:
 *    root could change the launcher's file on the host through `/proc/1/exe`. Its own messages are dropped, and so are
 *    those of the terminal relay. Like every shell it waits for all processes inside, daemons too. The kernel keeps
 *    signals from inside off a first process without a handler (pid_namespaces(7)). dash's handler for SIGINT would
 *    turn any status into 130 after `kill -INT 0`, so it is trapped here; children do not inherit that.
 */
export function startScript(limits: Limits, startFd: number, extras: StartExtras = NOTHING_ELSE): string {
  const { tree, coreDumps, hasTerminal, listener, proxy } = extras;
  const bounds = [...coreLimit(coreDumps), ...ulimits(limits, extras)].join(" && ") || ":";
  return [
    ...listener,
    `{ ${bounds}; } 2>/dev/null || { printf l >&${startFd}; exit 125; }`,
    ...(tree?.doors ?? []).map((fd) => `{ printf 0 >&${fd}; } 2>/dev/null; exec ${fd}>&-`),
    `printf r >&${startFd}`,
    TAKE_WORDS,
    `IFS=" " read -r ${START_MARK} ${goWords(proxy)} <&${startFd} && [ "$${START_MARK}" = go ] || exit 125`,
    `[ "$cofferdam_in" = pipe ] || exec </dev/null`,
    `unset ${START_MARK} cofferdam_in`,
    ...proxyLines(proxy),
    "trap : INT",
    `exec ${startFd}>&- 8>&2 2>/dev/null`,
    `(exec ${hasTerminal ? "" : "2>&8 "}8>&- && exec "$@")`,
    "exit $?",
  ].join("\n");
}

type StartExtras = Pick<Plan, "tree" | "proxy"> &
  Pick<Facts, "coreDumps"> & { readonly hasTerminal: boolean; readonly listener: readonly string[] };

const NOTHING_ELSE: StartExtras = {
  tree: null,
  coreDumps: { kind: "file" },
  hasTerminal: false,
  proxy: null,
  listener: [],
};

/** No shell can set the limit of one byte that stops a program of the host: it was set before, and 0 would undo it. */
function coreLimit(coreDumps: CoreDumps): readonly string[] {
  return limiterOf(coreDumps) === null ? ["ulimit -c 0"] : [];
}

/** The program that starts the launcher, where it sets a limit that the launcher's shell cannot set. */
export function limiterOf(coreDumps: CoreDumps): AbsolutePath | null {
  return coreDumps.kind === "handler" ? coreDumps.limiter : null;
}

/** SIGXCPU at the soft limit, killed a second later (getrlimit(2)); at once if both are equal (posix-cpu-timers.c). */
function processorTime(seconds: number): string {
  return `ulimit -S -t ${seconds} && { ulimit -H -t ${seconds + 1} || ulimit -H -t ${seconds}; }`;
}

/**
 * Processes are `-p` in dash and busybox, `-u` in bash; the value is never a size of pipes, which bash refuses to set.
 * A limit that a cgroup holds for the tree is not set per process too: untouched data takes no memory.
 */
function ulimits(limits: Limits, { tree, hasTerminal }: StartExtras): readonly string[] {
  const { fileBytes, cpuSeconds, openFiles } = limits;
  const memoryBytes = (tree?.memoryBytes ?? null) === null ? limits.memoryBytes : undefined;
  const processes = processesInAll(limits, hasTerminal);
  return [
    ...(cpuSeconds === undefined ? [] : [processorTime(cpuSeconds)]),
    ...(fileBytes === undefined ? [] : [`ulimit -f ${Math.max(1, Math.floor(fileBytes / 512))}`]),
    ...(memoryBytes === undefined ? [] : [`ulimit -d ${Math.max(1, Math.floor(memoryBytes / 1024))}`]),
    ...(openFiles === undefined ? [] : [`ulimit -n ${openFiles}`]),
    ...(processes === null ? [] : [`{ ulimit -u ${processes} || ulimit -p ${processes}; }`]),
  ];
}
