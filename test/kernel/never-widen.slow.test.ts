import { beforeAll, describe, expect, it } from "vitest";
import { APPROXIMATED, BOTH } from "../support/kernel/never-widen.ts";
import { type Report, table, together } from "../support/kernel/report.ts";
import { STANCES, startAll } from "../support/kernel/start.ts";
import { requireSandbox, SEED, UNUSABLE } from "../support/kernel/usable.ts";
import { IS_LONG } from "../support/long.ts";

const PAIRS = Math.ceil((IS_LONG ? 2_000 : 150) / STANCES.length);
const TIMEOUT_MS = PAIRS * 3_000;
const MAX_ROUNDS = 5;
/** The most of what both allow that one alone may refuse by an approximation. */
const MAX_APPROXIMATED = 0.01;

requireSandbox("pairs of profiles against the kernel");

describe.skipIf(UNUSABLE !== undefined)("a second profile never widens the first", () => {
  let report: Report;
  let rounds = 0;

  beforeAll(async () => {
    const reports: Report[] = [];
    // Now and then a few pairs are nearly all approximation: then there are more, of which they are a smaller part.
    do {
      const job = { kind: "never-widen", cases: PAIRS, seed: SEED + rounds * STANCES.length } as const;
      reports.push(...(await startAll(job, TIMEOUT_MS)).values());
      report = together(reports);
      rounds += 1;
    } while (rounds < MAX_ROUNDS && report.failure === null && shareOf(report) >= MAX_APPROXIMATED);
    console.log(
      table(
        `COFFERDAM_SEED=${SEED}, ${report.cases} pairs, ${report.probes} probes under each of three profiles, allowed by the intersection`,
        report.counts,
        2 * report.probes,
      ),
    );
  }, MAX_ROUNDS * TIMEOUT_MS);

  it("never-weaker: what the kernel allows under the intersection, it allows under each profile alone (S1-24)", () => {
    expect(report.failure).toBeNull();
    expect(report.cases).toBe(PAIRS * STANCES.length * rounds);
    expect(report.counts[BOTH]).toBeGreaterThan(report.probes / 10);
    expect(shareOf(report)).toBeLessThan(MAX_APPROXIMATED);
  });

  it("no placeholder, process or folder is left", () => {
    expect(report.left).toEqual([]);
  });
});

function shareOf({ counts }: Report): number {
  return (counts[APPROXIMATED] ?? 0) / (counts[BOTH] ?? 0);
}
