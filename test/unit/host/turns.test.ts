import fc from "fast-check";
import { expect, test } from "vitest";
import { flatMapInTurns, inTurns, otherTurns, sortedInTurns } from "../../../src/host/turns.ts";

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

test("what is sorted in turns is in order, and each once, however many lists", async () => {
  const lists = fc.array(fc.array(fc.nat(3_000), { maxLength: 1_500 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(lists, async (given) => {
      const sorted = await sortedInTurns(given, (a, b) => a - b);
      expect(sorted).toEqual([...new Set(given.flat())].toSorted((a, b) => a - b));
    }),
    { numRuns: 50 },
  );
});

test("what is made of many items comes in their order, and others have their turn", async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const items = Array.from({ length: 400_000 }, (_, at) => at);
  const made = await flatMapInTurns(items, (at) => (at % 2 === 0 ? [at, `${at}`.repeat(50).length] : []));
  clearInterval(timer);
  expect(made.filter((_, at) => at % 2 === 0)).toEqual(items.filter((at) => at % 2 === 0));
  expect(turns).toBeGreaterThan(1);
});
