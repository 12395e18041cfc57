import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SeccompArch } from "../../../src/backend/seccomp/abi.ts";
import { printSeccomp } from "../../../src/backend/seccomp/disassemble.ts";
import { compileSeccomp, type SeccompPolicy } from "../../../src/backend/seccomp/policy.ts";
import { STANDARD_POLICY } from "../../../src/backend/seccomp/standard.ts";
import { AUDIT, type SimulatedCall, simulateSeccomp } from "../../support/seccomp-simulator.ts";

const ARCHES = ["x64", "arm64"] as const;
const EPERM = "errno 1";
const ENOSYS = "errno 38";
const EAFNOSUPPORT = "errno 97";
const X32 = 0x40000000;
/** Every bit of a mode but the setuid one, and every flag of an open but those that make a file. */
const OTHER_MODE = 0xffff_f7ffn;
const OTHER_FLAGS = 0xffbf_ffbfn;
/** Arguments that are the mode of a setuid file and the flags of an open that makes one, wherever a call has them. */
const SETUID_EVERYWHERE = Array<bigint>(4).fill(0o20004755n);
const TRICK = 0x0000_0123_0000_0000n;

/** Numbers written out again on purpose: a slip in the table under test must not repeat itself here. */
const NR = {
  x64: {
    ioctl: 16,
    fcntl: 72,
    socket: 41,
    socketpair: 53,
    ptrace: 101,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    readv: 310,
    writev: 311,
    getfd: 438,
    ring: 425,
    openat2: 437,
  },
  arm64: {
    ioctl: 29,
    fcntl: 25,
    socket: 198,
    socketpair: 199,
    ptrace: 117,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    readv: 270,
    writev: 271,
    getfd: 438,
    ring: 425,
    openat2: 437,
  },
} as const;

/** Calls that take a mode, and where: arm64 has only those that start from a folder. */
const TAKE_MODE = {
  x64: [
    ["chmod", 90, 1],
    ["fchmod", 91, 1],
    ["fchmodat", 268, 2],
    ["fchmodat2", 452, 2],
    ["mknod", 133, 1],
    ["mknodat", 259, 2],
    ["creat", 85, 1],
  ],
  arm64: [
    ["fchmod", 52, 1],
    ["fchmodat", 53, 2],
    ["fchmodat2", 452, 2],
    ["mknodat", 33, 2],
  ],
} as const;
/** Calls that open, and where their flags are; the mode comes next. */
const OPEN = {
  x64: [
    ["open", 2, 1],
    ["openat", 257, 2],
  ],
  arm64: [["openat", 56, 2]],
} as const;

interface Expectation {
  readonly title: string;
  readonly call: SimulatedCall;
  readonly answer: string;
}

