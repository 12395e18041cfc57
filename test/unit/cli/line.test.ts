import { expect, test } from "vitest";
import { SlowLine } from "../../../src/cli/line.ts";

test("a line is behind by what was sent lately, and by no more the longer ago that was", () => {
  let now = 5_000;
  const line = new SlowLine(() => now);
  expect(line.behindMs).toBe(0);
  line.sent(100_000);
  line.sent(50_000);
  expect(line.behindMs).toBe(1_500);
  now += 600;
  expect(line.behindMs).toBe(900);
  now += 10_000;
  expect(line.behindMs).toBe(0);
  // What was idle is no head start.
  line.sent(100);
  expect(line.behindMs).toBe(1);
});
