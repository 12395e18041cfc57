import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AssemblyLine,
  answer,
  assemble,
  go,
  jump,
  label,
  load,
  MAX_INSTRUCTIONS,
} from "../../../src/backend/seccomp/assemble.ts";
import { CofferdamError } from "../../../src/errors.ts";
import { AUDIT, simulateSeccomp } from "../../support/seccomp-simulator.ts";

const ALLOW = 0x7fff0000;
const DENY = 0x00050001;

describe("assemble", () => {
  it("writes each instruction as a little-endian sock_filter", () => {
    const program = assemble([
      load(24),
      jump("jset", 0x0a0b0c0d, "deny"),
      answer(ALLOW),
      label("deny"),
      answer(DENY),
    ]);
    expect(Buffer.from(program).toString("hex").match(/.{16}/g)).toEqual([
      "2000" + "00" + "00" + "18000000",
      "4500" + "01" + "00" + "0d0c0b0a",
      "0600" + "00" + "00" + "0000ff7f",
      "0600" + "00" + "00" + "01000500",
    ]);
  });

  it("compares as unsigned 32-bit words, whatever the test and the values", () => {
    const tests = [
      { test: "jeq", holds: (a: bigint, b: bigint) => a === b },
      { test: "jgt", holds: (a: bigint, b: bigint) => a > b },
      { test: "jge", holds: (a: bigint, b: bigint) => a >= b },
      { test: "jset", holds: (a: bigint, b: bigint) => (a & b) !== 0n },
    ] as const;
    const word = fc.oneof(
      fc.integer({ min: 0, max: 0xffffffff }),
      fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xffffffff),
    );
    fc.assert(
      fc.property(fc.constantFrom(...tests), word, word, ({ test, holds }, number, value) => {
        const program = assemble([
          load(0),
          jump(test, value, "deny"),
          answer(ALLOW),
          label("deny"),
          answer(DENY),
        ]);
        const expected = holds(BigInt(number), BigInt(value)) ? "errno 1" : "allow";
        expect(simulateSeccomp(program, { arch: AUDIT.x64, number })).toBe(expected);
      }),
    );
  });

  it("jumps over 255 instructions, forwards, on both branches", () => {
    const over = (count: number): readonly AssemblyLine[] =>
      Array.from({ length: count }, () => answer(ALLOW));
    const far = assemble([load(0), jump("jeq", 7, "deny"), ...over(255), label("deny"), answer(DENY)]);
    expect(simulateSeccomp(far, { arch: AUDIT.x64, number: 7 })).toBe("errno 1");
    expect(simulateSeccomp(far, { arch: AUDIT.x64, number: 8 })).toBe("allow");
    const otherwise = assemble([
      load(0),
      jump("jeq", 7, "next", "deny"),
      ...over(255),
      label("deny"),
      answer(DENY),
    ]);
    expect(simulateSeccomp(otherwise, { arch: AUDIT.x64, number: 8 })).toBe("errno 1");
  });

  it("goes on however far, where nothing is compared", () => {
    const over = Array.from({ length: 3000 }, () => answer(ALLOW));
    const far = assemble([go("deny"), ...over, label("deny"), answer(DENY)]);
    expect(simulateSeccomp(far, { arch: AUDIT.x64, number: 7 })).toBe("errno 1");
    expect(Buffer.from(far.subarray(0, 8)).toString("hex")).toBe("0500" + "00" + "00" + "b80b0000");
  });

  it("takes as many instructions as the kernel", () => {
    const full = Array.from({ length: MAX_INSTRUCTIONS }, () => answer(ALLOW));
    expect(assemble(full).byteLength).toBe(4096 * 8);
  });

  it("refuses what no kernel would take, and says what it was", () => {
    const over = (count: number): readonly AssemblyLine[] =>
      Array.from({ length: count }, () => answer(ALLOW));
    expect([
      refusal([]),
      refusal([answer(ALLOW), load(0)]),
      refusal(over(MAX_INSTRUCTIONS + 1)),
      refusal([load(2), answer(ALLOW)]),
      refusal([load(64), answer(ALLOW)]),
      refusal([load(-4), answer(ALLOW)]),
      refusal([answer(-1)]),
      refusal([answer(0.5)]),
      refusal([answer(2 ** 32)]),
      refusal([jump("jeq", 0, "nowhere"), answer(ALLOW)]),
      refusal([jump("jeq", 0, "next", "end"), answer(ALLOW), label("end")]),
      refusal([label("start"), load(0), jump("jeq", 0, "start"), answer(ALLOW)]),
      refusal([go("nowhere"), answer(ALLOW)]),
      refusal([label("start"), load(0), go("start"), answer(ALLOW)]),
      refusal([jump("jeq", 0, "far"), ...over(256), label("far"), answer(ALLOW)]),
      refusal([label("twice"), load(0), label("twice"), answer(ALLOW)]),
      refusal([label("next"), answer(ALLOW)]),
    ]).toMatchInlineSnapshot(`
      [
        "seccomp program: it does not end with an answer",
        "seccomp program: it does not end with an answer",
        "seccomp program: 4097 instructions, the kernel takes 4096",
        "seccomp program: no word of \`seccomp_data\` is at 2",
        "seccomp program: no word of \`seccomp_data\` is at 64",
        "seccomp program: -4 is no 32-bit word",
        "seccomp program: -1 is no 32-bit word",
        "seccomp program: 0.5 is no 32-bit word",
        "seccomp program: 4294967296 is no 32-bit word",
        "seccomp program: there is no label \`nowhere\`",
        "seccomp program: it does not end with an answer",
        "seccomp program: label \`start\` is behind its jump",
        "seccomp program: there is no label \`nowhere\`",
        "seccomp program: label \`start\` is behind its jump",
        "seccomp program: label \`far\` is 256 instructions away, a jump skips 255",
        "seccomp program: label \`twice\` is taken",
        "seccomp program: label \`next\` is taken",
      ]
    `);
  });
});

function refusal(lines: readonly AssemblyLine[]): string {
  try {
    assemble(lines);
  } catch (error) {
    if (error instanceof CofferdamError && error.code === "INTERNAL") return error.message;
    throw error;
  }
  return "taken";
}
