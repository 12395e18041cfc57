import { expect, it } from "vitest";
import { IS_LONG } from "../support/long.ts";
import { runSequences } from "./support/sequences-run.ts";

const PROFILES = IS_LONG ? 30_000 : 400;

it("nor do many more of them", { timeout: PROFILES * 1_000 }, () => {
  expect(runSequences(PROFILES).runs).toBeGreaterThan(PROFILES * 15);
});
