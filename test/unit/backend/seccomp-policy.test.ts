import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SeccompArch } from "../../../src/backend/seccomp/abi.ts";
import { printSeccomp } from "../../../src/backend/seccomp/disassemble.ts";
import {
  type ArgumentTest,
  compileSeccomp,
  type SeccompPolicy,
  type SeccompRule,
} from "../../../src/backend/seccomp/policy.ts";
import { CofferdamError } from "../../../src/errors.ts";
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
const number = fc.integer({ min: 0, max: 5 });
const call = fc.record({ x64: number, arm64: fc.oneof(number, fc.constant("absent" as const)) });
const conditional: fc.Arbitrary<SeccompRule> = fc.record({ call, errno, when: tests });
const whole: fc.Arbitrary<SeccompRule> = fc.record({ call, errno, when: fc.constant("always") });
const policy = fc
  .tuple(
    fc.array(conditional, { maxLength: 8 }),
    fc.uniqueArray(whole, { selector: (rule) => rule.call.x64, maxLength: 3 }),
  )
  .map(([first, last]): SeccompPolicy => ({ rules: [...first, ...last] }));
const long = fc
  .tuple(word, fc.oneof(fc.constant(0), word))
  .map(([low, high]) => (BigInt(high) << 32n) | BigInt(low));

describe("compileSeccomp", () => {
  it("answers every call as its rules say, first rule first, whatever the high words", () => {
    fc.assert(
      fc.property(policy, number, fc.array(long, { minLength: 6, maxLength: 6 }), (rules, nr, args) => {
        const answer = simulateSeccomp(compileSeccomp(rules, "x64"), { arch: AUDIT.x64, number: nr, args });
        expect(answer).toBe(decideByReading(rules, "x64", nr, args));
      }),
      { numRuns: 2000 },
    );
  });

  it("leaves out a call that the machine does not have", () => {
    const rule = (arm64: number | "absent"): SeccompPolicy => ({
      rules: [{ call: { x64: 134, arm64 }, errno: "EPERM", when: "always" }],
    });
    expect(compileSeccomp(rule("absent"), "arm64")).toEqual(compileSeccomp({ rules: [] }, "arm64"));
    expect(compileSeccomp(rule(134), "arm64")).not.toEqual(compileSeccomp({ rules: [] }, "arm64"));
  });

  it("has room for a policy of 200 calls", () => {
    const rules = Array.from(
      { length: 200 },
      (_, nr) => ({ call: { x64: nr, arm64: nr }, errno: "EPERM", when: "always" }) as const,
    );
    const program = compileSeccomp({ rules }, "x64");
    expect(simulateSeccomp(program, { arch: AUDIT.x64, number: 0 })).toBe("errno 1");
    expect(simulateSeccomp(program, { arch: AUDIT.x64, number: 199 })).toBe("errno 1");
    expect(simulateSeccomp(program, { arch: AUDIT.x64, number: 200 })).toBe("allow");
  });

  it("refuses to compile a policy that outgrows the reach of a jump, instead of cutting it short", () => {
    const rules = Array.from(
      { length: 300 },
      (_, nr) => ({ call: { x64: nr, arm64: nr }, errno: "EPERM", when: "always" }) as const,
    );
    expect(refusal({ rules })).toBe(
      "seccomp program: label `ENOSYS` is 302 instructions away, a jump skips 255",
    );
  });

  it("refuses a rule that could never apply", () => {
    const ioctl = { x64: 16, arm64: 29 };
    const always: SeccompRule = { call: ioctl, errno: "EPERM", when: "always" };
    const maskless: SeccompRule = {
      call: ioctl,
      errno: "EPERM",
      when: [{ kind: "has-bit-of", argument: 1, mask: 0 }],
    };
    expect(refusal({ rules: [always, always] })).toBe(
      "seccomp policy: a rule for call 16 could never apply, an earlier rule always applies",
    );
    expect(refusal({ rules: [maskless] })).toBe(
      "seccomp policy: a rule for call 16 could never apply, its mask is 0",
    );
  });

  it("refuses a mask or value that is no 32-bit word, rather than reading it as another", () => {
    const clone = { x64: 56, arm64: 220 };
    const negative: SeccompRule = {
      call: clone,
      errno: "EPERM",
      when: [{ kind: "has-bit-of", argument: 0, mask: 0x80000000 | 0 }],
    };
    expect(refusal({ rules: [negative] })).toBe("seccomp program: -2147483648 is no 32-bit word");
  });
});

describe("printSeccomp", () => {
  it("prints rules of every kind so that they can be followed line by line", () => {
    const socket = { x64: 41, arm64: 198 };
    const rules: readonly SeccompRule[] = [
      {
        call: { x64: 56, arm64: 220 },
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
      { call: { x64: 435, arm64: 435 }, errno: "ENOSYS", when: "always" },
    ];
    expect(printSeccomp(compileSeccomp({ rules }, "arm64"))).toMatchInlineSnapshot(`
      "   0  ld   arch
         1  jeq  0xc00000b7 ? 3 : 2
         2  ret  kill process
         3  ld   number
         4  jeq  220 ? 8 : 5
         5  jeq  198 ? 10 : 6
         6  jeq  435 ? 20 : 7
         7  ret  allow
         8  ld   argument 0.low
         9  jset 0x7e020000 ? 19 : 22
        10  ld   argument 0.low
        11  jeq  1 ? 15 : 12
        12  jeq  2 ? 15 : 13
        13  jeq  10 ? 15 : 14
        14  jeq  16 ? 15 : 21
        15  ld   argument 0.low
        16  jeq  16 ? 17 : 22
        17  ld   argument 2.low
        18  jeq  0 ? 22 : 21
        19  ret  EPERM
        20  ret  ENOSYS
        21  ret  EAFNOSUPPORT
        22  ret  allow"
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
        [0x06, 9],
      ].flatMap(([code = 0, value = 0]) => bytes(code, value)),
    );
    expect(printSeccomp(program)).toMatchInlineSnapshot(`
      "   0  ld   pointer.low
         1  ld   pointer.high
         2  ld   argument 1.high
         3  jgt  5 ? 4 : 4
         4  ret  0x9"
    `);
  });
});

/** The meaning of a policy, read off its text; the compiler has to agree. */
function decideByReading(
  rules: SeccompPolicy,
  arch: SeccompArch,
  nr: number,
  args: readonly bigint[],
): string {
  const rule = rules.rules.find(
    ({ call, when }) => call[arch] === nr && (when === "always" || when.every((one) => holds(one, args))),
  );
  return rule === undefined ? "allow" : `errno ${NUMBERS[rule.errno]}`;
}

function holds(one: ArgumentTest, args: readonly bigint[]): boolean {
  const low = Number(BigInt.asUintN(32, args[one.argument] ?? 0n));
  if (one.kind === "has-bit-of") return (BigInt(low) & BigInt(one.mask)) !== 0n;
  return one.values.includes(low) === (one.kind === "one-of");
}

function refusal(rules: SeccompPolicy): string {
  try {
    compileSeccomp(rules, "x64");
  } catch (error) {
    if (error instanceof CofferdamError && error.code === "INTERNAL") return error.message;
    throw error;
  }
  return "taken";
}
