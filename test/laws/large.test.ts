import { expect, it } from "vitest";
import { isWithin } from "../../src/profile/compare.ts";
import { largeWork, medianMs } from "../support/generate-large.ts";

it("a profile of 10,000 entries is met, printed and digested like a small one", () => {
  const { entries, run } = largeWork(10_000);
  const first = run();
  expect([entries, first]).toEqual([[10_000, 10_000], run()]);
  expect(isWithin(first.granted, first.granted)).toBe(true);
  console.log(`intersect, printProfile and digest of 10,000 entries: ${medianMs(21, run).toFixed(1)} ms`);
});
