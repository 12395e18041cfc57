import { itReadsRandomLines } from "../support/shell/fuzz-test.ts";

itReadsRandomLines("bash does nothing with any of a million lines that its reading does not tell", 1_000_000);
