import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getSystemErrorName } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardProgram } from "../../src/backend/seccomp/standard.ts";
import { answers32, type Call32, calling32, INT80, program32, programOf } from "../support/battery/elf.ts";
import { PEOPLE, type Person } from "../support/battery/people.ts";
import {
  ALLOWED_ON_PURPOSE,
  BY_ARGUMENT,
  expectedAnswer,
  grantedOf,
  NOT_PERMITTED,
  NOT_THERE,
  type Row,
  rowsOf,
} from "../support/seccomp-expected.ts";

const BWRAP = "/usr/bin/bwrap";
const PERL = "/usr/bin/perl";
const SANDBOX = [
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
  ...["--unshare-all", "--unshare-user", "--cap-drop", "ALL", "--die-with-parent"],
];
const ARCH = process.arch === "arm64" ? "arm64" : "x64";
const SELF = "self";
const SIGSYS = 128 + 31;
const SIGSEGV = 128 + 11;

const unusable = whyUnusable();
if (unusable !== undefined) console.warn(`seccomp is not tried on this kernel: ${unusable}`);

it.runIf(process.env["COFFERDAM_SANDBOX_MUST_WORK"] === "1")("a sandbox works where it must", () => {
  expect(unusable).toBeUndefined();
});

type Program = Uint8Array | "unfiltered";

/** One call, what it answers without a filter (one of these, by kernel; null: whatever), and what with it: an error, or the same. */
interface Attempt {
  readonly title: string;
  readonly call: readonly (number | string)[];
  readonly without: readonly string[] | null;
  readonly within: string;
}

const nr = (name: string): number => {
  const found = [...rowsOf([...NOT_PERMITTED, ...NOT_THERE, ...BY_ARGUMENT], ARCH)].find(
    ([, one]) => one === name,
  );
  if (found === undefined) throw new Error(`${ARCH} has no ${name}`);
  return found[0];
};

/** Arguments that no call can do anything with. */
const NONSENSE = [-1, -1, -1, -1, -1, -1];

/** Every call of the table that is refused whatever its arguments, and those that were allowed on purpose. */
const WHOLE: readonly Attempt[] = [
  ...[...rowsOf(NOT_PERMITTED, ARCH)].map(([number, name]) =>
    refused(`sys: ${name}`, [number, ...NONSENSE], "EPERM"),
  ),
  ...[...rowsOf(NOT_THERE, ARCH)].map(([number, name]) =>
    refused(`sys: ${name}`, [number, ...NONSENSE], "ENOSYS"),
  ),
  ...["process_vm_readv", "process_vm_writev"].map((name) =>
    refused(`sys: ${name}`, [nr(name), SELF, 0, 0, 0, 0, 0], "EPERM", ["ok"]),
  ),
  refused("sys: kcmp", [nr("kcmp"), SELF, SELF, 0, 0, 0], "EPERM", ["ok", "ENOSYS"]),
  ...[472, 600, 1023, 0x3fffffff].map((number) =>
    refused(`sys: call ${number}, which nobody has judged`, [number], "ENOSYS"),
  ),
  ...ALLOWED_ON_PURPOSE.map(([number, name]) => same(`sys: ${name}`, [number, ...NONSENSE])),
];

const CLONE_THREAD = 0x10000;

