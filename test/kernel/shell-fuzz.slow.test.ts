import { itReadsRandomLines } from "../support/shell/fuzz-test.ts";

itReadsRandomLines(
  "bash does nothing with a line that its reading does not tell, and runs what rules let pass (S1-19)",
  4_000,
);
