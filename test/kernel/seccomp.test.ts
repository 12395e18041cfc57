import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getSystemErrorName } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SeccompArch } from "../../src/backend/seccomp/abi.ts";
import { compileSeccomp } from "../../src/backend/seccomp/policy.ts";
import { STANDARD_POLICY } from "../../src/backend/seccomp/standard.ts";
import { SYSCALLS } from "../../src/backend/seccomp/syscalls.ts";
import { INT80, programOf } from "../support/battery/elf.ts";

const BWRAP = "/usr/bin/bwrap";
const PERL = "/usr/bin/perl";
const WALLS = [
  "--ro-bind",
  "/",
  "/",
  "--dev",
  "/dev",
  "--proc",
  "/proc",
  "--unshare-all",
  "--unshare-user",
  "--cap-drop",
  "ALL",
  "--die-with-parent",
];
const ARCH: SeccompArch = process.arch === "arm64" ? "arm64" : "x64";
const PROGRAM = compileSeccomp(STANDARD_POLICY, ARCH);
const SELF = "self";

const unusable = whyUnusable();
if (unusable !== undefined) console.warn(`seccomp is not tried on this kernel: ${unusable}`);

it.runIf(process.env["COFFERDAM_SANDBOX_MUST_WORK"] === "1")("a sandbox works where it must", () => {
  expect(unusable).toBeUndefined();
});

/** One call, what it answers without a filter (one of these, by kernel), and what with it: an error, or the same. */
interface Attempt {
  readonly title: string;
  readonly call: readonly (number | string)[];
  readonly without: readonly string[];
  readonly within: string;
}

const nr = (name: keyof typeof SYSCALLS): number => {
  const number = SYSCALLS[name][ARCH];
  if (number === "absent") throw new Error(`${ARCH} has no ${name}`);
  return number;
};

const X32_GETPID: Attempt = {
  title: "sys: an x32 getpid",
  call: [0x40000000 + 39],
  without: ["ok", "ENOSYS"],
  within: "ENOSYS",
};

/** Without a path these reach nothing: what is tried is whether the kernel comes to look for one. */
const modesByPath = (): readonly Attempt[] => [
  ...modeAttempts("chmod", [0, 0o4755], [0, 0o3755], ["EFAULT"]),
  ...modeAttempts("creat", [0, 0o4755], [0, 0o3755], ["EFAULT"]),
  ...modeAttempts("mknod", [0, 0o104755, 0], [0, 0o103755, 0], ["EFAULT"]),
  ...modeAttempts("open", [0, 0o100, 0o4755], [0, 0o100, 0o3755], ["EFAULT"]),
];

const MODES: readonly Attempt[] = [
  ...(ARCH === "x64" ? modesByPath() : []),
  ...modeAttempts("fchmod", [-1, 0o4755], [-1, 0o3755], ["EBADF"]),
  ...modeAttempts("fchmodat", [-1, 0, 0o4755], [-1, 0, 0o3755], ["EFAULT"]),
  // Linux 6.6.
  ...modeAttempts("fchmodat2", [-1, 0, 0o4755, 0], [-1, 0, 0o3755, 0], ["EFAULT", "ENOSYS"]),
  ...modeAttempts("mknodat", [-1, 0, 0o104755, 0], [-1, 0, 0o103755, 0], ["EFAULT"]),
  ...modeAttempts("openat", [-1, 0, 0o100, 0o4755], [-1, 0, 0o100, 0o3755], ["EFAULT"]),
  {
    title: "sys: opening a file that makes none, whatever the mode",
    call: [nr("openat"), -1, 0, 0, 0o4755],
    without: ["EFAULT"],
    within: "EFAULT",
  },
  {
    title: "sys: openat2",
    call: [nr("openat2"), -1, 0, 0, 0],
    without: ["EINVAL", "ENOSYS"],
    within: "ENOSYS",
  },
];