/** What an argument decides, each beside the same call with another one; high words are nothing that the kernel looks at. */
const ARGUED: readonly Attempt[] = [
  ...[0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000].map((flag) =>
    // A thread without what threads share is no thread, so nothing is started where the filter lets it pass.
    refused(
      `priv: clone with flag 0x${flag.toString(16)}`,
      [nr("clone"), flag | CLONE_THREAD, 0, 0, 0, 0],
      "EPERM",
      ["EINVAL"],
    ),
  ),
  refused("priv: clone with a high word", [nr("clone"), 0x123_1001_0000, 0, 0, 0, 0], "EPERM", ["EINVAL"]),
  same("priv: clone of a thread", [nr("clone"), CLONE_THREAD, 0, 0, 0, 0], ["EINVAL"]),
  refused("priv: unshare of users", [nr("unshare"), 0x10000000], "EPERM", ["ok"]),
  refused("priv: unshare of users and time", [nr("unshare"), 0x10000080], "EPERM"),
  refused("priv: unshare of time", [nr("unshare"), 0x80], "EPERM"),
  refused("priv: unshare of what there is not yet", [nr("unshare"), 0x100000], "EPERM", ["EINVAL"]),
  same("priv: unshare of open files", [nr("unshare"), 0x400], ["ok"]),
  ...[0x5412, 0x541c, 0x5423, 0x50009401, 0x50009417, 0x5000943f].flatMap((request) => [
    refused(`tty, fs: request 0x${request.toString(16)}`, [nr("ioctl"), -1, request, 0], "EPERM", ["EBADF"]),
    refused(
      `tty, fs: request 0x${request.toString(16)} with a high word`,
      [nr("ioctl"), -1, 0x123_0000_0000 + request, 0],
      "EPERM",
      ["EBADF"],
    ),
  ]),
  same("tty: another request", [nr("ioctl"), -1, 0x5413, 0], ["EBADF"]),
  ...[1, 2, 10].map((family) =>
    same(`sock: family ${family}`, [nr("socket"), family, 2, 0], ["ok", "EAFNOSUPPORT"]),
  ),
  same("sock: a unix socket", [nr("socket"), 1, 1, 0], ["ok"]),
  same("sock: netlink about routes", [nr("socket"), 16, 3, 0], ["ok"]),
  same("sock: netlink about routes, with a high word", [nr("socket"), 0x123_0000_0010, 3, 0], ["ok"]),
  ...[4, 9, 12, 15, 0x1_0000_0009].map((protocol) =>
    refused(`sock: netlink ${protocol}`, [nr("socket"), 16, 3, protocol], "EAFNOSUPPORT"),
  ),
  ...[0, 3, 15, 17, 29, 31, 38, 44, 0x123_0000_0026].map((family) =>
    refused(`sock: family ${family}`, [nr("socket"), family, 3, 0], "EAFNOSUPPORT"),
  ),
  refused("sock: a vsock", [nr("socket"), 40, 1, 0], "EAFNOSUPPORT", ["ok", "EAFNOSUPPORT"]),
  refused("sock: a vsock with a high word", [nr("socket"), 0x123_0000_0028, 1, 0], "EAFNOSUPPORT", [
    "ok",
    "EAFNOSUPPORT",
  ]),
  refused("sock: a pair of vsocks", [nr("socketpair"), 40, 1, 0, 0], "EAFNOSUPPORT"),
  refused("sock: a pair of netlink sockets", [nr("socketpair"), 16, 3, 9, 0], "EAFNOSUPPORT"),
  same("sock: a pair of unix sockets", [nr("socketpair"), 1, 1, 0, 0], ["EFAULT"]),
  same("sys: which personality", [nr("personality"), 0xffffffff], ["ok"]),
  same("sys: an ordinary personality", [nr("personality"), 0], ["ok"]),
  refused("sys: addresses that are not random", [nr("personality"), 0x40000], "EPERM", ["ok"]),
  refused("sys: another personality, with a high word", [nr("personality"), 0x123_0040_0000], "EPERM", [
    "ok",
  ]),
  refused("sys: taking a lease", [nr("fcntl"), -1, 1024, 1], "EPERM", ["EBADF"]),
  refused("sys: taking a delegation", [nr("fcntl"), -1, 1040, 1], "EPERM", ["EBADF"]),
  same("sys: asking for a lease", [nr("fcntl"), -1, 1025, 0], ["EBADF"]),
  ...(ARCH === "x64" ? [...foreignNumbers(), ...modesByPath()] : []),
  ...modeAttempts("fchmod", [-1, 0o4755], [-1, 0o3755], ["EBADF"]),
  ...modeAttempts("fchmodat", [-1, 0, 0o4755], [-1, 0, 0o3755], ["EFAULT"]),
  // Linux 6.6.
  ...modeAttempts("fchmodat2", [-1, 0, 0o4755, 0], [-1, 0, 0o3755, 0], ["EFAULT", "ENOSYS"]),
  ...modeAttempts("mknodat", [-1, 0, 0o104755, 0], [-1, 0, 0o103755, 0], ["EFAULT"]),
  ...modeAttempts("openat", [-1, 0, 0o100, 0o4755], [-1, 0, 0o100, 0o3755], ["EFAULT"]),
  same(
    "sys: opening a file that makes none, whatever the mode",
    [nr("openat"), -1, 0, 0, 0o4755],
    ["EFAULT"],
  ),
  // It changes the process, so it comes last.
  refused("sys: ptrace", [nr("ptrace"), 0, 0, 0, 0], "EPERM", ["ok"]),
];

