import { CofferdamError } from "../../errors.ts";
import {
  ABI32,
  ABIS,
  type Abi,
  ALLOW,
  ARCH_OFFSET,
  type ArgumentIndex,
  ERRNO_NAMES,
  ERRNOS,
  type Errno,
  FIRST_UNJUDGED,
  KILL_PROCESS,
  lowWordOffset,
  NUMBER_OFFSET,
  RETURN_ERRNO,
  type SeccompArch,
} from "./abi.ts";
import { type AssemblyLine, answer, assemble, go, jump, label, load, NEXT } from "./assemble.ts";
import type { SyscallNumbers } from "./syscalls.ts";

/** An array that holds something: a test for "one of nothing" cannot be written. */
export type NonEmpty<T> = readonly [T, ...(readonly T[])];

/**
 * A claim about the low 32 bits of one argument: the kernel drops the high ones of an `int`, and comparing them lets a
 * caller past (CVE-2019-10063). Not for pointers.
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
 * The refused system calls; all others are allowed. If several rules name one call, the first that applies answers.
 * Example: `{ abi32: false, rules: [{ call: SYSCALLS.ptrace, errno: "EPERM", when: "always" }] }`.
 */
export interface SeccompPolicy {
  /** True if the calls of 32-bit programs are judged by the same rules; otherwise the first ends its process. */
  readonly abi32: boolean;
  readonly rules: readonly SeccompRule[];
}

/**
 * The seccomp program of a policy, 8 bytes an instruction, for `bwrap --seccomp FD` or `prctl(2)`. In order:
 *
 * 1. the table that a call belongs to, by its architecture; a call of a table that is not judged kills the process, so
 *    that no second ABI of the machine is a way around a rule;
 * 2. for each table: a number that was not judged (x32 among them) is ENOSYS;
 * 3. a binary search for the number, which ends at a few numbers that are compared one by one;
 * 4. after them the argument tests of these calls, and the answers that are jumped to.
 *
 * The search keeps both a call and a start short: since Linux 5.11 the kernel emulates the program for every number
 * when it is installed (`seccomp_cache_prepare`, kernel/seccomp.c), and afterwards never again for those that are
 * allowed whatever their arguments. Throws `INTERNAL` for a rule that could never apply and for a program that the
 * kernel would refuse.
 */
export function compileSeccomp(policy: SeccompPolicy, arch: SeccompArch): Uint8Array {
  const abis = policy.abi32 ? [arch, ABI32[arch]] : [arch];
  return assemble([
    load(ARCH_OFFSET),
    ...abis.flatMap((abi) => [
      jump("jeq", ABIS[abi].auditArch, NEXT, `not ${abi}`),
      go(abi),
      label(`not ${abi}`),
    ]),
    answer(KILL_PROCESS),
    ...abis.flatMap((abi) => table(policy, abi)),
  ]);
}

type Ruled = readonly [number, readonly SeccompRule[]];

/** Numbers compared one by one at the end of the search: fewer cost more answers, more cost more comparisons. */
const MAX_IN_A_ROW = 8;

function table(policy: SeccompPolicy, abi: Abi): readonly AssemblyLine[] {
  const { ownCalls } = ABIS[abi];
  const [unknown, known] = [`${abi} unjudged`, `${abi} judged`];
  return [
    label(abi),
    load(NUMBER_OFFSET),
    jump("jge", FIRST_UNJUDGED, NEXT, known),
    ...(ownCalls === "none"
      ? []
      : [
          jump("jge", ownCalls[1], unknown),
          jump("jge", ownCalls[0], NEXT, unknown),
          answer(ALLOW),
          label(unknown),
        ]),
    answer(RETURN_ERRNO | ERRNOS.ENOSYS),
    label(known),
    ...search(rulesByNumber(policy, abi), abi),
  ];
}

function rulesByNumber(policy: SeccompPolicy, abi: Abi): readonly Ruled[] {
  const byNumber = new Map<number, readonly SeccompRule[]>();
  for (const rule of policy.rules) {
    const number = rule.call[abi];
    if (number === "absent") continue;
    const before = byNumber.get(number) ?? [];
    if (before.at(-1)?.when === "always") throw dead(number, "an earlier rule always applies");
    if (number >= FIRST_UNJUDGED) throw dead(number, "calls from there on do not exist");
    byNumber.set(number, [...before, rule]);
  }
  return [...byNumber].sort(([a], [b]) => a - b);
}

