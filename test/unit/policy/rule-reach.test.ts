import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printToolRule, type RuleReach, reachesAll, reachesSome } from "../../../src/policy/rule-reach.ts";
import { coversInvocation, invocationOf, type ToolRule } from "../../../src/policy/tool-rule.ts";

const glob = fc.constantFrom("*", "a", "b", "a*", "*b", "a*b", "*a*", "**");
const args: fc.Arbitrary<ToolRule["args"]> = fc.oneof(
  fc.constant(undefined),
  fc.dictionary(fc.constantFrom("k", "l"), glob, { maxKeys: 2, noNullPrototype: true }),
  fc.constantFrom("*", "*a*", "{*}", '*"k"*', '{"k":"a*'),
);
const reach: fc.Arbitrary<RuleReach> = fc.record({
  pattern: glob,
  args,
  agents: fc.option(fc.array(glob, { minLength: 1, maxLength: 2 }), { nil: undefined }),
});
const text = fc.constantFrom("a", "b", "ab", "axb", "ba", "");
const call = fc.record({
  tool: text,
  input: fc.dictionary(fc.constantFrom("k", "l"), fc.oneof(text, fc.constant(1)), { noNullPrototype: true }),
  agent: fc.option(text),
});
const asRule = (about: RuleReach): ToolRule => ({ ...about, action: "ask" });
const covers = (
  about: RuleReach,
  { tool, input, agent }: { tool: string; input: object; agent: string | null },
) => coversInvocation(asRule(about), invocationOf(tool, { ...input }, agent));

describe("what a rule on tools is about", () => {
  test("where one reaches all of another, it covers whatever that covers", () => {
    fc.assert(
      fc.property(reach, reach, call, (wide, narrow, one) => {
        fc.pre(covers(narrow, one) && reachesAll(wide, narrow));
        expect(covers(wide, one)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  test("where one reaches none of another, no call is covered by both", () => {
    fc.assert(
      fc.property(reach, reach, call, (a, b, one) => {
        fc.pre(covers(a, one) && covers(b, one));
        expect(reachesSome(a, b)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  test("each reaches all of itself, and some of what it reaches all of", () => {
    fc.assert(
      fc.property(reach, reach, (a, b) => {
        expect(reachesAll(a, a)).toBe(true);
        expect(reachesSome(a, b)).toBe(reachesSome(b, a));
        if (reachesAll(a, b)) expect(reachesSome(a, b)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  test.each<[claim: string, wide: RuleReach, narrow: RuleReach]>([
    ["arguments", { pattern: "*" }, { pattern: "*", args: { path: "*" } }],
    ["one argument more", { pattern: "*", args: { a: "x*" } }, { pattern: "*", args: { a: "xy", b: "*" } }],
    ["agents", { pattern: "*" }, { pattern: "*", agents: ["*"] }],
    [
      "fewer agents",
      { pattern: "*", agents: ["ci*", "ops"] },
      { pattern: "*", agents: ["ops", "ci-1", "ci-*"] },
    ],
  ])("a rule with %s reaches less, and still some", (_claim, wide, narrow) => {
    expect([reachesAll(wide, narrow), reachesAll(narrow, wide), reachesSome(wide, narrow)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("rules on arguments, or for agents, that differ share no call", () => {
    const about = (path: string): RuleReach => ({ pattern: "*", args: { path } });
    expect(reachesSome(about("/a/*"), about("/b/*"))).toBe(false);
    expect(reachesSome(about("/a/*"), about("*/b"))).toBe(true);
    expect(reachesSome({ pattern: "*", agents: ["a"] }, { pattern: "*", agents: ["b", "c*"] })).toBe(false);
  });

  test("it is told with its arguments and agents, as they are written", () => {
    const rule: ToolRule = {
      pattern: "write_*",
      args: { path: "/tmp/*" },
      agents: ["ci", "ops"],
      action: "allow",
    };
    expect(printToolRule(rule)).toBe('write_* with {"path":"/tmp/*"} by ["ci","ops"]');
    expect(printToolRule({ pattern: "*", args: "*rm*", action: "deny" })).toBe('* with "*rm*"');
  });
});