/** No pair is made: past the filter the kernel finds no place to write its descriptors to, and says EFAULT. */
const WITHOUT_UNIX: readonly Attempt[] = [
  ...[1, 2, 3, 5, 0x8_0801].map((type) =>
    refused(`sock: a unix socket of type ${type}`, [nr("socket"), 1, type, 0], "EAFNOSUPPORT", ["ok"]),
  ),
  refused("sock: a unix socket, with a high word", [nr("socket"), 0x123_0000_0001, 1, 0], "EAFNOSUPPORT", [
    "ok",
  ]),
  ...[2, 3, 0x802, 0x8_0002].map((type) =>
    refused(`sock: a pair of type ${type}`, [nr("socketpair"), 1, type, 0, 0], "EAFNOSUPPORT", ["EFAULT"]),
  ),
  ...[1, 5, 0x801, 0x8_0805].map((type) =>
    same(`sock: a pair of type ${type}`, [nr("socketpair"), 1, type, 0, 0], ["EFAULT"]),
  ),
  same("sock: a socket of the internet", [nr("socket"), 2, 2, 0], ["ok"]),
  same("sock: netlink about routes", [nr("socket"), 16, 3, 0], ["ok"]),
];

/** What `debug` gives, and what it does not: process 1 here is the launcher's. */
const DEBUGGED: readonly Attempt[] = [
  same("sys: reading a process", [nr("process_vm_readv"), SELF, 0, 0, 0, 0, 0], ["ok"]),
  same("sys: writing into a process", [nr("process_vm_writev"), SELF, 0, 0, 0, 0, 0], ["ok"]),
  same("sys: kcmp", [nr("kcmp"), SELF, SELF, 0, 0, 0], ["ok", "ENOSYS"]),
  same("sys: addresses that are not random", [nr("personality"), 0x40000], ["ok"]),
  refused("sys: another personality", [nr("personality"), 0x400000], "EPERM", ["ok"]),
  refused("sys: reading the first process", [nr("process_vm_readv"), 1, 0, 0, 0, 0, 0], "EPERM", ["ok"]),
  refused("sys: writing into the first process", [nr("process_vm_writev"), 1, 0, 0, 0, 0, 0], "EPERM", [
    "ok",
  ]),
  // PTRACE_CONT: whoever is let through is told that it is not their tracee. One that really traced it would stop it.
  refused("proc: a request to the first process", [nr("ptrace"), 7, 1, 0, 0], "EPERM", ["ESRCH"]),
  refused("proc: a request to it, with a high word", [nr("ptrace"), 7, 0x123_0000_0001, 0, 0], "EPERM", [
    "ESRCH",
  ]),
  same("proc: a request to another process", [nr("ptrace"), 7, SELF, 0, 0], ["ESRCH"]),
  ...["pidfd_getfd", "process_madvise", "userfaultfd", "perf_event_open", "keyctl", "mount"].map((name) =>
    refused(`sys: ${name}`, [nr(name), ...NONSENSE], "EPERM"),
  ),
  same("sys: ptrace", [nr("ptrace"), 0, 0, 0, 0], ["ok"]),
];

