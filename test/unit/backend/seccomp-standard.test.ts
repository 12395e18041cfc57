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
const TRICK = 0x0000_0123_0000_0000n;

/** Numbers written out again on purpose: a slip in the table under test must not repeat itself here. */
const NR = {
  x64: {
    ioctl: 16,
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
  },
  arm64: {
    ioctl: 29,
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
  },
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
    native("the last number before x32 is allowed", X32 - 1, [], "allow"),
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

describe.each(ARCHES)("the standard policy on %s", (arch) => {
  const program = compileSeccomp(STANDARD_POLICY, arch);

  it.each(expectations(arch))("sys, tty, sock: $title", ({ call, answer }) => {
    expect(simulateSeccomp(program, call)).toBe(answer);
  });

  it("refuses ten of the calls 0 to 1023 whatever their arguments, and no other", () => {
    const whole = refusedWholly(arch);
    expect(refused(program, arch, [])).toEqual(whole);
    expect(refused(program, arch, [1n, 0x5413n, 40n, 0x5412n])).toEqual(whole);
  });

  it("refuses thirteen of the calls 0 to 1023 with the worst arguments, and no other", () => {
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
  ] as const;

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
       4  jge  0x40000000 ? 27 : 5
       5  jeq  101 ? 26 : 6
       6  jeq  310 ? 26 : 7
       7  jeq  311 ? 26 : 8
       8  jeq  438 ? 26 : 9
       9  jeq  248 ? 26 : 10
      10  jeq  249 ? 26 : 11
      11  jeq  250 ? 26 : 12
      12  jeq  425 ? 27 : 13
      13  jeq  426 ? 27 : 14
      14  jeq  427 ? 27 : 15
      15  jeq  16 ? 19 : 16
      16  jeq  41 ? 22 : 17
      17  jeq  53 ? 24 : 18
      18  ret  allow
      19  ld   argument 1.low
      20  jeq  0x5412 ? 26 : 21
      21  jeq  0x541c ? 26 : 29
      22  ld   argument 0.low
      23  jeq  40 ? 28 : 29
      24  ld   argument 0.low
      25  jeq  40 ? 28 : 29
      26  ret  EPERM
      27  ret  ENOSYS
      28  ret  EAFNOSUPPORT
      29  ret  allow"
  `);
});

it("the program for arm64 is this", () => {
  expect(printSeccomp(compileSeccomp(STANDARD_POLICY, "arm64"))).toMatchInlineSnapshot(`
    "   0  ld   arch
       1  jeq  0xc00000b7 ? 3 : 2
       2  ret  kill process
       3  ld   number
       4  jeq  117 ? 25 : 5
       5  jeq  270 ? 25 : 6
       6  jeq  271 ? 25 : 7
       7  jeq  438 ? 25 : 8
       8  jeq  217 ? 25 : 9
       9  jeq  218 ? 25 : 10
      10  jeq  219 ? 25 : 11
      11  jeq  425 ? 26 : 12
      12  jeq  426 ? 26 : 13
      13  jeq  427 ? 26 : 14
      14  jeq  29 ? 18 : 15
      15  jeq  198 ? 21 : 16
      16  jeq  199 ? 23 : 17
      17  ret  allow
      18  ld   argument 1.low
      19  jeq  0x5412 ? 25 : 20
      20  jeq  0x541c ? 25 : 28
      21  ld   argument 0.low
      22  jeq  40 ? 27 : 28
      23  ld   argument 0.low
      24  jeq  40 ? 27 : 28
      25  ret  EPERM
      26  ret  ENOSYS
      27  ret  EAFNOSUPPORT
      28  ret  allow"
  `);
});

/** Call number → answer, for what is refused whatever its arguments. */
function refusedWholly(arch: SeccompArch): Record<number, string> {
  const { ptrace, readv, writev, getfd, add_key, request_key, keyctl } = NR[arch];
  const refusals = [ptrace, readv, writev, getfd, add_key, request_key, keyctl].map((number) => [
    number,
    EPERM,
  ]);
  return { ...Object.fromEntries(refusals), 425: ENOSYS, 426: ENOSYS, 427: ENOSYS };
}

/** Call number → answer, for those of 0 to 1023 that are not allowed. */
function refused(program: Uint8Array, arch: SeccompArch, args: readonly bigint[]): Record<number, string> {
  const answers = Array.from(
    { length: 1024 },
    (_, number) => [number, simulateSeccomp(program, { arch: AUDIT[arch], number, args })] as const,
  );
  return Object.fromEntries(answers.filter(([, answer]) => answer !== "allow"));
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
    const swept = [[], [40n, 0x5412n], [40n, 0x541cn], [1n, 0x5413n]].map((args) =>
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