function expectations(arch: SeccompArch): readonly Expectation[] {
  const nr = NR[arch];
  const native = (title: string, number: number, args: readonly bigint[], answer: string): Expectation => ({
    title,
    call: { arch: AUDIT[arch], number, args },
    answer,
  });
  const foreign = (title: string, auditArch: number): Expectation => ({
    title,
    call: { arch: auditArch, number: 0 },
    answer: "kill process",
  });
  return [
    native("ptrace is refused", nr.ptrace, [], EPERM),
    native("process_vm_readv is refused", nr.readv, [], EPERM),
    native("process_vm_writev is refused", nr.writev, [], EPERM),
    native("pidfd_getfd is refused", nr.getfd, [], EPERM),
    native("add_key is refused", nr.add_key, [], EPERM),
    native("request_key is refused", nr.request_key, [], EPERM),
    native("keyctl is refused", nr.keyctl, [], EPERM),
    native("the number before add_key is allowed", nr.add_key - 1, [], "allow"),
    native("the number after keyctl is allowed", nr.keyctl + 1, [], "allow"),
    native("io_uring_setup does not exist", nr.ring, [], ENOSYS),
    native("io_uring_enter does not exist", nr.ring + 1, [], ENOSYS),
    native("io_uring_register does not exist", nr.ring + 2, [], ENOSYS),
    native("pidfd_send_signal, the number before the rings, is allowed", nr.ring - 1, [], "allow"),
    native("open_tree, the number after the rings, is allowed", nr.ring + 3, [], "allow"),
    native("TIOCSTI is refused", nr.ioctl, [0n, 0x5412n], EPERM),
    native("TIOCSTI with a high word is refused", nr.ioctl, [0n, TRICK | 0x5412n], EPERM),
    native("TIOCLINUX is refused", nr.ioctl, [0n, 0x541cn], EPERM),
    native("TIOCLINUX with a high word is refused", nr.ioctl, [0n, TRICK | 0x541cn], EPERM),
    native("TIOCGWINSZ is allowed", nr.ioctl, [0n, 0x5413n], "allow"),
    native("TIOCCONS, the number after TIOCLINUX, is allowed", nr.ioctl, [0n, 0x541dn], "allow"),
    native("TIOCSTI in the high word is another request", nr.ioctl, [0n, 0x5412_0000_0000n], "allow"),
    native("a vsock is refused", nr.socket, [40n, 1n], EAFNOSUPPORT),
    native("a vsock with a high word is refused", nr.socket, [TRICK | 40n, 1n], EAFNOSUPPORT),
    native("a unix socket is allowed", nr.socket, [1n, 40n], "allow"),
    native("a KCM socket, the number after vsock, is allowed", nr.socket, [41n, 1n], "allow"),
    native("a pair of vsocks is refused", nr.socketpair, [40n, 1n], EAFNOSUPPORT),
    native("a pair of unix sockets is allowed", nr.socketpair, [1n, 40n], "allow"),
    native("a pair of KCM sockets is allowed", nr.socketpair, [41n, 1n], "allow"),
    native("a lease is refused", nr.fcntl, [0n, 1024n, 1n], EPERM),
    native("a lease with a high word is refused", nr.fcntl, [0n, TRICK | 1024n], EPERM),
    native("a delegation is refused", nr.fcntl, [0n, 1040n], EPERM),
    native("asking for a lease, the number after taking one, is allowed", nr.fcntl, [0n, 1025n], "allow"),
    native("a lock of a file is allowed", nr.fcntl, [1024n, 6n, 1024n], "allow"),
    native("the last number before x32 is allowed", X32 - 1, [], "allow"),
    native("openat2 does not exist", nr.openat2, [], ENOSYS),
    native("close_range, the number before openat2, is allowed", nr.openat2 - 1, [], "allow"),
    ...modes(arch).map(({ title, number, args, answer }) => native(title, number, args, answer)),
    foreign("a 32-bit x86 program is killed", AUDIT.i386),
    foreign("a 32-bit arm program is killed", AUDIT.arm),
    foreign("a program of the other machine is killed", arch === "x64" ? AUDIT.arm64 : AUDIT.x64),
    foreign("a riscv program is killed", AUDIT.riscv64),
    ...(arch === "x64"
      ? [0, nr.ptrace, 512, 0x40000000].map((low) =>
          native(`x32 call ${low} does not exist`, X32 + low, [40n, 0x5412n], ENOSYS),
        )
      : []),
  ];
}

function modes(arch: SeccompArch) {
  const at = (index: number, ...values: readonly bigint[]) => [...Array<bigint>(index).fill(0n), ...values];
  return [
    ...TAKE_MODE[arch].flatMap(([name, number, mode]) => [
      { title: `${name} of a setuid file is refused`, number, args: at(mode, 0o4000n), answer: EPERM },
      {
        title: `${name} of a setuid file with a high word is refused`,
        number,
        args: at(mode, TRICK | 0o4755n),
        answer: EPERM,
      },
      {
        title: `${name} with every other bit is allowed`,
        number,
        args: at(mode, OTHER_MODE),
        answer: "allow",
      },
    ]),
    ...OPEN[arch].flatMap(([name, number, flags]) => {
      const open = (title: string, flag: bigint, mode: bigint, answer: string) => ({
        title: `${name} ${title}`,
        number,
        args: at(flags, flag, mode),
        answer,
      });
      return [
        open("that makes a setuid file is refused", 0o100n, 0o4000n, EPERM),
        open("that makes a setuid file without a name is refused", 0o20000000n, 0o4000n, EPERM),
        open(
          "that makes a setuid file is refused, whatever the high words",
          TRICK | 0o1101n,
          TRICK | 0o4755n,
          EPERM,
        ),
        open("that makes a file with every other bit is allowed", 0xffff_ffffn, OTHER_MODE, "allow"),
        open("that makes no file is allowed, whatever its mode", OTHER_FLAGS, 0xffff_ffffn, "allow"),
      ];
    }),
  ];
}

