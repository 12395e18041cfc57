import { CofferdamError } from "../../errors.ts";
import {
  ALLOW,
  ARCH_OFFSET,
  type ArgumentIndex,
  ERRNO_NAMES,
  ERRNOS,
  type Errno,
  KILL_PROCESS,
  lowWordOffset,
  MACHINES,
  type Machine,
  NUMBER_OFFSET,
  RETURN_ERRNO,
  type SeccompArch,
} from "./abi.ts";
import { answer, assemble, jump, type Line, label, load, NEXT } from "./assemble.ts";
import type { SyscallNumbers } from "./syscalls.ts";

/** An array that holds something: a test for "one of nothing" cannot be written. */
export type NonEmpty<T> = readonly [T, ...(readonly T[])];

/**
 * A claim about the low 32 bits of one argument. The high bits are never looked at: where the kernel
 * takes an `int`, it drops them, and comparing them lets a caller past (CVE-2019-10063). So this is
 * right for arguments that the kernel cuts to 32 bits and for masks of their low bits, not for pointers.
 */
export type ArgumentTest =
  | { readonly kind: "one-of"; readonly argument: ArgumentIndex; readonly values: NonEmpty<number> }
  | { readonly kind: "not-one-of"; readonly argument: ArgumentIndex; readonly values: NonEmpty<number> }
  | { readonly kind: "has-bit-of"; readonly argument: ArgumentIndex; readonly mask: number };

/** One system call that is refused with an error, always or when every test holds. */
export interface SeccompRule {
  readonly call: SyscallNumbers;
  readonly errno: Errno;
  readonly when: "always" | NonEmpty<ArgumentTest>;
}

/**
 * What system calls are refused. Of several rules for one call the first that applies answers; a call
 * that no rule refuses is allowed.
 *
 * Example: `{ rules: [{ call: SYSCALLS.ptrace, errno: "EPERM", when: "always" }] }`.
 */
export interface SeccompPolicy {
  readonly rules: readonly SeccompRule[];
}

/**
 * The seccomp program of a policy, 8 bytes an instruction, for `bwrap --seccomp FD` or `prctl(2)`.
 * For every call: one of another architecture (a 32-bit program) kills the process, an x32 number is
 * ENOSYS, else the policy answers; so no second ABI of the machine is a way around a rule. In order:
 *
 * 1. architecture, then the second ABI;
 * 2. one comparison for each call number that a rule names, then allow;
 * 3. the argument tests of each such call, which need the register that held the number;
 * 4. one shared answer for each error, and allow.
 *
 * Throws INTERNAL for a rule that could never apply and for a program that the kernel would refuse.
 */
export function compileSeccomp(policy: SeccompPolicy, arch: SeccompArch): Uint8Array {
  const calls = [...rulesByNumber(policy, arch)];
  const body = [
    ...refuseOtherAbis(MACHINES[arch]),
    ...calls.map(([number, rules]) => jump("jeq", number, entry(number, rules, 0))),
    answer(ALLOW),
    ...calls.flatMap(([number, rules]) => argumentTests(number, rules)),
  ];
  return assemble([...body, ...sharedAnswers(body)]);
}

const ALLOWED = "allowed";

/** Call number → its rules, in the order of the policy; calls that the machine lacks are left out. */
function rulesByNumber(
  policy: SeccompPolicy,
  arch: SeccompArch,
): ReadonlyMap<number, readonly SeccompRule[]> {
  const byNumber = new Map<number, readonly SeccompRule[]>();
  for (const rule of policy.rules) {
    const number = rule.call[arch];
    if (number === "absent") continue;
    const before = byNumber.get(number) ?? [];
    if (before.at(-1)?.when === "always") throw dead(number, "an earlier rule always applies");
    byNumber.set(number, [...before, rule]);
  }
  return byNumber;
}

/** Leaves the call number loaded. */
function refuseOtherAbis(machine: Machine): readonly Line[] {
  const native = [
    load(ARCH_OFFSET),
    jump("jeq", machine.auditArch, "native"),
    answer(KILL_PROCESS),
    label("native"),
    load(NUMBER_OFFSET),
  ];
  return machine.foreignFrom === "none" ? native : [...native, jump("jge", machine.foreignFrom, "ENOSYS")];
}

/** The label where rule `at` of a call is decided; past the last rule, the call is allowed. */
function entry(number: number, rules: readonly SeccompRule[], at: number): string {
  const rule = rules[at];
  if (rule === undefined) return ALLOWED;
  return rule.when === "always" ? rule.errno : testLabel(number, at, 0);
}

function testLabel(number: number, rule: number, test: number): string {
  return `call ${number}, rule ${rule}, test ${test}`;
}

/** Rule after rule, test after test: all tests held → the rule's error, one missed → the next rule. */
function argumentTests(number: number, rules: readonly SeccompRule[]): readonly Line[] {
  return rules.flatMap((rule, at) => {
    if (rule.when === "always") return [];
    const missed = entry(number, rules, at + 1);
    const last = rule.when.length - 1;
    return rule.when.flatMap((test, index) => {
      if (test.kind === "has-bit-of" && test.mask === 0) throw dead(number, "its mask is 0");
      const held = index === last ? rule.errno : testLabel(number, at, index + 1);
      return [
        label(testLabel(number, at, index)),
        load(lowWordOffset(test.argument)),
        ...decide(test, held, missed),
      ];
    });
  });
}

function decide(test: ArgumentTest, held: string, missed: string): readonly Line[] {
  switch (test.kind) {
    case "one-of":
      return compareWithEach(test.values, held, missed);
    case "not-one-of":
      return compareWithEach(test.values, missed, held);
    case "has-bit-of":
      return [jump("jset", test.mask, held, missed)];
  }
}

function compareWithEach(values: readonly number[], found: string, notFound: string): readonly Line[] {
  return values.map((value, index) =>
    jump("jeq", value, found, index === values.length - 1 ? notFound : NEXT),
  );
}

/** An answer that nothing jumps to is left out: the program then holds no instruction that cannot run. */
function sharedAnswers(body: readonly Line[]): readonly Line[] {
  const wanted = new Set(body.flatMap((line) => (line.kind === "jump" ? [line.yes, line.no] : [])));
  const answers = [
    ...ERRNO_NAMES.map((name) => ({ name, value: RETURN_ERRNO | ERRNOS[name] })),
    { name: ALLOWED, value: ALLOW },
  ];
  return answers
    .filter(({ name }) => wanted.has(name))
    .flatMap(({ name, value }) => [label(name), answer(value)]);
}

function dead(number: number, why: string): CofferdamError {
  return new CofferdamError(
    "INTERNAL",
    `seccomp policy: a rule for call ${number} could never apply, ${why}`,
  );
}
