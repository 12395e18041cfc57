import { itReadsRandomLines } from "../support/shell/fuzz-test.ts";

/** Where nobody waits for it, as many as a commit should be tried with. */
const length =
  process.env["CI"] === "true" ? { count: 100_000, maxMinutes: null } : { count: 12_000, maxMinutes: 1 / 3 };

itReadsRandomLines(
  "bash does nothing with a line that its reading does not tell, and runs what rules let pass (S1-19)",
  length,
);