describe.skipIf(unusable !== undefined).each(PEOPLE)(
  "the standard program in a real sandbox, as $name",
  (person) => {
    let folder = "";
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "cofferdam-seccomp-"));
      chmodSync(folder, 0o755);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    const inside = (program: Program, command: readonly string[], before: readonly string[] = []) =>
      runInside(folder, person, program, command, before);

    describe.each([
      ["call by call", standardProgram(ARCH, grantedOf(["unix"])), WHOLE],
      ["by their arguments", standardProgram(ARCH, grantedOf(["unix"])), ARGUED],
      ["without unix sockets", standardProgram(ARCH, grantedOf([])), WITHOUT_UNIX],
      ["granted debug", standardProgram(ARCH, grantedOf(["debug", "unix"])), DEBUGGED],
    ] as const)("%s", (_, program, attempts) => {
      let [unfiltered, filtered, marked]: readonly (readonly string[])[] = [];
      beforeAll(() => {
        const answers = (under: Program): readonly string[] =>
          inside(under, tryCalls(attempts)).stdout.toString().trim().split("\n").map(nameAnswer);
        [unfiltered, filtered, marked] = [
          answers("unfiltered"),
          answers(program),
          answers(withMarkedErrors(program)),
        ];
      });

      it.each(attempts.map((attempt, index) => ({ ...attempt, index })))(
        "$title → $within",
        ({ index, without, within }) => {
          const before = unfiltered?.[index] ?? "nothing";
          expect(before).toMatch(/^(ok|E[A-Z0-9]+)$/);
          if (without !== null) expect(without).toContain(before);
          const isOurs = within !== "the same";
          expect(filtered?.[index]).toBe(isOurs ? within : before);
          expect(marked?.[index]).toBe(isOurs ? `ours: ${within}` : before);
        },
      );
    });

    it("sys: a 32-bit program, and a 32-bit call of a 64-bit one, is killed, where the kernel takes such calls at all", ({
      skip,
    }) => {
      if (ARCH !== "x64") skip("these programs are x86's");
      const [mixed, whole] = [join(folder, "int80"), join(folder, "program32")];
      writeFileSync(mixed, programOf(INT80), { mode: 0o755 });
      writeFileSync(whole, program32(), { mode: 0o755 });
      const unfiltered = inside("unfiltered", [mixed]).status;
      expect([0, SIGSEGV]).toContain(unfiltered);
      expect(inside(standardProgram(ARCH, grantedOf(["unix"])), [mixed]).status).toBe(
        unfiltered === 0 ? SIGSYS : SIGSEGV,
      );
      expect(inside(standardProgram(ARCH, grantedOf(["abi32", "unix"])), [mixed]).status).toBe(unfiltered);
      if (unfiltered !== 0) return;
      expect(inside("unfiltered", [whole]).status).toBe(7);
      expect(inside(standardProgram(ARCH, grantedOf(["unix"])), [whole]).status).toBe(SIGSYS);
      expect(inside(standardProgram(ARCH, grantedOf(["abi32", "unix"])), [whole]).status).toBe(7);
    });

    it("sys: granted abi32, a 32-bit program is refused the same by its own numbers", ({ skip }) => {
      if (ARCH !== "x64") skip("these programs are x86's");
      const program = standardProgram(ARCH, grantedOf(["abi32", "unix"]));
      const file = join(folder, "calling32");
      writeFileSync(file, program32(calling32(CALLS32.map(({ call }) => call))), { mode: 0o755 });
      const answers = (under: Program) =>
        answers32(inside(under, [file]).stdout).map((one) => (one < 0 ? nameAnswer(String(-one)) : "ok"));
      const unfiltered = answers("unfiltered");
      if (unfiltered.length === 0) skip("the kernel takes no 32-bit calls");
      const [filtered, marked] = [answers(program), answers(withMarkedErrors(program))];
      const expected = CALLS32.map(({ within }, at) => (within === "the same" ? unfiltered[at] : within));
      const named = (list: readonly (string | undefined)[]) =>
        CALLS32.map(({ name }, at) => `${name}: ${list[at]}`);
      expect(named(filtered)).toEqual(named(expected));
      expect(named(marked)).toEqual(
        named(CALLS32.map(({ within }, at) => (within === "the same" ? unfiltered[at] : `ours: ${within}`))),
      );
      expect(unfiltered.every((one) => /^(ok|E[A-Z0-9]+)$/.test(one))).toBe(true);
    });

    it("sys: a tracer does not get a call of its tracee's past the filter", ({ skip }) => {
      if (ARCH !== "x64") skip("the registers are x86's");
      const changed = (program: Program) => inside(program, [PERL, "-e", TRACER]).stdout.toString();
      // Operation not supported is what keyctl itself says of what it is asked.
      expect(changed("unfiltered")).toMatch(/^answered -(38|95)\n$/);
      expect(changed(standardProgram(ARCH, grantedOf(["debug", "unix"])))).toBe("answered -1\n");
      expect(changed(withMarkedErrors(standardProgram(ARCH, grantedOf(["debug", "unix"]))))).toBe(
        "answered -1001\n",
      );
      expect(changed(standardProgram(ARCH, grantedOf(["unix"])))).toBe("not traced\n");
    });

    it("tty: what a process pushes does not arrive in the terminal it shares", () => {
      const push = [PERL, "-e", PUSH];
      const terminal = [PERL, "-e", TERMINAL];
      const arrives = inside("unfiltered", push, terminal).stdout.toString();
      expect(arrives).toBe(kernelTakesPushes() ? "pushed\ntyped: x\n" : "EIO\ntyped: \n");
      expect(inside(standardProgram(ARCH, grantedOf(["unix"])), push, terminal).stdout.toString()).toBe(
        "EPERM\ntyped: \n",
      );
    });
  },
);