describe.each(ARCHES)("the standard policy on %s", (arch) => {
  const program = compileSeccomp(STANDARD_POLICY, arch);

  it.each(expectations(arch))("sys, tty, sock: $title", ({ call, answer }) => {
    expect(simulateSeccomp(program, call)).toBe(answer);
  });

  it("refuses eleven of the calls 0 to 1023 whatever their arguments, and no other", () => {
    const whole = refusedWholly(arch);
    expect(refused(program, arch, [])).toEqual(whole);
    expect(refused(program, arch, [1n, 0x5413n, 40n, 0x5412n])).toEqual(whole);
  });

  it("refuses fourteen of the calls 0 to 1023 with the worst arguments for those with a request, and no other", () => {
    const nr = NR[arch];
    const worst = {
      ...refusedWholly(arch),
      [nr.ioctl]: EPERM,
      [nr.socket]: EAFNOSUPPORT,
      [nr.socketpair]: EAFNOSUPPORT,
    };
    expect(refused(program, arch, [40n, 0x5412n])).toEqual(worst);
    expect(refused(program, arch, [40n, 0x541cn])).toEqual(worst);
    expect(refused(program, arch, [TRICK | 40n, TRICK | 0x5412n])).toEqual(worst);
  });

  it("refuses what takes a mode when every argument has the bits of a setuid file that is made, and nothing else", () => {
    const numbers = [...TAKE_MODE[arch], ...OPEN[arch]].map(([, number]) => [number, EPERM]);
    expect(refused(program, arch, SETUID_EVERYWHERE)).toEqual({
      ...refusedWholly(arch),
      ...Object.fromEntries(numbers),
    });
  });

  it("looks at the low word of an ioctl request and at nothing else of it", () => {
    const word = fc.integer({ min: 0, max: 0xffffffff });
    fc.assert(
      fc.property(fc.oneof(word, fc.constantFrom(0x5412, 0x541c)), word, word, (low, high, descriptor) => {
        const args = [BigInt(descriptor), (BigInt(high) << 32n) | BigInt(low)];
        const answer = simulateSeccomp(program, { arch: AUDIT[arch], number: NR[arch].ioctl, args });
        expect(answer).toBe(low === 0x5412 || low === 0x541c ? EPERM : "allow");
      }),
    );
  });

  it("kills every architecture but its own, whatever is called", () => {
    const word = fc.integer({ min: 0, max: 0xffffffff });
    const auditArch = fc
      .oneof(
        word,
        fc.nat(31).map((bit) => (AUDIT[arch] ^ (1 << bit)) >>> 0),
      )
      .filter((value) => value !== AUDIT[arch]);
    fc.assert(
      fc.property(auditArch, word, (foreign, number) => {
        expect(simulateSeccomp(program, { arch: foreign, number })).toBe("kill process");
      }),
    );
  });

  it("knows no x32 call, and only x64 has that ABI to refuse", () => {
    fc.assert(
      fc.property(fc.integer({ min: X32, max: 0xffffffff }), (number) => {
        expect(simulateSeccomp(program, { arch: AUDIT[arch], number })).toBe(
          arch === "x64" ? ENOSYS : "allow",
        );
      }),
    );
  });

  it("sock: no ring can be set up, which would open a vsock without calling socket", () => {
    expect(simulateSeccomp(program, { arch: AUDIT[arch], number: 425 })).toBe(ENOSYS);
  });
});

describe.each(ARCHES)("what these tests notice on %s", (arch) => {
  const removals = [
    ["ptrace is refused"],
    ["process_vm_readv is refused"],
    ["process_vm_writev is refused"],
    ["pidfd_getfd is refused"],
    ["add_key is refused"],
    ["request_key is refused"],
    ["keyctl is refused"],
    ["io_uring_setup does not exist"],
    ["io_uring_enter does not exist"],
    ["io_uring_register does not exist"],
    [
      "TIOCSTI is refused",
      "TIOCSTI with a high word is refused",
      "TIOCLINUX is refused",
      "TIOCLINUX with a high word is refused",
    ],
    ["a vsock is refused", "a vsock with a high word is refused"],
    ["a pair of vsocks is refused"],
    ["a lease is refused", "a lease with a high word is refused", "a delegation is refused"],
    ...["chmod", "fchmod", "fchmodat", "fchmodat2", "mknod", "mknodat", "creat"].map((name) =>
      redTitles(arch, `${name} of a setuid file`),
    ),
    redTitles(arch, "open that makes a setuid file"),
    redTitles(arch, "openat that makes a setuid file"),
    ["openat2 does not exist"],
  ];

  it("a rule taken out of the policy turns its own expectations red, and only those", () => {
    expect(STANDARD_POLICY.rules.map((_, index) => redWithout(index, arch))).toEqual(removals);
  });

  it("an instruction changed in any of these ways turns something red", () => {
    const program = compileSeccomp(STANDARD_POLICY, arch);
    const before = verdicts(program, arch);
    const survivors = mutants(program).filter(({ bytes }) => verdicts(bytes, arch) === before);
    expect(survivors.map(({ change }) => change)).toEqual([]);
  });
});

