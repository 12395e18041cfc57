import { describe, expect, it } from "vitest";
import type { RulePlan } from "../../src/backend/plan.ts";
import type { MacCase } from "../support/mac/mac-case.ts";
import { eachRule, eachShape, withRules } from "./support/changed-rules.ts";
import { planOf } from "./support/differential.ts";
import { runSequences } from "./support/sequences-run.ts";

const PROFILES = 150;

it("no random run of calls gets at what a profile hides, or changes what it protects", {
  timeout: 300_000,
}, () => {
  const { runs, done, refused, seenWithout, changedWithout, written } = runSequences(PROFILES);
  expect(runs).toBeGreaterThanOrEqual(2_000);
  // What is refused means something only where much succeeds, and where the same calls do harm without the sandbox.
  expect(done / (done + refused)).toBeGreaterThan(0.4);
  expect(refused / (done + refused)).toBeGreaterThan(0.1);
  expect(written).toBeGreaterThan(runs / 10);
  expect(seenWithout).toBeGreaterThan(runs / 20);
  expect(changedWithout).toBeGreaterThan(runs / 5);
});

describe("random runs find a way past a renderer that", () => {
  const also =
    (rule: string) =>
    (_: MacCase, { rules }: RulePlan): RulePlan["rules"] => ({ ...rules, text: `${rules.text}${rule}\n` });

  it.each<readonly [string, (given: MacCase, plan: RulePlan) => RulePlan["rules"]]>([
    [
      "forgets masks",
      (given, plan) => planOf({ ...given, profile: { ...given.profile, masks: [] } })?.rules ?? plan.rules,
    ],
    [
      "forgets what globs were found to cover",
      (given, plan) => planOf({ ...given, facts: { ...given.facts, hits: [] } })?.rules ?? plan.rules,
    ],
    [
      "forgets pins",
      (given, plan) =>
        withRules(given, plan, (rules) => ({
          ...eachShape((shape) => (shape.kind === "node" ? [] : [shape]))(rules),
          passing: rules.passing,
          neverMoved: [],
        })),
    ],
    [
      "leaves all exceptions to the denies",
      (given, plan) =>
        withRules(
          given,
          plan,
          eachRule((one) => [one.action === "deny" ? one : { ...one, area: { ...one.area, except: [] } }]),
        ),
    ],
    ["allows links", also('(if (defined? \'file-link) (allow file-link (subpath "/")))')],
    ["allows changes of mode everywhere", also('(allow file-write-mode (subpath "/"))')],
    ["lets everything be listed and read", also('(allow file-read* file-read-data (subpath "/Users/me"))')],
  ])("%s", { timeout: 120_000 }, (_, render) => {
    expect(() => runSequences(400, { seed: 20_240_607, render })).toThrow("COFFERDAM_SEED");
  });
});
