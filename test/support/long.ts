/** More of everything, for a machine with time: `scripts/test --long`. */
export const IS_LONG = process.env["COFFERDAM_LONG"] === "1";

/** How many times longer than usual a test waits before it counts something as stuck: on a machine that is emulated, more than once. */
export const PATIENCE = Number(process.env["COFFERDAM_TEST_PATIENCE"] ?? 1);
