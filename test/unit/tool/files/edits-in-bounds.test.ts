import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CofferdamError } from "../../../../src/errors.ts";
import { allSteps } from "../../../../src/policy/steps.ts";
import { type Edit, editSteps } from "../../../../src/tool/files/apply-edits.ts";
import { workMs } from "../../../support/load/held-loop.ts";

const MIB = 1024 ** 2;

/** The code that edits end with; null where they are made. */
function codeOf(text: string, edits: readonly Edit[]): string | null {
  try {
    allSteps(editSteps(text, edits));
    return null;
  } catch (error) {
    return error instanceof CofferdamError ? error.code : String(error);
  }
}

describe("edits of a text", () => {
  it("find and replace what `replaceAll` does, whatever overlaps", () => {
    const few = fc.string({ unit: fc.constantFrom("a", "b", "\n", "$&"), maxLength: 40 });
    fc.assert(
      fc.property(
        few,
        fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 5 }),
        few,
        (text, old, now) => {
          fc.pre(text.includes(old) && old !== now);
          const { text: after, replaced } = allSteps(
            editSteps(text, [{ old_text: old, new_text: now, all: true }]),
          );
          expect(after).toBe(text.replaceAll(old, () => now));
          expect(replaced).toBe(text.split(old).length - 1);
        },
      ),
    );
  });

  it("are made in turn, or none is: what is not there, or there twice, ends them", () => {
    const first = { old_text: "a", new_text: "b" };
    expect(allSteps(editSteps("a b", [first, { old_text: "b b", new_text: "c" }]))).toEqual({
      text: "c",
      replaced: 2,
    });
    expect(codeOf("a a", [first])).toBe("FILE_NO_MATCH");
    expect(codeOf("a", [first, { old_text: "a", new_text: "c" }])).toBe("FILE_NO_MATCH");
    expect(codeOf("a", [{ old_text: "a", new_text: "a" }])).toBe("FILE_NO_MATCH");
  });

  it("of any text for any other take time that grows with the two lengths, not with their product", () => {
    const half = "a".repeat(MIB / 2);
    const edit = { old_text: `${half}b${half}`, new_text: "" };
    const work = workMs(() => expect(codeOf("a".repeat(4 * MIB), [edit])).toBe("FILE_NO_MATCH"));
    expect(work).toBeLessThan(5_000);
  });

  it("never make more of a text than is written, not even in between", () => {
    const grow = { old_text: "a", new_text: "b".repeat(500), all: true };
    const shrink = { old_text: "b".repeat(500), new_text: "a", all: true };
    // 500 times as many are just above 16 MiB, and just below.
    expect(codeOf("a".repeat(33_555), [grow, shrink])).toBe("FILE_TOO_LARGE");
    expect(codeOf("a".repeat(33_554), [grow, shrink])).toBeNull();
  });

  it("are bounded in their work and their places, however often a large file is gone through", () => {
    const there = { old_text: "b", new_text: "cd" };
    const back = { old_text: "cd", new_text: "b" };
    const text = `${"a".repeat(16 * MIB - 8)}b`;
    expect(codeOf(text, [there, back])).toBeNull();
    expect(codeOf(text, Array.from({ length: 50 }, () => [there, back]).flat())).toBe("FILE_TOO_LARGE");
    expect(codeOf("a".repeat(2 * MIB), [{ old_text: "a", new_text: "b", all: true }])).toBe("FILE_TOO_LARGE");
  });
});