function refused(
  title: string,
  call: Attempt["call"],
  within: string,
  without: Attempt["without"] = null,
): Attempt {
  return { title, call, without, within };
}

function same(title: string, call: Attempt["call"], without: Attempt["without"] = null): Attempt {
  return { title, call, without, within: "the same" };
}

/** Without a path these reach nothing: what is tried is whether the kernel comes to look for one. */
function modesByPath(): readonly Attempt[] {
  return [
    ...modeAttempts("chmod", [0, 0o4755], [0, 0o3755], ["EFAULT"]),
    ...modeAttempts("creat", [0, 0o4755], [0, 0o3755], ["EFAULT"]),
    ...modeAttempts("mknod", [0, 0o104755, 0], [0, 0o103755, 0], ["EFAULT"]),
    ...modeAttempts("open", [0, 0o100, 0o4755], [0, 0o100, 0o3755], ["EFAULT"]),
  ];
}

/** Calls of x32, by its own numbers too, with its bit and, as Linux before 5.4 took them, without. */
function foreignNumbers(): readonly Attempt[] {
  const X32 = 0x40000000;
  return [
    refused("sys: getpid of x32", [X32 + 39], "ENOSYS", ["ok", "ENOSYS"]),
    ...[16, 101, 250, 514, 521, 539].map((number) =>
      refused(`sys: call ${number} of x32`, [X32 + number, ...NONSENSE], "ENOSYS"),
    ),
    ...[512, 514, 521, 539, 540, 547].map((number) =>
      refused(`sys: call ${number} of x32 without its bit`, [number, ...NONSENSE], "ENOSYS"),
    ),
  ];
}

function modeAttempts(
  name: string,
  setuid: readonly number[],
  other: readonly number[],
  without: readonly string[],
): readonly Attempt[] {
  return [
    refused(`sys: ${name} with the setuid bit`, [nr(name), ...setuid], "EPERM", without),
    same(`sys: ${name} with other bits`, [nr(name), ...other], without),
  ];
}

interface Attempt32 {
  readonly name: string;
  readonly call: Call32;
  readonly within: string;
}

