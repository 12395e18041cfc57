import { expect, it } from "vitest";
import { IS_LONG } from "../support/long.ts";
import { runDifferential } from "./support/differential-run.ts";

const PROFILES = IS_LONG ? 40_000 : 1_000;

it("many more profiles mean what they say, in every text and under every reading", {
  timeout: PROFILES * 150,
}, () => {
  const { tally, refused, asked } = runDifferential(PROFILES);
  expect(PROFILES - refused).toBeGreaterThan(0.7 * PROFILES);
  expect(asked).toBeGreaterThan(35 * PROFILES);
  expect(tally.yes / asked).toBeGreaterThan(0.25);
  expect(tally.no / asked).toBeGreaterThan(0.25);
});
