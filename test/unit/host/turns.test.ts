import { expect, test } from "vitest";
import { inTurns, otherTurns } from "../../../src/host/turns.ts";

test("between steps everything else has its turn", async () => {
  const seen: string[] = [];
  setImmediate(() => seen.push("other"));
  function* steps(): Generator<void, string> {
    seen.push("first");
    yield;
    seen.push("second");
    return "done";
  }
  expect(await inTurns(steps())).toBe("done");
  expect(seen).toEqual(["first", "other", "second"]);
});

test("work on little goes on at once, and on much lets others have their turn", async () => {
  let turns = 0;
  setImmediate(() => (turns += 1));
  await otherTurns(16 * 1024);
  expect(turns).toBe(0);
  await otherTurns(16 * 1024 + 1);
  expect(turns).toBe(1);
});

test("what a step throws is thrown", async () => {
  function* failing(): Generator<void, string> {
    yield;
    throw new RangeError("no");
  }
  await expect(inTurns(failing())).rejects.toThrow("no");
});
