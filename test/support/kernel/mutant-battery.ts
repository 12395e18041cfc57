import fc from "fast-check";
import { CofferdamError } from "../../../src/errors.ts";
import { agreementCase, type Case, tryCase } from "./agreement.ts";
import { MUTANTS } from "./mutants.ts";
import type { Job, Report } from "./report.ts";
import { Tally } from "./report.ts";
import type { Stage } from "./stage.ts";

/**
 * Tries every mutant on cases of its own until one shows an act that it allows and the model denies. Counted is the
 * number of that case under the mutant's name, 0 when there was none, and whether the proof refuses such a sandbox.
 */
export async function tryMutants(stage: Stage, job: Job): Promise<Omit<Report, "left">> {
  const tally = new Tally();
  const began = performance.now();
  let cases = 0;
  for (const name of Object.keys(MUTANTS)) {
    const killer = await firstKiller(
      stage,
      name,
      fc.sample(agreementCase, { numRuns: job.cases, seed: job.seed }),
    );
    cases += killer.tried;
    tally.add(name, killer.case === null ? 0 : killer.tried);
    if (MUTANTS[name]?.plan === undefined) continue;
    tally.add(
      refusedByProof(name),
      killer.case !== null && (await isRefusedByProof(stage, name, killer.case)) ? 1 : 0,
    );
  }
  return {
    cases,
    refused: {},
    probes: 0,
    counts: tally.counts(),
    failure: null,
    milliseconds: Math.round(performance.now() - began),
  };
}

/** The name under which a refusal of the mutant's sandbox by the proof is counted. */
export function refusedByProof(name: string): string {
  return `${name}: refused by the proof`;
}

async function firstKiller(
  stage: Stage,
  name: string,
  cases: readonly Case[],
): Promise<{ readonly case: Case | null; readonly tried: number }> {
  for (const [at, one] of cases.entries())
    if (await kills(stage, name, one)) return { case: one, tried: at + 1 };
  return { case: null, tried: cases.length };
}

/** A sandbox that can't even be built and files that the host has lost are found as well, but not counted. */
async function kills(stage: Stage, name: string, one: Case): Promise<boolean> {
  try {
    const outcome = await tryCase(stage, one, MUTANTS[name]);
    return outcome.kind === "judged" && outcome.judged.some(({ verdict }) => verdict === "upward");
  } catch {
    return false;
  }
}

async function isRefusedByProof(stage: Stage, name: string, one: Case): Promise<boolean> {
  try {
    await tryCase(stage, one, { ...MUTANTS[name], isProven: true });
    return false;
  } catch (cause) {
    return cause instanceof CofferdamError && cause.code === "SANDBOX_UNAVAILABLE";
  }
}
