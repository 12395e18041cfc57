import { beforeAll, describe, expect, it } from "vitest";
import { refusedByProof } from "../support/kernel/mutant-battery.ts";
import { MUTANTS } from "../support/kernel/mutants.ts";
import type { Report } from "../support/kernel/report.ts";
import { STANCES, start } from "../support/kernel/start.ts";
import { requireSandbox, UNUSABLE } from "../support/kernel/usable.ts";

/** No more than the agreement test tries for one stance in its usual run. */
const CASES = 150;
/** Mutants meet the same cases every time, so that a weak generator is noticed when it changes, not now and then. */
const SEED = 20_240_607;
const TIMEOUT_MS = 180_000;

requireSandbox("mistakes that a renderer could make");

describe.skipIf(UNUSABLE !== undefined)("random cases find out a renderer that", () => {
  let report: Report;

  beforeAll(async () => {
    const stance = STANCES.at(-1);
    if (stance === undefined) throw new Error("there is always a stance");
    report = await start(
      stance,
      { kind: "mutants", cases: CASES, seed: SEED },
      AbortSignal.timeout(TIMEOUT_MS),
    );
    console.log(
      Object.keys(MUTANTS)
        .map((name) => `${name}: case ${report.counts[name]}`)
        .join("\n"),
    );
  }, TIMEOUT_MS);

  it.each(Object.keys(MUTANTS))("%s", (name) => {
    expect(report.counts[name]).toBeGreaterThan(0);
  });

  it.each(Object.keys(MUTANTS).filter((name) => MUTANTS[name]?.plan !== undefined))(
    "%s, and the proof refuses its sandbox",
    (name) => {
      expect(report.counts[refusedByProof(name)]).toBe(1);
    },
  );
});