it("the program for x64 is this", () => {
  expect(printSeccomp(compileSeccomp(STANDARD_POLICY, "x64"))).toMatchInlineSnapshot(`
    "   0  ld   arch
       1  jeq  0xc000003e ? 3 : 2
       2  ret  kill process
       3  ld   number
       4  jge  0x40000000 ? 63 : 5
       5  jeq  101 ? 62 : 6
       6  jeq  310 ? 62 : 7
       7  jeq  311 ? 62 : 8
       8  jeq  438 ? 62 : 9
       9  jeq  248 ? 62 : 10
      10  jeq  249 ? 62 : 11
      11  jeq  250 ? 62 : 12
      12  jeq  425 ? 63 : 13
      13  jeq  426 ? 63 : 14
      14  jeq  427 ? 63 : 15
      15  jeq  16 ? 30 : 16
      16  jeq  41 ? 33 : 17
      17  jeq  53 ? 35 : 18
      18  jeq  72 ? 37 : 19
      19  jeq  90 ? 40 : 20
      20  jeq  91 ? 42 : 21
      21  jeq  268 ? 44 : 22
      22  jeq  452 ? 46 : 23
      23  jeq  133 ? 48 : 24
      24  jeq  259 ? 50 : 25
      25  jeq  85 ? 52 : 26
      26  jeq  2 ? 54 : 27
      27  jeq  257 ? 58 : 28
      28  jeq  437 ? 63 : 29
      29  ret  allow
      30  ld   argument 1.low
      31  jeq  0x5412 ? 62 : 32
      32  jeq  0x541c ? 62 : 65
      33  ld   argument 0.low
      34  jeq  40 ? 64 : 65
      35  ld   argument 0.low
      36  jeq  40 ? 64 : 65
      37  ld   argument 1.low
      38  jeq  0x400 ? 62 : 39
      39  jeq  0x410 ? 62 : 65
      40  ld   argument 1.low
      41  jset 0x800 ? 62 : 65
      42  ld   argument 1.low
      43  jset 0x800 ? 62 : 65
      44  ld   argument 2.low
      45  jset 0x800 ? 62 : 65
      46  ld   argument 2.low
      47  jset 0x800 ? 62 : 65
      48  ld   argument 1.low
      49  jset 0x800 ? 62 : 65
      50  ld   argument 2.low
      51  jset 0x800 ? 62 : 65
      52  ld   argument 1.low
      53  jset 0x800 ? 62 : 65
      54  ld   argument 2.low
      55  jset 0x800 ? 56 : 65
      56  ld   argument 1.low
      57  jset 0x400040 ? 62 : 65
      58  ld   argument 3.low
      59  jset 0x800 ? 60 : 65
      60  ld   argument 2.low
      61  jset 0x400040 ? 62 : 65
      62  ret  EPERM
      63  ret  ENOSYS
      64  ret  EAFNOSUPPORT
      65  ret  allow"
  `);
});

it("the program for arm64 is this", () => {
  expect(printSeccomp(compileSeccomp(STANDARD_POLICY, "arm64"))).toMatchInlineSnapshot(`
    "   0  ld   arch
       1  jeq  0xc00000b7 ? 3 : 2
       2  ret  kill process
       3  ld   number
       4  jeq  117 ? 47 : 5
       5  jeq  270 ? 47 : 6
       6  jeq  271 ? 47 : 7
       7  jeq  438 ? 47 : 8
       8  jeq  217 ? 47 : 9
       9  jeq  218 ? 47 : 10
      10  jeq  219 ? 47 : 11
      11  jeq  425 ? 48 : 12
      12  jeq  426 ? 48 : 13
      13  jeq  427 ? 48 : 14
      14  jeq  29 ? 25 : 15
      15  jeq  198 ? 28 : 16
      16  jeq  199 ? 30 : 17
      17  jeq  25 ? 32 : 18
      18  jeq  52 ? 35 : 19
      19  jeq  53 ? 37 : 20
      20  jeq  452 ? 39 : 21
      21  jeq  33 ? 41 : 22
      22  jeq  56 ? 43 : 23
      23  jeq  437 ? 48 : 24
      24  ret  allow
      25  ld   argument 1.low
      26  jeq  0x5412 ? 47 : 27
      27  jeq  0x541c ? 47 : 50
      28  ld   argument 0.low
      29  jeq  40 ? 49 : 50
      30  ld   argument 0.low
      31  jeq  40 ? 49 : 50
      32  ld   argument 1.low
      33  jeq  0x400 ? 47 : 34
      34  jeq  0x410 ? 47 : 50
      35  ld   argument 1.low
      36  jset 0x800 ? 47 : 50
      37  ld   argument 2.low
      38  jset 0x800 ? 47 : 50
      39  ld   argument 2.low
      40  jset 0x800 ? 47 : 50
      41  ld   argument 2.low
      42  jset 0x800 ? 47 : 50
      43  ld   argument 3.low
      44  jset 0x800 ? 45 : 50
      45  ld   argument 2.low
      46  jset 0x400040 ? 47 : 50
      47  ret  EPERM
      48  ret  ENOSYS
      49  ret  EAFNOSUPPORT
      50  ret  allow"
  `);
});

