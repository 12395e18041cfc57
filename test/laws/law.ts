import fc from "fast-check";
import { describe, expect, it } from "vitest";

/** How often each property is tried; `COFFERDAM_LONG=1` asks for many more. */
const RUNS = process.env["COFFERDAM_LONG"] === "1" ? 50_000 : 2_000;
const TIMEOUT_MS = RUNS * 60;
/** Mutants meet the same values every time, so that a weak generator is noticed when it changes, not now and then. */
const MUTANT_SEED = 20_240_607;

/**
 * States one law: that the property holds of the implementation, and that it finds out every mutant. A mutant is named
 * by what it does wrong: `takes the greater access`. A failure prints the counterexample and its seed.
 */
export function law<Implementation, Values>(
  sentence: string,
  property: (implementation: Implementation) => fc.IProperty<Values> | fc.IAsyncProperty<Values>,
  implementation: NoInfer<Implementation>,
  mutants: Readonly<Record<string, NoInfer<Implementation>>>,
): void {
  describe(sentence, () => {
    it("holds", { timeout: TIMEOUT_MS }, async () => {
      await fc.assert(property(implementation), { numRuns: RUNS });
    });

    it.each(Object.entries(mutants))("is broken by what %s", async (_, mutant) => {
      const found = await fc.check(property(mutant), {
        numRuns: 2_000,
        seed: MUTANT_SEED,
        endOnFailure: true,
      });
      expect(found.failed).toBe(true);
    });
  });
}
