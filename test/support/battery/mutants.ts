import { syscallNumbers, syscallOn } from "../../../src/attacks/syscall.ts";
import type { MountPlan, Protection } from "../../../src/backend/plan.ts";
import { ALLOW } from "../../../src/backend/seccomp/abi.ts";
import { answer, assemble } from "../../../src/backend/seccomp/assemble.ts";
import type { Surroundings } from "../../../src/host/launch/surroundings.ts";
import { OPENS_TTY } from "./terminal.ts";

const NR = syscallNumbers(process.arch);
const syscall = syscallOn(process.arch);

/** One way in which a launch could be other than planned. */
export interface Mutant {
  readonly id: Protection;
  readonly change: string;
  readonly options?: (options: readonly string[]) => readonly string[];
  readonly startProgram?: (script: string) => string;
  readonly filter?: Uint8Array;
  readonly surroundings?: (given: Surroundings) => Surroundings;
  /** The probe that must get through. The others that do belong to a second protection, which had to go as well. */
  readonly probe?: string;
  /** Only where the sandbox's user owns the host's devices, so that others were made for it. */
  readonly needsDevices?: true;
  /** The launcher is started in the supervisor's own session; only where the proof is left out. */
  readonly isAttached?: true;
}

/** Where the mutants and their probes find things. */
export interface Ground {
  readonly ws: string;
  /** Granted to nobody, with a file `canary` and a listening `socket`. */
  readonly outside: string;
  /** A process of the host, and a port that one listens on. */
  readonly pid: number;
  readonly port: number;
}

/** At least one mutant for every protection that a receipt speaks of. */
export function mutants({ ws, outside }: Pick<Ground, "ws" | "outside">): readonly Mutant[] {
  const last = ["--remount-ro", "/dev"];
  return [
    {
      id: "files",
      change: "an unreadable file is shown",
      options: (options) => without(options, 3, (at) => at[2] === `${ws}/secret`),
    },
    {
      id: "files",
      change: "a read-only file is writable",
      options: (options) => without(options, 3, (at) => at[2] === `${ws}/.git/config`),
    },
    {
      id: "files",
      change: "a pinned folder can be moved",
      options: (options) => without(options, 3, (at) => at[0] === "--bind" && at[2] === `${ws}/.git`),
    },
    {
      id: "files",
      change: "a folder outside is shown",
      options: (options) => before(options, last, ["--bind", outside, outside]),
    },
    {
      id: "files",
      change: "the host's own devices are shown",
      options: (options) => without(options, 3, (at) => at[0] === "--dev-bind"),
      needsDevices: true,
    },
    {
      id: "files",
      change: "the base is not sealed",
      options: (options) => without(options, 2, (at) => at[0] === "--remount-ro" && at[1] === "/"),
    },
    {
      id: "network",
      change: "the network is shared",
      options: (options) => after(options, ["--unshare-all"], ["--share-net"]),
    },
    {
      id: "sockets",
      change: "a folder with a socket of the host is shown",
      options: (options) => before(options, last, ["--ro-bind", outside, outside]),
    },
    {
      id: "processes",
      change: "processes of the host are shown",
      options: (options) => withoutPidNamespace(options),
    },
    {
      id: "capabilities",
      change: "capabilities are kept",
      options: (options) => replace(options, ["--cap-drop", "ALL"], ["--cap-add", "ALL"]),
    },
    {
      id: "capabilities",
      change: "/proc is not sealed",
      options: (options) => without(options, 2, (at) => at[0] === "--remount-ro" && at[1] === "/proc"),
    },
    {
      id: "capabilities",
      change: "user namespaces can be made, which no filter refuses either",
      options: (options) => without(options, 1, (at) => at[0] === "--disable-userns"),
      filter: assemble([answer(ALLOW)]),
      probe: "makes a user namespace",
    },
    { id: "syscalls", change: "the filter allows everything", filter: assemble([answer(ALLOW)]) },
    {
      id: "terminal",
      change: "the session is the launcher's",
      options: withoutSession,
    },
    {
      id: "terminal",
      change: "the session is the caller's",
      options: withoutSession,
      isAttached: true,
    },
    {
      id: "environment",
      change: "a variable is added",
      options: (options) => after(options, ["--clearenv"], ["--setenv", "LEAKED", "x"]),
    },
    {
      id: "descriptors",
      change: "inherited descriptors are handed on",
      surroundings: (given) => ({ ...given, leaked: [] }),
    },
    {
      id: "limits",
      change: "the start program sets no limit",
      startProgram: (script) => script.replace(/^[^\n]*ulimit[^\n]*\n/, ""),
    },
    {
      id: "limits",
      change: "scratch space has no size",
      options: (options) => without(options, 2, (at) => at[0] === "--size"),
    },
  ];
}