function search(calls: readonly Ruled[], abi: Abi): readonly AssemblyLine[] {
  const half = calls.length >>> 1;
  const [middle] = calls[half] ?? [];
  if (middle === undefined || calls.length <= MAX_IN_A_ROW) return row(calls, `${abi} ${middle}`);
  const above = `${abi} from ${middle}`;
  return [
    jump("jge", middle, above),
    ...search(calls.slice(0, half), abi),
    label(above),
    ...search(calls.slice(half), abi),
  ];
}

/** A few numbers one by one, and everything they jump to; `scope` keeps the labels apart from those of other rows. */
function row(calls: readonly Ruled[], scope: string): readonly AssemblyLine[] {
  const lines = [
    ...calls.map(([number, rules]) => jump("jeq", number, entry(scope, number, rules, 0))),
    answer(ALLOW),
    ...calls.flatMap(([number, rules]) => argumentTests(scope, number, rules)),
  ];
  return [...lines, ...answers(lines, scope)];
}

function allowed(scope: string): string {
  return `${scope}: allow`;
}

function refused(scope: string, errno: Errno): string {
  return `${scope}: ${errno}`;
}

function entry(scope: string, number: number, rules: readonly SeccompRule[], at: number): string {
  const rule = rules[at];
  if (rule === undefined) return allowed(scope);
  return rule.when === "always" ? refused(scope, rule.errno) : testLabel(scope, number, at, 0);
}

function testLabel(scope: string, number: number, rule: number, test: number): string {
  return `${scope}: call ${number}, rule ${rule}, test ${test}`;
}

/** Rule after rule, test after test: all tests held → the rule's error, one missed → the next rule. */
function argumentTests(
  scope: string,
  number: number,
  rules: readonly SeccompRule[],
): readonly AssemblyLine[] {
  return rules.flatMap((rule, at) => {
    if (rule.when === "always") return [];
    const missed = entry(scope, number, rules, at + 1);
    const last = rule.when.length - 1;
    return rule.when.flatMap((test, index) => {
      if (test.kind === "has-bit-of" && test.mask === 0) throw dead(number, "its mask is 0");
      const held = index === last ? refused(scope, rule.errno) : testLabel(scope, number, at, index + 1);
      return [
        label(testLabel(scope, number, at, index)),
        load(lowWordOffset(test.argument)),
        ...decide(test, held, missed),
      ];
    });
  });
}

function decide(test: ArgumentTest, held: string, missed: string): readonly AssemblyLine[] {
  switch (test.kind) {
    case "one-of":
      return compareWithEach(test.values, held, missed);
    case "not-one-of":
      return compareWithEach(test.values, missed, held);
    case "has-bit-of":
      return [jump("jset", test.mask, held, missed)];
  }
}

function compareWithEach(
  values: readonly number[],
  found: string,
  notFound: string,
): readonly AssemblyLine[] {
  return values.map((value, index) =>
    jump("jeq", value, found, index === values.length - 1 ? notFound : NEXT),
  );
}

/** An answer that nothing jumps to is left out: the program then holds no instruction that cannot run. */
function answers(lines: readonly AssemblyLine[], scope: string): readonly AssemblyLine[] {
  const wanted = new Set(lines.flatMap((line) => (line.kind === "jump" ? [line.yes, line.no] : [])));
  const all = [
    ...ERRNO_NAMES.map((name) => ({ name: refused(scope, name), value: RETURN_ERRNO | ERRNOS[name] })),
    { name: allowed(scope), value: ALLOW },
  ];
  return all
    .filter(({ name }) => wanted.has(name))
    .flatMap(({ name, value }) => [label(name), answer(value)]);
}

function dead(number: number, why: string): CofferdamError {
  return new CofferdamError(
    "INTERNAL",
    `seccomp policy: a rule for call ${number} could never apply, ${why}`,
  );
}
