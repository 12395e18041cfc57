import { expect, test } from "vitest";
import type { ProgramOutcome } from "../../../src/decide/outcome.ts";
import { otherThan, unless } from "../../../src/selftest/drill.ts";

const NOTHING = { takenBytes: 0, droppedBytes: 0, tail: Buffer.alloc(0) };

/** A call that ran and said something. */
function ran(kind: "done" | "failed" | "timed-out", said: string): ProgramOutcome {
  const [stdout, stderr] = ["", said].map((text) => ({ ...NOTHING, bytes: Buffer.from(text) }));
  // Nothing here reads a receipt.
  return { kind, code: 1, stdout, stderr, receipt: {}, durationMs: 70.4 } as ProgramOutcome;
}

test("a call that came to what it must is no fault, and what another one came to is told with its last words", () => {
  expect(otherThan("done", ran("done", ""))).toBeNull();
  expect(otherThan("done", ran("timed-out", ""))).toBe("timed-out with 1 after 70 ms");
  expect(otherThan("done", ran("failed", `${"a".repeat(300)}\u001b[2Jno room\n`))).toMatch(
    /^failed with 1 after 70 ms: `a+\\u\{1b\}\[2Jno room`$/,
  );
  const denied = { kind: "denied", code: "SANDBOX_UNAVAILABLE", reason: "no sandbox", hint: "" } as const;
  expect(otherThan("done", denied)).toBe("denied: no sandbox");
});

test("what is not so is told by its name, the first alone", () => {
  expect(unless({ "a was seen": true, "b was seen": true })).toBeNull();
  expect(unless({ "a was seen": true, "b was seen": false, "c was seen": false })).toBe("b was seen");
});
