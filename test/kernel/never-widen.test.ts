import { beforeAll, describe, expect, it } from "vitest";
import { APPROXIMATED, BOTH } from "../support/kernel/never-widen.ts";
import { type Report, table, together } from "../support/kernel/report.ts";
import { STANCES, startAll } from "../support/kernel/start.ts";
import { IS_LONG, requireSandbox, SEED, UNUSABLE } from "../support/kernel/usable.ts";

const PAIRS = Math.ceil((IS_LONG ? 2_000 : 150) / STANCES.length);
const TIMEOUT_MS = PAIRS * 3_000;

requireSandbox("pairs of profiles against the kernel");

describe.skipIf(UNUSABLE !== undefined)("a second profile never widens the first", () => {
  let report: Report;

  beforeAll(async () => {
    report = together([
      ...(await startAll({ kind: "never-widen", cases: PAIRS, seed: SEED }, TIMEOUT_MS)).values(),
    ]);
    console.log(
      table(
        `COFFERDAM_SEED=${SEED}, ${report.cases} pairs, ${report.probes} probes under each of three profiles, allowed by the intersection`,
        report.counts,
        2 * report.probes,
      ),
    );
  }, TIMEOUT_MS);

  it("what the kernel allows under the intersection, it allows under each profile alone (S1-24)", () => {
    expect(report.failure).toBeNull();
    expect(report.cases).toBe(PAIRS * STANCES.length);
    const { [BOTH]: both = 0, [APPROXIMATED]: approximated = 0 } = report.counts;
    expect(both).toBeGreaterThan(report.probes / 10);
    expect(approximated / both).toBeLessThan(0.01);
  });

  it("no placeholder, process or folder is left", () => {
    expect(report.left).toEqual([]);
  });
});
