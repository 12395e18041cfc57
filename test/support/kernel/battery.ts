import fc from "fast-check";
import type { Job, Report } from "./report.ts";
import { Tally } from "./report.ts";

/** What came of one case: how many probes were tried, or the field for which its profile was refused. */
export type Tried =
  | { readonly kind: "tried"; readonly probes: number }
  | { readonly kind: "refused"; readonly field: string };

/** Tries one case, and counts what it saw. Throws, with words for a reader, when a law is broken. */
export type TryCase<Case> = (one: Case, tally: Tally) => Promise<Tried>;

/** How long a counterexample may be made smaller. */
const SHRINK_MS = 30_000;

/** Tries as many cases as the job says, `first` before random ones; refused ones do not count. Never throws for a broken law. */
export async function tryCases<Case>(
  job: Job,
  arbitrary: fc.Arbitrary<Case>,
  tryCase: TryCase<Case>,
  first: readonly Case[] = [],
): Promise<Omit<Report, "left">> {
  const [tally, refused] = [new Tally(), new Tally()];
  const began = performance.now();
  let [cases, probes] = [0, 0];
  let shrinksUntil: number | null = null;
  const property = fc.asyncProperty(arbitrary, async (one) => {
    if (shrinksUntil !== null && performance.now() > shrinksUntil) return;
    const counted = shrinksUntil === null ? tally : new Tally();
    const tried = await tryCase(one, counted).catch((cause: unknown) => {
      shrinksUntil ??= performance.now() + SHRINK_MS;
      throw cause;
    });
    if (tried.kind === "refused") {
      refused.add(tried.field);
      return fc.pre(false);
    }
    if (shrinksUntil !== null) return;
    cases += 1;
    probes += tried.probes;
  });
  const run = await fc.check(property, {
    numRuns: job.cases,
    seed: job.seed,
    examples: first.map((one): [Case] => [one]),
  });
  return {
    cases,
    refused: refused.counts(),
    probes,
    counts: tally.counts(),
    failure: run.failed ? failureOf(run) : null,
    milliseconds: Math.round(performance.now() - began),
  };
}

function failureOf<Ts>(run: fc.RunDetails<Ts>): string {
  const error = run.errorInstance;
  const hint = error instanceof Error && "hint" in error ? `\n${String(error.hint)}` : "";
  const message =
    error instanceof Error
      ? `${error.message}${hint}\n${error.stack ?? ""}`
      : "too many profiles were refused";
  return `seed ${run.seed}, path "${run.counterexamplePath ?? ""}", made smaller ${run.numShrinks} times: ${message}\n${fc.stringify(run.counterexample)}`;
}
