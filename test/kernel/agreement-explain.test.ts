import { beforeAll, describe, expect, it } from "vitest";
import { type Report, table, together } from "../support/kernel/report.ts";
import { STANCES, startAll } from "../support/kernel/start.ts";
import { requireSandbox, SEED, UNUSABLE } from "../support/kernel/usable.ts";
import { IS_LONG } from "../support/long.ts";

const CASES = Math.ceil((IS_LONG ? 1_500 : 120) / STANCES.length);
const TIMEOUT_MS = CASES * 3_000;
const MAX_ROUNDS = 5;
/** What decides, and which way: each is taken out of a plan at least once. */
const DECISIONS = ["allowance by entry", "denial by entry", "denial by mask"];

requireSandbox("what explain says against the kernel");

describe.skipIf(UNUSABLE !== undefined)("the clause that explain names is what decides in the kernel", () => {
  let report: Report;

  beforeAll(async () => {
    const reports: Report[] = [];
    // Now and then a decision is in none of the cases: then there are more.
    for (let round = 0; round < MAX_ROUNDS && (round === 0 || !hasEvery(report)); round += 1) {
      const some = await startAll(
        { kind: "explain", cases: CASES, seed: SEED + round * STANCES.length },
        TIMEOUT_MS,
      );
      reports.push(...some.values());
      report = together(reports);
    }
    console.log(
      table(
        `COFFERDAM_SEED=${SEED}, ${report.cases} cases, taken out of a plan`,
        report.counts,
        report.cases,
      ),
    );
  }, MAX_ROUNDS * TIMEOUT_MS);

  it("without its mount, the answer is the other one", () => {
    expect(report.failure).toBeNull();
    expect(report.cases % (CASES * STANCES.length)).toBe(0);
    expect(report.cases).toBeGreaterThan(0);
  });

  it.each(DECISIONS)("an %s was taken out", (decision) => {
    expect(report.counts[decision]).toBeGreaterThan(0);
  });

  it("no placeholder, process or folder is left", () => {
    expect(report.left).toEqual([]);
  });
});

function hasEvery({ counts }: Report): boolean {
  return DECISIONS.every((decision) => (counts[decision] ?? 0) > 0);
}
