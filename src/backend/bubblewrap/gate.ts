import type { Limits } from "../../profile/limits.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { CoreDumps, Facts } from "../facts.ts";
import type { Plan } from "../plan.ts";
import { goWords, proxyLines } from "../proxy-way.ts";
import { TAKE_WORDS } from "./handed.ts";
import { processesInAll } from "./tree.ts";

/** Stands in the words of every launcher, and of every shell at a gate: a variable of that shell. */
export const GATE_MARK = "cofferdam_go";

/**
 * What the gate shell runs, in a POSIX shell; the program and its words are in `"$@"` or handed over (`handed.ts`):
 * 0. where the program has a way out, hands out what listens for it (`listener.ts`), or writes `n`;
 * 1. bounds itself with hard limits, which the program inherits; units are those of POSIX `ulimit`: 512-byte blocks
 *    for `-f` and `-c`, KiB for `-d`, seconds for `-t`;
 * 2. enters the cgroup that was made for it, where that has doors, and closes them: `0` is whoever writes it, and the
 *    proof sees where it is. Of cgroups v1 this is the one way in that does not wait for every processor of the machine
 *    (kernel/cgroup/cgroup.c, `cgroup_procs_write_start`);
 * 3. writes `r` on the gate's descriptor, or `l` when a limit could not be set, and takes the words that are handed over;
 * 4. waits for the line `go`; the end of the stream means that the supervisor died, and nothing runs;
 * 5. takes its standard input from the sandbox's own `/dev/null`, unless the line says that one is handed in, and sets the
 *    variables by which programs find the egress proxy, with the secret that the line ends with;
 * 6. closes the descriptor, runs the program and ends with its status: 126 or 127 when it can't be started, 128+n after
 *    signal n. It stays as the first process, because that one must be a program of the sandbox's own read-only mounts:
 *    through `/proc/1/exe` the launcher's file on the host could be changed by root. Its own words go nowhere, and where
 *    the program has a terminal of its own, neither do those of what gives it one. It waits for whatever ends inside,
 *    daemons too, as every shell does. The kernel keeps signals from inside off a first process
 *    that has no handler for them (pid_namespaces(7)); the one that dash has for SIGINT would make 130 of any status
 *    after `kill -INT 0`, so that is trapped here, which children do not inherit.
 */
export function gateScript(limits: Limits, gateFd: number, extras: GateExtras = NOTHING_ELSE): string {
  const { tree, coreDumps, hasTerminal, listener, proxy } = extras;
  const bounds = [...coreLimit(coreDumps), ...ulimits(limits, extras)].join(" && ") || ":";
  return [
    ...listener,
    `{ ${bounds}; } 2>/dev/null || { printf l >&${gateFd}; exit 125; }`,
    ...(tree?.doors ?? []).map((fd) => `{ printf 0 >&${fd}; } 2>/dev/null; exec ${fd}>&-`),
    `printf r >&${gateFd}`,
    TAKE_WORDS,
    `IFS=" " read -r ${GATE_MARK} ${goWords(proxy)} <&${gateFd} && [ "$${GATE_MARK}" = go ] || exit 125`,
    `[ "$cofferdam_in" = pipe ] || exec </dev/null`,
    `unset ${GATE_MARK} cofferdam_in`,
    ...proxyLines(proxy),
    "trap : INT",
    `exec ${gateFd}>&- 8>&2 2>/dev/null`,
    `(exec ${hasTerminal ? "" : "2>&8 "}8>&- && exec "$@")`,
    "exit $?",
  ].join("\n");
}

/** What a gate is besides. */
type GateExtras = Pick<Plan, "tree" | "proxy"> &
  Pick<Facts, "coreDumps"> & { readonly hasTerminal: boolean; readonly listener: readonly string[] };

/** What most gates need besides: no cgroup to enter, no crash that another program takes, no terminal, no way out. */
const NOTHING_ELSE: GateExtras = {
  tree: null,
  coreDumps: { kind: "file" },
  hasTerminal: false,
  proxy: null,
  listener: [],
};

/** No shell can set the one byte that stops a program of the host's: it was set before, and 0 would undo it. */
function coreLimit(coreDumps: CoreDumps): readonly string[] {
  return limiterOf(coreDumps) === null ? ["ulimit -c 0"] : [];
}

/** What the launcher is started by, where a limit has to be set that its shell can't set. */
export function limiterOf(coreDumps: CoreDumps): AbsolutePath | null {
  return coreDumps.kind === "handler" ? coreDumps.limiter : null;
}

/**
 * At the soft limit a process is told by SIGXCPU, which ends it if it does nothing about that, and can be told from its
 * status; at the hard one, a second later, the kernel ends it (getrlimit(2)). Where this machine lets nobody have that
 * second, both are one, and the kernel ends it at once (kernel/time/posix-cpu-timers.c, `check_process_timers`).
 */
function processorTime(seconds: number): string {
  return `ulimit -S -t ${seconds} && { ulimit -H -t ${seconds + 1} || ulimit -H -t ${seconds}; }`;
}

/**
 * Processes are `-p` in dash and busybox, `-u` in bash; the value is never a size of pipes, which bash refuses to set.
 * What a cgroup holds for the whole tree is not bounded for each process too: data that is never touched takes nothing.
 */
function ulimits(limits: Limits, { tree, hasTerminal }: GateExtras): readonly string[] {
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
