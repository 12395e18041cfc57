import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Abi, FIRST_UNJUDGED } from "../../../src/backend/seccomp/abi.ts";
import {
  type ArgumentTest,
  compileSeccomp,
  type SeccompPolicy,
  type SeccompRule,
} from "../../../src/backend/seccomp/policy.ts";
import { CofferdamError } from "../../../src/errors.ts";
import { printSeccomp } from "../../support/seccomp-disassemble.ts";
import { AUDIT, simulateSeccomp } from "../../support/seccomp-simulator.ts";

const NUMBERS = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;

const word = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom(0x5412, 0x80000000, 0xffffffff));
const words = fc
  .tuple(word, fc.array(word, { maxLength: 2 }))
  .map(([first, rest]) => [first, ...rest] as const);
const argument = fc.constantFrom(0, 1, 2, 3, 4, 5);
const test: fc.Arbitrary<ArgumentTest> = fc.oneof(
  fc.record({ kind: fc.constantFrom("one-of", "not-one-of"), argument, values: words }),
  fc.record({ kind: fc.constant("has-bit-of"), argument, mask: word.map((mask) => (mask === 0 ? 4 : mask)) }),
);
const tests = fc
  .tuple(test, fc.array(test, { maxLength: 2 }))
  .map(([first, rest]) => [first, ...rest] as const);
const errno = fc.constantFrom("EPERM", "ENOSYS", "EAFNOSUPPORT");
/** Few numbers, so that rules meet, and both ends of what can be judged. */
const number = fc.oneof(
  fc.integer({ min: 0, max: 30 }),
  fc.integer({ min: FIRST_UNJUDGED - 9, max: FIRST_UNJUDGED - 8 }),
);
const call = number.chain((x64) =>
  fc.record({
    x64: fc.constant(x64),
    arm64: fc.constant("absent" as const),
    i386: fc.constantFrom(x64 + 7, "absent" as const),
    arm: fc.constant("absent" as const),
  }),
);
const conditional: fc.Arbitrary<SeccompRule> = fc.record({ call, errno, when: tests });
const whole: fc.Arbitrary<SeccompRule> = fc.record({ call, errno, when: fc.constant("always") });
const policy = fc
  .tuple(
    fc.array(conditional, { maxLength: 12 }),
    fc.uniqueArray(whole, { selector: (rule) => rule.call.x64, maxLength: 12 }),
    fc.boolean(),
  )
  .map(([first, last, abi32]): SeccompPolicy => ({ abi32, rules: [...first, ...last] }));
const long = fc
  .tuple(word, fc.oneof(fc.constant(0), word))
  .map(([low, high]) => (BigInt(high) << 32n) | BigInt(low));

describe("compileSeccomp", () => {
  it("answers every call as its rules say, first rule first, whatever the high words", () => {
    fc.assert(
      fc.property(policy, fc.array(long, { minLength: 6, maxLength: 6 }), (given, args) => {
        const program = compileSeccomp(given, "x64");
        for (const abi of ["x64", "i386"] as const)
          for (const nr of [...Array(40).keys(), FIRST_UNJUDGED - 8, FIRST_UNJUDGED - 1, FIRST_UNJUDGED]) {
            const answer = simulateSeccomp(program, { arch: AUDIT[abi], number: nr, args });
            expect([abi, nr, answer]).toEqual([abi, nr, decideByReading(given, abi, nr, args)]);
          }
      }),
      { numRuns: 300 },
    );
  });

  it("leaves out a call that the machine does not have", () => {
    const rule = (arm64: number | "absent"): SeccompPolicy => ({
      abi32: false,
      rules: [{ call: { ...everywhere(134), arm64 }, errno: "EPERM", when: "always" }],
    });
    const none = compileSeccomp({ abi32: false, rules: [] }, "arm64");
    expect(compileSeccomp(rule("absent"), "arm64")).toEqual(none);
    expect(compileSeccomp(rule(134), "arm64")).not.toEqual(none);
  });

  it("has room for a policy about 300 calls, in both tables", () => {
    const rules = Array.from(
      { length: 300 },
      (_, nr) => ({ call: everywhere(nr), errno: "EPERM", when: "always" }) as const,
    );
    const program = compileSeccomp({ abi32: true, rules }, "arm64");
    for (const arch of [AUDIT.arm64, AUDIT.arm])
      for (const nr of [0, 149, 150, 299])
        expect(simulateSeccomp(program, { arch, number: nr })).toBe("errno 1");
    expect(simulateSeccomp(program, { arch: AUDIT.arm64, number: 300 })).toBe("allow");
  });

  it("looks for a number in few steps, however many there are", () => {
    const rules = Array.from(
      { length: 200 },
      (_, nr) => ({ call: everywhere(2 * nr), errno: "EPERM", when: "always" }) as const,
    );
    const program = compileSeccomp({ abi32: false, rules }, "x64");
    const steps = Array.from({ length: 400 }, (_, nr) => {
      let count = 0;
      simulateSeccomp(program, { arch: AUDIT.x64, number: nr }, () => (count += 1));
      return count;
    });
    expect(Math.max(...steps)).toBeLessThan(24);
  });

  it("refuses to compile a policy that outgrows the reach of a jump, instead of cutting it short", () => {
    const values = Array.from({ length: 300 }, (_, value) => value);
    const [first = 0, ...others] = values;
    const rule: SeccompRule = {
      call: everywhere(16),
      errno: "EPERM",
      when: [{ kind: "one-of", argument: 1, values: [first, ...others] }],
    };
    expect(refusal([rule])).toMatch(
      /^seccomp program: label `.*` is \d+ instructions away, a jump skips 255$/,
    );
  });

  it("refuses a rule that could never apply", () => {
    const ioctl = everywhere(16);
    const always: SeccompRule = { call: ioctl, errno: "EPERM", when: "always" };
    const maskless: SeccompRule = {
      call: ioctl,
      errno: "EPERM",
      when: [{ kind: "has-bit-of", argument: 1, mask: 0 }],
    };
    expect(refusal([always, always])).toBe(
      "seccomp policy: a rule for call 16 could never apply, an earlier rule always applies",
    );
    expect(refusal([maskless])).toBe("seccomp policy: a rule for call 16 could never apply, its mask is 0");
    expect(refusal([{ ...always, call: everywhere(472) }])).toBe(
      "seccomp policy: a rule for call 472 could never apply, calls from there on do not exist",
    );
  });

  it("refuses a mask or value that is no 32-bit word, rather than reading it as another", () => {
    const clone = everywhere(220);
    const negative: SeccompRule = {
      call: clone,
      errno: "EPERM",
      when: [{ kind: "has-bit-of", argument: 0, mask: 0x80000000 | 0 }],
    };
    expect(refusal([negative])).toBe("seccomp program: -2147483648 is no 32-bit word");
  });
});

