import fc from "fast-check";
import type { RulePlan } from "../../../src/backend/plan.ts";
import { printProfile } from "../../../src/profile/canonical.ts";
import type { MacCase } from "../../support/mac/mac-case.ts";
import { EVERY_READING } from "../readings.ts";
import type { Kernel } from "../world/kernel.ts";
import { kernels } from "../world/kernels.ts";
import type { Judge } from "../world/perform.ts";
import { type Run, runSequence } from "../world/run-sequence.ts";
import { sequences, WRITTEN } from "../world/sequences.ts";
import { type Evaluator, evaluator, planOf } from "./differential.ts";
import { SEED } from "./differential-run.ts";
import { keptBy, stagedCase, stagedProfile, WORLD } from "./stage.ts";

const SEQUENCES = 24;

/** What came of many runs of calls; `without`: of the same ones where everything is allowed. */
export interface Outcome {
  readonly runs: number;
  readonly done: number;
  readonly refused: number;
  /** Runs after which something of the sandbox's own stands on the disk. */
  readonly written: number;
  readonly seenWithout: number;
  readonly changedWithout: number;
}

/**
 * Any kernel that asks about what is linked or cloned, each file of a folder too: without that, no profile with a place to make
 * files keeps anything, which is told among what is not protected.
 */
const asking: fc.Arbitrary<Kernel> = fc
  .tuple(
    kernels,
    fc.record({
      linkChecks: fc.constantFrom("source-only", "source-and-destination"),
      cloneChecks: fc.constantFrom("data", "clone", "clone-and-data"),
      clonesFolders: fc.constant(false),
    }),
  )
  .map(([kernel, asked]) => ({ ...kernel, ...asked }));

/** Where runs begin, and how a plan's rules are made into others. */
interface Options {
  readonly seed?: number;
  readonly render?: (given: MacCase, plan: RulePlan) => RulePlan["rules"];
}

/**
 * Random runs of calls on the fake Mac behind the text of random profiles, one profile a seed, under random kernels and
 * readings. Throws at the first that sees what is hidden or changes what is protected.
 */
export function runSequences(profiles: number, { seed: first, render }: Options = {}): Outcome {
  const outcome = { runs: 0, done: 0, refused: 0, written: 0, seenWithout: 0, changedWithout: 0 };
  for (const at of Array.from({ length: profiles }).keys()) {
    const seed = at + (first ?? SEED);
    const [profile] = fc.sample(stagedProfile, { seed, numRuns: 1 });
    if (profile === undefined) throw new Error("nothing was drawn");
    const given = stagedCase(profile);
    const plan = planOf(given);
    if (plan === null) continue;
    const ask = evaluator(render === undefined ? plan.rules : render(given, plan));
    const kept = keptBy(given);
    const drawn = fc.tuple(sequences(kept.stage), asking, fc.constantFrom(...EVERY_READING));
    for (const [calls, kernel, reading] of fc.sample(drawn, { seed, numRuns: SEQUENCES })) {
      const run = runSequence(WORLD, calls, judgeOf(ask, reading), { kernel, watch: kept.watch });
      const { seen, changed } = run.audit;
      if (seen.length + changed.length > 0) {
        const { knows: _, ...read } = reading;
        throw new Error(
          [
            `COFFERDAM_SEED=${seed}`,
            JSON.stringify(run.audit),
            ...run.log.map((step) => JSON.stringify(step)),
          ]
            .concat(JSON.stringify(kernel), JSON.stringify(read), printProfile(profile))
            .join("\n"),
        );
      }
      count(
        outcome,
        run,
        runSequence(WORLD, calls, () => true, { kernel, watch: kept.watch }),
      );
    }
  }
  return outcome;
}

function judgeOf(ask: Evaluator, reading: Parameters<Evaluator>[1]): Judge {
  return (query) => ask(query, reading).allowed;
}

type Counts = { -readonly [Key in keyof Outcome]: Outcome[Key] };

function count(counts: Counts, { log, world }: Run, free: Run): void {
  counts.runs += 1;
  counts.done += log.filter(({ result }) => result.kind === "done").length;
  counts.refused += log.filter(({ result }) => result.kind === "refused").length;
  const hasWritten = [...world.nodes.values()].some(
    (node) => node.vnode === "REGULAR-FILE" && node.bytes.includes(WRITTEN),
  );
  counts.written += hasWritten ? 1 : 0;
  counts.seenWithout += free.audit.seen.length > 0 ? 1 : 0;
  counts.changedWithout += free.audit.changed.length > 0 ? 1 : 0;
}
