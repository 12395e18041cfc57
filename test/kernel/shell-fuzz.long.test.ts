import { itReadsRandomLines } from "../support/shell/fuzz-test.ts";

itReadsRandomLines("bash does nothing with any of 1,000,000 lines that its reading does not tell", {
  count: 1_000_000,
  maxMinutes: null,
});
