import process from "node:process";

/** The test files that each tier leaves out; `scripts/test` sets the tier. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  quick: ["**/*.slow.test.ts", "**/*.long.test.ts"],
  all: ["**/*.long.test.ts"],
  long: [],
  // It takes hours.
  night: ["**/kernels.long.test.ts"],
};

/** Patterns of the test files that this run's tier leaves out. Throws where there is no such tier. */
export function leftOutOfTier(): readonly string[] {
  const tier = process.env["COFFERDAM_TEST_TIER"] ?? "quick";
  const leftOut = LEFT_OUT[tier];
  if (leftOut === undefined)
    throw new Error(`COFFERDAM_TEST_TIER is quick, all, long or night, not \`${tier}\``);
  return leftOut;
}