const ATTEMPTS: readonly Attempt[] = [
  { title: "tty: TIOCSTI", call: [nr("ioctl"), -1, 0x5412, 0], without: ["EBADF"], within: "EPERM" },
  {
    title: "tty: TIOCSTI with a high word",
    call: [nr("ioctl"), -1, 0x123_0000_5412, 0],
    without: ["EBADF"],
    within: "EPERM",
  },
  { title: "tty: TIOCLINUX", call: [nr("ioctl"), -1, 0x541c, 0], without: ["EBADF"], within: "EPERM" },
  { title: "tty: another ioctl", call: [nr("ioctl"), -1, 0x5413, 0], without: ["EBADF"], within: "EBADF" },
  {
    title: "sock: a vsock",
    call: [nr("socket"), 40, 1, 0],
    without: ["ok", "EAFNOSUPPORT"],
    within: "EAFNOSUPPORT",
  },
  {
    title: "sock: a vsock with a high word",
    call: [nr("socket"), 0x123_0000_0028, 1, 0],
    without: ["ok", "EAFNOSUPPORT"],
    within: "EAFNOSUPPORT",
  },
  {
    title: "sock: a pair of vsocks",
    call: [nr("socketpair"), 40, 1, 0, 0],
    without: ["EFAULT", "EOPNOTSUPP", "EAFNOSUPPORT"],
    within: "EAFNOSUPPORT",
  },
  { title: "sock: a unix socket", call: [nr("socket"), 1, 1, 0], without: ["ok"], within: "ok" },
  {
    title: "sock: a pair of unix sockets",
    call: [nr("socketpair"), 1, 1, 0, 0],
    without: ["EFAULT"],
    within: "EFAULT",
  },
  ...(ARCH === "x64" ? [X32_GETPID] : []),
  {
    title: "sys: process_vm_readv",
    call: [nr("process_vm_readv"), SELF, 0, 0, 0, 0, 0],
    without: ["ok"],
    within: "EPERM",
  },
  {
    title: "sys: process_vm_writev",
    call: [nr("process_vm_writev"), SELF, 0, 0, 0, 0, 0],
    without: ["ok"],
    within: "EPERM",
  },
  // A kernel may have rings switched off (kernel.io_uring_disabled) or left out.
  {
    title: "sock: a ring",
    call: [nr("io_uring_setup"), 1, 0],
    without: ["EFAULT", "EPERM", "ENOSYS"],
    within: "ENOSYS",
  },
  {
    title: "proc: taking a descriptor of another process",
    call: [nr("pidfd_getfd"), -1, 0, 0],
    without: ["EBADF", "ENOSYS"],
    within: "EPERM",
  },
  {
    title: "sys: adding a key",
    call: [nr("add_key"), 0, 0, 0, 0, 0],
    without: ["EFAULT", "ENOSYS"],
    within: "EPERM",
  },
  {
    title: "sys: asking for a key",
    call: [nr("request_key"), 0, 0, 0, 0],
    without: ["EFAULT", "ENOSYS"],
    within: "EPERM",
  },
  // An operation that no kernel has.
  {
    title: "sys: working on a key",
    call: [nr("keyctl"), 9999, 0, 0, 0, 0],
    without: ["ENOTSUP", "ENOSYS"],
    within: "EPERM",
  },
  {
    title: "sys: taking a lease",
    call: [nr("fcntl"), -1, 1024, 1],
    without: ["EBADF"],
    within: "EPERM",
  },
  {
    title: "sys: asking for a lease",
    call: [nr("fcntl"), -1, 1025, 0],
    without: ["EBADF"],
    within: "EBADF",
  },
  ...MODES,
  {
    title: "sock: entering a ring",
    call: [nr("io_uring_enter"), -1, 0, 0, 0, 0, 0],
    without: ["EBADF", "ENOSYS"],
    within: "ENOSYS",
  },
  {
    title: "sock: registering with a ring",
    call: [nr("io_uring_register"), -1, 0, 0, 0],
    without: ["EBADF", "EINVAL", "EPERM", "ENOSYS"],
    within: "ENOSYS",
  },
  { title: "sys: ptrace", call: [nr("ptrace"), 0, 0, 0, 0], without: ["ok"], within: "EPERM" },
];

