import { expect, it } from "vitest";
import { runSequences } from "./support/sequences-run.ts";

const PROFILES = 30_000;

it("nor do many more of them", { timeout: PROFILES * 1_000 }, () => {
  expect(runSequences(PROFILES).runs).toBeGreaterThan(PROFILES * 15);
});