/** Every refused call by its i386 number, those that arguments decide, and what is allowed beside them. */
const CALLS32: readonly Attempt32[] = [
  ...[...NOT_PERMITTED, ...NOT_THERE].flatMap((row: Row): Attempt32[] => {
    const number = row[3];
    if (number === null) return [];
    return [{ name: row[0], call: [number], within: NOT_PERMITTED.includes(row) ? "EPERM" : "ENOSYS" }];
  }),
  ...Object.entries({
    ptrace: [[7, 1]],
    kcmp: [[]],
    process_vm_readv: [[1, 0, 0, 0, 0, 0]],
    clone: [[0x10010000], [0x10000]],
    unshare: [[0x10000000], [0x400]],
    ioctl: [
      [-1, 0x5412],
      [-1, 0x541c],
      [-1, 0x5413],
    ],
    socket: [
      [40, 1, 0],
      [38, 5, 0],
      [16, 3, 9],
      [16, 3, 0],
      [1, 1, 0],
    ],
    socketpair: [
      [40, 1, 0, 0],
      [1, 1, 0, 0],
    ],
    // SYS_SOCKET, SYS_SOCKETPAIR and SYS_BIND, their arguments nowhere.
    socketcall: [
      [1, 0],
      [8, 0],
      [2, 0],
    ],
    fcntl: [
      [-1, 1024, 1],
      [-1, 1025, 1],
    ],
    fcntl64: [
      [-1, 1040, 1],
      [-1, 1025, 1],
    ],
    fchmod: [
      [-1, 0o4755],
      [-1, 0o755],
    ],
    openat: [
      [-1, 0, 0o100, 0o4755],
      [-1, 0, 0o100, 0o755],
    ],
    personality: [[0x400000], [-1]],
  }).flatMap(([name, calls]) => {
    const number = [...rowsOf(BY_ARGUMENT, "i386")].find(([, one]) => one === name)?.[0] ?? -1;
    return calls.map((args): Attempt32 => {
      const words = args.map((one) => BigInt.asUintN(32, BigInt(one)));
      const answer = expectedAnswer("x64", ["abi32", "unix"], "i386", number, words);
      const within = answer === "allow" ? "the same" : getSystemErrorName(-Number(answer.split(" ")[1]));
      return { name: `${name}(${args.join(", ")})`, call: [number, ...args], within };
    });
  }),
  // SysV IPC of all kinds by one number, which its namespace holds back: an operation that there is not.
  { name: "ipc", call: [117, 99], within: "the same" },
  { name: "getpid", call: [20], within: "the same" },
  { name: "a call that nobody has judged", call: [472], within: "ENOSYS" },
];

/** Runs a command in a sandbox as the person; the program goes through descriptor 3, as in a real launch. */
function runInside(
  folder: string,
  { runAs }: Person,
  program: Program,
  command: readonly string[],
  before: readonly string[],
) {
  const file = join(folder, "program");
  writeFileSync(file, program === "unfiltered" ? "" : program);
  const descriptor = openSync(file, "r");
  const filter = program === "unfiltered" ? [] : ["--seccomp", "3"];
  const [executable = BWRAP, ...args] = [...before, BWRAP, ...SANDBOX, ...filter, "--", ...command];
  try {
    return spawnSync(executable, args, {
      ...runAs,
      cwd: "/",
      stdio: ["ignore", "pipe", "pipe", descriptor],
      timeout: 20_000,
    });
  } finally {
    closeSync(descriptor);
  }
}

/** What keeps these tests from running here, in words. */
function whyUnusable(): string | undefined {
  if (process.platform !== "linux") return `there is no seccomp on ${process.platform}`;
  if (process.arch !== "x64" && process.arch !== "arm64") return `no program is compiled for ${process.arch}`;
  for (const needed of [BWRAP, PERL]) if (!existsSync(needed)) return `${needed} is missing`;
  const tried = spawnSync(BWRAP, [...SANDBOX, "--", "/bin/true"], { encoding: "utf8", timeout: 20_000 });
  return tried.status === 0 ? undefined : tried.stderr.trim() || "bwrap did not start";
}

/** Prints for each call `ok` or the number of its error. */
function tryCalls(attempts: readonly Attempt[]): readonly string[] {
  const script = `for (@ARGV) { my ($n, @a) = map { $_ eq "${SELF}" ? $$ : 0 + $_ } split /,/; $! = 0; my $r = syscall($n, @a); print $r == -1 ? 0 + $! : "ok", "\\n" }`;
  return [PERL, "-e", `$| = 1; ${script}`, "--", ...attempts.map(({ call }) => call.join(","))];
}