describe.skipIf(unusable !== undefined)("the standard program in a real sandbox", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "cofferdam-seccomp-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a command behind the walls; the program goes through descriptor 3, as in a real launch. */
  function inside(
    program: Uint8Array | "unfiltered",
    command: readonly string[],
    before: readonly string[] = [],
  ) {
    const file = join(folder, "program");
    writeFileSync(file, program === "unfiltered" ? "" : program);
    const descriptor = openSync(file, "r");
    const filter = program === "unfiltered" ? [] : ["--seccomp", "3"];
    const [executable = BWRAP, ...args] = [...before, BWRAP, ...WALLS, ...filter, "--", ...command];
    try {
      return spawnSync(executable, args, {
        stdio: ["ignore", "pipe", "pipe", descriptor],
        encoding: "utf8",
        timeout: 20_000,
      });
    } finally {
      closeSync(descriptor);
    }
  }

  describe("call by call", () => {
    let unfiltered: readonly string[] = [];
    let filtered: readonly string[] = [];
    let marked: readonly string[] = [];

    beforeAll(() => {
      const answers = (program: Uint8Array | "unfiltered") =>
        inside(program, tryCalls()).stdout.trim().split("\n").map(nameAnswer);
      unfiltered = answers("unfiltered");
      filtered = answers(PROGRAM);
      marked = answers(withMarkedErrors(PROGRAM));
    });

    it.each(ATTEMPTS.map((attempt, index) => ({ ...attempt, index })))(
      "$title → $within",
      ({ index, without, within }) => {
        expect(without).toContain(unfiltered[index]);
        const expected = within === "unchanged" ? unfiltered[index] : within;
        expect(filtered[index]).toBe(expected);
        const refusedByUs = within === "EPERM" || within === "EAFNOSUPPORT" || within === "ENOSYS";
        expect(marked[index]).toBe(refusedByUs ? `ours: ${within}` : expected);
      },
    );
  });

  it("sys: a 32-bit call from a 64-bit program kills it, where the kernel takes such calls at all", ({
    skip,
  }) => {
    if (ARCH !== "x64") skip("`int 0x80` is x86's");
    const probe = join(folder, "int80");
    writeFileSync(probe, programOf(INT80), { mode: 0o755 });
    const unfiltered = inside("unfiltered", [probe]).status;
    const SIGSYS = 128 + 31;
    const SIGSEGV = 128 + 11;
    expect([0, SIGSEGV]).toContain(unfiltered);
    expect(inside(PROGRAM, [probe]).status).toBe(unfiltered === 0 ? SIGSYS : SIGSEGV);
  });

  it("tty: what a process pushes does not arrive in the terminal it shares", () => {
    const push = [PERL, "-e", PUSH];
    const terminal = [PERL, "-e", TERMINAL];
    const arrives = inside("unfiltered", push, terminal).stdout;
    expect(arrives).toBe(kernelTakesPushes() ? "pushed\ntyped: x\n" : "EIO\ntyped: \n");
    expect(inside(PROGRAM, push, terminal).stdout).toBe("EPERM\ntyped: \n");
  });
});

function modeAttempts(
  name: keyof typeof SYSCALLS,
  setuid: readonly number[],
  other: readonly number[],
  without: readonly string[],
): readonly Attempt[] {
  return [
    { title: `sys: ${name} with the setuid bit`, call: [nr(name), ...setuid], without, within: "EPERM" },
    { title: `sys: ${name} with other bits`, call: [nr(name), ...other], without, within: "unchanged" },
  ];
}

/** What keeps these tests from running here, in words. */
function whyUnusable(): string | undefined {
  if (process.platform !== "linux") return `there is no seccomp on ${process.platform}`;
  if (process.arch !== "x64" && process.arch !== "arm64") return `no program is compiled for ${process.arch}`;
  for (const needed of [BWRAP, PERL]) if (!existsSync(needed)) return `${needed} is missing`;
  const tried = spawnSync(BWRAP, [...WALLS, "--", "/bin/true"], { encoding: "utf8", timeout: 20_000 });
  return tried.status === 0 ? undefined : tried.stderr.trim() || "bwrap did not start";
}

/** Prints for each call `ok` or the number of its error. ptrace comes last: it changes the process. */
function tryCalls(): readonly string[] {
  const script = `for (@ARGV) { my ($n, @a) = map { $_ eq "${SELF}" ? $$ : 0 + $_ } split /,/; $! = 0; my $r = syscall($n, @a); print $r == -1 ? 0 + $! : "ok", "\\n" }`;
  return [PERL, "-e", script, "--", ...ATTEMPTS.map(({ call }) => call.join(","))];
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