/** Call number → answer, for what is refused whatever its arguments. */
function refusedWholly(arch: SeccompArch): Record<number, string> {
  const { ptrace, readv, writev, getfd, add_key, request_key, keyctl } = NR[arch];
  const refusals = [ptrace, readv, writev, getfd, add_key, request_key, keyctl].map((number) => [
    number,
    EPERM,
  ]);
  return { ...Object.fromEntries(refusals), 425: ENOSYS, 426: ENOSYS, 427: ENOSYS, 437: ENOSYS };
}

/** Call number → answer, for those of 0 to 1023 that are not allowed. */
function refused(program: Uint8Array, arch: SeccompArch, args: readonly bigint[]): Record<number, string> {
  const answers = Array.from(
    { length: 1024 },
    (_, number) => [number, simulateSeccomp(program, { arch: AUDIT[arch], number, args })] as const,
  );
  return Object.fromEntries(answers.filter(([, answer]) => answer !== "allow"));
}

/** Expectations that begin like this: none where the machine lacks the call. */
function redTitles(arch: SeccompArch, start: string): readonly string[] {
  return expectations(arch).flatMap(({ title }) => (title.startsWith(start) ? [title] : []));
}

function redWithout(index: number, arch: SeccompArch): readonly string[] {
  const policy: SeccompPolicy = { rules: STANDARD_POLICY.rules.filter((_, at) => at !== index) };
  const program = compileSeccomp(policy, arch);
  return expectations(arch).flatMap(({ title, call, answer }) =>
    simulateSeccomp(program, call) === answer ? [] : [title],
  );
}

/** All that the tests above look at, as one string; a program that the simulator refuses differs too. */
function verdicts(program: Uint8Array, arch: SeccompArch): string {
  try {
    const named = expectations(arch).map(({ call }) => simulateSeccomp(program, call));
    const swept = [[], [40n, 0x5412n], [40n, 0x541cn], [1n, 0x5413n], SETUID_EVERYWHERE].map((args) =>
      refused(program, arch, args),
    );
    return JSON.stringify([named, swept]);
  } catch (error) {
    return String(error);
  }
}

/** Every program that differs in one field of one instruction: operand one up or down, branches swapped, another comparison. */
function mutants(program: Uint8Array): readonly { readonly change: string; readonly bytes: Uint8Array }[] {
  return Array.from({ length: program.byteLength / 8 }, (_, index) => {
    const at = index * 8;
    const opcode = program[at] ?? 0;
    const edit = (change: string, apply: (view: DataView) => void) => {
      const bytes = program.slice();
      apply(new DataView(bytes.buffer));
      return { change: `${change} at ${index}`, bytes };
    };
    const step = opcode === 0x20 ? 4 : 1;
    const operands = [step, -step].map((by) =>
      edit(`operand ${by}`, (view) => view.setUint32(at + 4, view.getUint32(at + 4, true) + by, true)),
    );
    if (opcode === 0x20 || opcode === 0x06) return operands;
    const swapped = edit("branches swapped", (view) =>
      view.setUint16(at + 2, view.getUint16(at + 2, false), true),
    );
    const others = [0x15, 0x25, 0x35, 0x45]
      .filter((code) => code !== opcode)
      .map((code) => edit(`opcode 0x${code.toString(16)}`, (view) => view.setUint16(at, code, true)));
    return [...operands, swapped, ...others];
  }).flat();
}