/** The plan with the mutant's changes. Throws when nothing changed: then the mutant speaks of a plan that is no more. */
export function mutate(plan: MountPlan, { options, startProgram, filter, change }: Mutant): MountPlan {
  const [args, seccomp, ...files] = plan.inputs;
  if (args === undefined || seccomp === undefined || !("bytes" in args))
    throw new Error("the plan has no options");
  const text = Buffer.from(args.bytes).toString("latin1");
  const given = text.slice(0, -1).split("\0");
  const made = `${(options?.(given) ?? given).join("\0")}\0`;
  const argv = plan.argv.map((word, index) =>
    index > 0 && plan.argv[index - 1] === "-c" ? (startProgram?.(word) ?? word) : word,
  );
  if (options !== undefined && made === text) throw new Error(`nothing to change: ${change}`);
  if (startProgram !== undefined && argv.join("\0") === plan.argv.join("\0"))
    throw new Error(`nothing to change: ${change}`);
  const inputs = [
    { ...args, bytes: Buffer.from(made, "latin1") },
    filter === undefined ? seccomp : { fd: seccomp.fd, bytes: filter },
    ...files,
  ];
  return { ...plan, argv, inputs };
}

/** What a program inside could do if a protection were missing: lines of shell that then end with 0, by name. */
export function mutantProbes({ ws, outside, pid, port }: Ground): Readonly<Record<string, string>> {
  const child = (call: string): string =>
    `perl -e 'my $c = fork // die; if (!$c) { sleep 5; exit } my $r = ${call}; kill 9, $c; exit($r < 0 ? 1 : 0)'`;
  return {
    "reads an unreadable file": `grep -q hidden ${ws}/secret`,
    "changes a read-only file": `: >> ${ws}/.git/config`,
    "moves a pinned folder": `mv ${ws}/.git ${ws}/.git2 && mv ${ws}/.git2 ${ws}/.git`,
    "reads outside": `grep -q secret ${outside}/canary`,
    "changes the mode of a device": 'm=$(stat -Lc %a /dev/null) && chmod "$m" /dev/null',
    "makes a file in the base": ": > /made",
    "reaches the host's loopback": `timeout 5 bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`,
    "reaches a socket of the host": `perl -e 'socket(S, 1, 1, 0) && connect(S, pack("S a*", 1, "${outside}/socket")) or exit 1'`,
    "signals a process of the host": `kill -0 ${pid}`,
    mounts: `mkdir -p ${ws}/m; ${syscall("mount", "none", `${ws}/m`, "tmpfs", 0, 0)}`,
    "changes its root folder": syscall("chroot", ws),
    "reads past the mode of a file": `f=${ws}/closed; echo x > $f && chmod 0 $f && cat $f; r=$?; rm -f $f; exit $r`,
    "changes a setting in /proc": 'v=$(cat /proc/self/oom_score_adj) && echo "$v" > /proc/self/oom_score_adj',
    "makes a user namespace": syscall("unshare", 0x10000000),
    "traces a process": child(`syscall(${NR.ptrace}, 16, $c, 0, 0)`),
    "makes a setuid file": `: > ${ws}/setuid && chmod 4755 ${ws}/setuid`,
    "opens the terminal": OPENS_TTY,
    "is in a process group outside": "perl -e 'exit(getpgrp(0) == 0 ? 0 : 1)'",
    "sees a variable": '[ -n "$LEAKED" ]',
    "uses an inherited descriptor": "grep -q secret /proc/self/fd/40/canary",
    "opens more files": '[ "$(ulimit -n)" -gt 100 ]',
    "fills the scratch space": "head -c 5M /dev/zero > /tmp/big",
  };
}

function withoutSession(options: readonly string[]): readonly string[] {
  return without(options, 1, (at) => at[0] === "--new-session");
}

/** Leaves out each option of so many words that the test picks. */
function without(
  options: readonly string[],
  words: number,
  picks: (at: readonly string[]) => boolean,
): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < options.length; ) {
    if (options[at]?.startsWith("--") === true && picks(options.slice(at, at + words))) at += words;
    else kept.push(options[at++] ?? "");
  }
  return kept;
}

function place(options: readonly string[], run: readonly string[]): number {
  const at = options.findIndex((_, index) => run.every((word, offset) => options[index + offset] === word));
  if (at < 0) throw new Error(`no ${run.join(" ")} in the plan`);
  return at;
}

function replace(
  options: readonly string[],
  old: readonly string[],
  by: readonly string[],
): readonly string[] {
  return options.toSpliced(place(options, old), old.length, ...by);
}

function before(
  options: readonly string[],
  run: readonly string[],
  more: readonly string[],
): readonly string[] {
  return options.toSpliced(place(options, run), 0, ...more);
}

function after(
  options: readonly string[],
  run: readonly string[],
  more: readonly string[],
): readonly string[] {
  return options.toSpliced(place(options, run) + run.length, 0, ...more);
}

/** Without a namespace of its own no new `/proc` can be mounted: the host's is shown. */
function withoutPidNamespace(options: readonly string[]): readonly string[] {
  const others = ["--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup"];
  const shared = replace(
    replace(options, ["--unshare-all"], others),
    ["--proc", "/proc"],
    ["--ro-bind", "/proc", "/proc"],
  );
  const first = without(shared, 1, (at) => at[0] === "--as-pid-1");
  return without(first, 2, (at) => at[0] === "--remount-ro" && at[1] === "/proc");
}
