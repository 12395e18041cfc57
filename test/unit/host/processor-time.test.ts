import { constants, cpus } from "node:os";
import { expect, test } from "vitest";
import { isOutOfTime } from "../../../src/host/launch/processor-time.ts";

const XCPU = 128 + constants.signals.SIGXCPU;
/** What `4s` are at the least, with every processor at work. */
const LEAST_MS = 4_000 / cpus().length;

test("a status tells that processor time ran out where it was bounded, and can have run out", () => {
  const ended = { cause: "exited", code: XCPU } as const;
  expect(isOutOfTime(ended, { cpuSeconds: 4 }, LEAST_MS)).toBe(true);
  expect(isOutOfTime(ended, { cpuSeconds: 4 }, LEAST_MS - 1)).toBe(false);
  expect(isOutOfTime(ended, {}, 60_000)).toBe(false);
  expect(isOutOfTime({ ...ended, code: 137 }, { cpuSeconds: 4 }, 60_000)).toBe(false);
  for (const cause of ["timed-out", "aborted", "uncovered"] as const)
    expect(isOutOfTime({ ...ended, cause }, { cpuSeconds: 4 }, 60_000)).toBe(false);
});