const MARK = 1000;

function nameAnswer(text: string): string {
  const errno = Number(text);
  if (Number.isNaN(errno)) return text;
  return errno > MARK ? `ours: ${getSystemErrorName(MARK - errno)}` : getSystemErrorName(-errno);
}

/**
 * The same program with every error raised by 1000, to a number that no kernel reports: seen in a
 * probe, it proves that the refusal is the filter's and not the machine's own.
 */
function withMarkedErrors(program: Uint8Array): Uint8Array {
  const marked = program.slice();
  const view = new DataView(marked.buffer);
  for (let at = 0; at < marked.byteLength; at += 8) {
    const value = view.getUint32(at + 4, true);
    if (view.getUint16(at, true) === 0x06 && value >>> 16 === 0x0005)
      view.setUint32(at + 4, value + MARK, true);
  }
  return marked;
}

/** Linux 6.2 made pushing a choice of the machine; before, it was always possible. */
function kernelTakesPushes(): boolean {
  const setting = "/proc/sys/dev/tty/legacy_tiocsti";
  return !existsSync(setting) || readFileSync(setting, "utf8").trim() === "1";
}

/**
 * Traces a child that asks for its parent's number, stops it at that call (PTRACE_SYSCALL), makes a keyctl of it in the
 * register of the call's number, and prints what the call answered (ptrace(2), struct user of sys/user.h on x86_64).
 */
const TRACER = `
  my ($ptrace, $wait4, $getppid, $keyctl, $orig_rax, $rdi, $rax) = (101, 61, 110, 250, 120, 112, 80);
  my $child = fork // die;
  if (!$child) { syscall($ptrace, 0, 0, 0, 0) < 0 and do { print "not traced\\n"; exit }; kill 19, $$; syscall($getppid); exit }
  my $wait = sub { my $status = pack "q", 0; syscall($wait4, $child, $status, 0, 0); exit if (unpack("q", $status) & 0xff) != 0x7f };
  $wait->();
  my $peek = sub { my $word = pack "q", 0; syscall($ptrace, 3, $child, $_[0] + 0, $word); unpack "q", $word };
  for (1 .. 99) {
    syscall($ptrace, 24, $child, 0, 0); $wait->();
    next if $peek->($orig_rax) != $getppid;
    syscall($ptrace, 6, $child, $orig_rax + 0, $keyctl + 0); syscall($ptrace, 6, $child, $rdi + 0, 9999);
    syscall($ptrace, 24, $child, 0, 0); $wait->();
    print "answered ", $peek->($rax), "\\n"; kill 9, $child; exit;
  }`;

/** Pushes a line into the terminal that is its input. */
const PUSH = `
  for my $c (split //, "x\\n") { next if ioctl(STDIN, 0x5412, $c); print $!{EPERM} ? "EPERM\\n" : $!{EIO} ? "EIO\\n" : "$!\\n"; exit }
  print "pushed\\n";`;

/** Opens a fresh terminal, runs the command with it as input and controlling terminal, then prints what was typed there. */
const TERMINAL = `
  use POSIX (); open my $master, "+<", "/dev/ptmx" or die "ptmx: $!";
  my ($unlock, $number) = (pack("i", 0), pack("i", 0));
  ioctl($master, 0x40045431, $unlock) && ioctl($master, 0x80045430, $number) or die "pts: $!";
  if (my $child = fork) { waitpid $child, 0; exit $? >> 8 }
  POSIX::setsid(); open STDIN, "+<", "/dev/pts/" . unpack("i", $number) or die "open: $!";
  system @ARGV; my $typed = "";
  while (1) { my $ready = ""; vec($ready, 0, 1) = 1; last unless select($ready, undef, undef, 0.3); sysread(STDIN, $typed, 99, length $typed) or last }
  chomp $typed; print "typed: $typed\\n";`;
