import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IS_LONG } from "../../support/long.ts";

/** Mutants meet the same cases every time, so that a weak generator is noticed when it changes, not now and then. */
const MUTANT_SEED = 20_240_607;

/** Where a run of random cases begins; fast-check prints it with what failed. */
const SEED = process.env["COFFERDAM_SEED"];

/**
 * States one law about texts, which are dear to make: that it holds in so many cases, and that it finds out every mutant.
 * A mutant is named by what it does wrong.
 */
export function textLaw<Implementation, Values>(
  sentence: string,
  runs: number,
  property: (implementation: Implementation) => fc.IProperty<Values>,
  implementation: NoInfer<Implementation>,
  mutants: Readonly<Record<string, NoInfer<Implementation>>>,
): void {
  const numRuns = IS_LONG ? runs * 20 : runs;
  describe(sentence, () => {
    it("holds", { timeout: numRuns * 400 }, () => {
      fc.assert(property(implementation), { numRuns, ...(SEED === undefined ? {} : { seed: Number(SEED) }) });
    });

    it.each(Object.entries(mutants))("is broken by what %s", { timeout: 300_000 }, (_, mutant) => {
      const found = fc.check(property(mutant), { numRuns: 1_000, seed: MUTANT_SEED, endOnFailure: true });
      expect(found.failed).toBe(true);
    });
  });
}