describe("printSeccomp", () => {
  it("prints rules of every kind so that they can be followed line by line", () => {
    const socket = everywhere(198);
    const rules: readonly SeccompRule[] = [
      {
        call: everywhere(220),
        errno: "EPERM",
        when: [{ kind: "has-bit-of", argument: 0, mask: 0x7e020000 }],
      },
      {
        call: socket,
        errno: "EAFNOSUPPORT",
        when: [{ kind: "not-one-of", argument: 0, values: [1, 2, 10, 16] }],
      },
      {
        call: socket,
        errno: "EAFNOSUPPORT",
        when: [
          { kind: "one-of", argument: 0, values: [16] },
          { kind: "not-one-of", argument: 2, values: [0] },
        ],
      },
      { call: everywhere(435), errno: "ENOSYS", when: "always" },
    ];
    expect(printSeccomp(compileSeccomp({ abi32: false, rules }, "arm64"))).toMatchInlineSnapshot(`
      "   0  ld   arch
         1  jeq  0xc00000b7 ? 2 : 3
         2  ja   4
         3  ret  kill process
         4  ld   number
         5  jge  472 ? 6 : 7
         6  ret  ENOSYS
         7  jeq  198 ? 11 : 8
         8  jeq  220 ? 20 : 9
         9  jeq  435 ? 23 : 10
        10  ret  allow
        11  ld   argument 0.low
        12  jeq  1 ? 16 : 13
        13  jeq  2 ? 16 : 14
        14  jeq  10 ? 16 : 15
        15  jeq  16 ? 16 : 24
        16  ld   argument 0.low
        17  jeq  16 ? 18 : 25
        18  ld   argument 2.low
        19  jeq  0 ? 25 : 24
        20  ld   argument 0.low
        21  jset 0x7e020000 ? 22 : 25
        22  ret  EPERM
        23  ret  ENOSYS
        24  ret  EAFNOSUPPORT
        25  ret  allow"
    `);
  });

  it("refuses bytes that the assembler does not make", () => {
    const odd = new Uint8Array(12);
    const unknown = new Uint8Array([0x07, 0, 0, 0, 0, 0, 0, 0]);
    expect(() => printSeccomp(odd)).toThrow(
      new CofferdamError("INTERNAL", "seccomp program: 12 bytes are no whole instructions"),
    );
    expect(() => printSeccomp(unknown)).toThrow(
      new CofferdamError("INTERNAL", "seccomp program: instruction 0 has the unknown code 0x7"),
    );
  });

  it("prints every word of the data and every comparison by name", () => {
    const bytes = (code: number, value: number): readonly number[] => [code, 0, 0, 0, value, 0, 0, 0];
    const program = new Uint8Array(
      [
        [0x20, 8],
        [0x20, 12],
        [0x20, 28],
        [0x25, 5],
        [0x05, 0],
        [0x06, 9],
      ].flatMap(([code = 0, value = 0]) => bytes(code, value)),
    );
    expect(printSeccomp(program)).toMatchInlineSnapshot(`
      "   0  ld   pointer.low
         1  ld   pointer.high
         2  ld   argument 1.high
         3  jgt  5 ? 4 : 4
         4  ja   5
         5  ret  0x9"
    `);
  });
});

/** The meaning of a policy, read off its text; the compiler has to agree. */
function decideByReading(
  { abi32, rules }: SeccompPolicy,
  abi: Abi,
  nr: number,
  args: readonly bigint[],
): string {
  if (abi === "i386" && !abi32) return "kill process";
  if (nr >= FIRST_UNJUDGED) return "errno 38";
  const rule = rules.find(
    ({ call, when }) => call[abi] === nr && (when === "always" || when.every((one) => holds(one, args))),
  );
  return rule === undefined ? "allow" : `errno ${NUMBERS[rule.errno]}`;
}

function holds(one: ArgumentTest, args: readonly bigint[]): boolean {
  const low = Number(BigInt.asUintN(32, args[one.argument] ?? 0n));
  if (one.kind === "has-bit-of") return (BigInt(low) & BigInt(one.mask)) !== 0n;
  return one.values.includes(low) === (one.kind === "one-of");
}

function everywhere(nr: number): Readonly<Record<Abi, number>> {
  return { x64: nr, arm64: nr, i386: nr, arm: nr };
}

function refusal(rules: readonly SeccompRule[]): string {
  try {
    compileSeccomp({ abi32: false, rules }, "x64");
  } catch (error) {
    if (error instanceof CofferdamError && error.code === "INTERNAL") return error.message;
    throw error;
  }
  return "taken";
}
