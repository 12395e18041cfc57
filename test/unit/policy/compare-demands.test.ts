import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Mode } from "../../../src/policy/action.ts";
import { AppearedPolicy } from "../../../src/policy/appeared-policy.ts";
import type { OperatorRule } from "../../../src/policy/approval-section.ts";
import type { Json } from "../../../src/policy/canonical-json.ts";
import {
  type Demands,
  type Looseness,
  loosenessOf,
  meetDemands,
  NO_DEMANDS,
} from "../../../src/policy/compare-demands.ts";
import type { OperatorToolRule } from "../../../src/policy/tool-rule.ts";
import { approvalOf, type Judged, judgeCommand } from "./judge-command.ts";

const demanding = (...rules: readonly OperatorRule[]): Demands => ({
  ...NO_DEMANDS,
  approval: { ...NO_DEMANDS.approval, rules },
});

/** What is left of A's demands in B, one text a rule. */
function loose(a: readonly OperatorRule[], b: readonly OperatorRule[]): readonly string[] {
  return loosenessOf(demanding(...b), demanding(...a)).map((one) =>
    one.field === "rule"
      ? `${one.isCertain ? "" : "perhaps "}${one.text} ${one.isAsked ? "asks" : "passes"}`
      : one.field,
  );
}

const shell = (text: string, action: "ask" | "deny" = "deny"): OperatorRule => ({ shell: text, action });
const pattern = (text: string, action: "ask" | "deny" = "deny"): OperatorRule => ({ pattern: text, action });
const write = (args: OperatorToolRule["args"]): OperatorRule => ({ pattern: "write", args, action: "deny" });

describe("what one operator lets pass and another does not", () => {
  test.each<[string, readonly OperatorRule[], readonly OperatorRule[], readonly string[]]>([
    ["a rule is gone", [shell("git push")], [], ["git push passes"]],
    ["a deny has become an ask", [shell("git push")], [shell("git push", "ask")], ["git push asks"]],
    ["a rule covers less", [shell("git")], [shell("git push")], ["git passes"]],
    ["a rule covers longer lines alone", [shell("git p*")], [shell("git push *")], ["git p* passes"]],
    ["a tool's rule is gone", [pattern("drop_*")], [shell("*")], ["drop_* passes"]],
    ["only the name remains", [shell("*/git push")], [shell("git push")], ["perhaps */git push passes"]],
    ["all commands, and now some", [pattern("shell", "ask")], [shell("git")], ["shell passes"]],
    [
      "a rule is about some arguments only",
      [pattern("write")],
      [write({ path: "/etc/*" })],
      ["write passes"],
    ],
    ["about fewer", [write({ path: "/etc/*" })], [write({ path: "/etc/a*" })], ["write passes"]],
    ["about one more", [write({ path: "*" })], [write({ path: "*", mode: "*" })], ["write passes"]],
    [
      "a command line told as an argument",
      [shell("git")],
      [{ pattern: "shell", args: { command: "git*" }, action: "deny" }],
      ["perhaps git passes"],
    ],
    ["told in another way", [write({ path: "/etc/*" })], [write("*/etc/*")], ["perhaps write passes"]],
  ])("%s", (_, a, b, found) => {
    expect(loose(a, b)).toEqual(found);
  });

  test.each<[string, readonly OperatorRule[], readonly OperatorRule[]]>([
    [
      "order, doubles, blanks and reasons",
      [shell("git  push"), shell("rm")],
      [shell("rm"), shell(" git push ")],
    ],
    ["an ask that became a deny", [shell("git push", "ask")], [shell("git push")]],
    ["a rule that covers more", [shell("git push --force")], [shell("git p*")]],
    ["runs of `*`", [pattern("drop_**")], [pattern("drop_*")]],
    ["a rule on the shell as a tool", [shell("git push")], [pattern("sh*")]],
    ["the shell as a tool, and every command", [pattern("shell")], [shell("*")]],
    ["a rule that is about more arguments", [write({ path: "/etc/*", mode: "*" })], [write({ path: "/*" })]],
    ["one that is about all", [write("*rm*")], [pattern("w*")]],
    ["no arguments at all, however that is written", [pattern("write")], [write({})]],
  ])("nothing: %s", (_, a, b) => {
    expect(loose(a, b)).toEqual([]);
  });

  test("a mode more, grants for the session, a larger budget, a reviewer, running as root, and what becomes of what hosts execute", () => {
    const strict: Demands = {
      approval: {
        rules: [],
        modes: ["strict"],
        sessionGrants: false,
        keptRules: false,
        budget: { calls: 9, minutes: 5 },
        reviewer: false,
      },
      runAs: "not-root",
      appeared: "ask",
    };
    expect(loosenessOf(NO_DEMANDS, strict)).toEqual<Looseness[]>([
      { field: "run as" },
      { field: "appeared", appeared: "report" },
      { field: "mode", mode: "interactive" },
      { field: "mode", mode: "approve_all" },
      { field: "session grants" },
      { field: "budget", part: "calls" },
      { field: "budget", part: "minutes" },
      { field: "reviewer" },
      { field: "kept rules" },
    ]);
    expect(loosenessOf(strict, NO_DEMANDS)).toEqual([]);
  });
});

const text = fc.constantFrom(
  "a",
  "b",
  "a b",
  "a *",
  "*",
  "* b",
  "a*",
  "*b",
  "/x/a",
  "*/a",
  "a*b",
  "shell",
  "s*",
);
const action = fc.constantFrom("ask" as const, "deny" as const);
const name = fc.constantFrom("k", "l");
const argGlob = fc.constantFrom("*", "a", "a*", "*b", "a*b");
const args: fc.Arbitrary<OperatorToolRule["args"]> = fc.oneof(
  fc.constant(undefined),
  fc.dictionary(name, argGlob, { maxKeys: 2, noNullPrototype: true }),
  fc.constantFrom("*", "*a*", '*"k"*'),
);
const demands: fc.Arbitrary<Demands> = fc.record({
  approval: fc.record({
    rules: fc.array(
      fc.oneof(fc.record({ shell: text, action }), fc.record({ pattern: text, args, action })),
      {
        maxLength: 4,
      },
    ),
    modes: fc.subarray(Mode.options),
    sessionGrants: fc.boolean(),
    budget: fc.record(
      { calls: fc.integer({ min: 1, max: 3 }), minutes: fc.integer({ min: 1, max: 3 }) },
      { requiredKeys: [] },
    ),
    reviewer: fc.boolean(),
    keptRules: fc.boolean(),
  }),
  runAs: fc.constantFrom("any" as const, "not-root" as const),
  appeared: fc.constantFrom(...AppearedPolicy.options),
});
const word = fc.constantFrom("a", "b", "ab", "a-b", "/x/a", "/x/b", "shell", "c");
const call: fc.Arbitrary<Judged> = fc.record({
  tool: fc.constantFrom("shell", "a", "s", "ab"),
  words: fc.option(fc.array(word, { minLength: 1, maxLength: 3 })),
  programNames: fc.array(fc.constantFrom("a", "b", "ab"), { maxLength: 2 }),
  programFile: fc.constant("fixed" as const),
  arePathsInside: fc.constant(() => true),
  gains: fc.constant(null),
  needsMore: fc.constant(null),
  input: fc.dictionary(name, fc.constantFrom("a", "b", "ab", "axb"), { noNullPrototype: true }),
});

/** Arguments that a rule is about, with `#` for each `*`. */
function sampleOf(about: OperatorToolRule["args"]): Json {
  if (typeof about === "string") return { "#": about.replaceAll(/["*]/g, ""), k: "#" };
  return Object.fromEntries(
    Object.entries(about ?? {}).map(([key, glob]) => [key, glob.replaceAll("*", "#")]),
  );
}

const RANK = { allow: 0, ask: 1, deny: 2 } as const;

/** What the operator alone makes of a call: how strict the strictest of its rules is that speak about it. */
function strictness({ approval }: Demands, judged: Judged): number {
  const { hits } = judgeCommand(judged, {
    operator: approval,
    approval: approvalOf({ rules: [] }),
    shell: { rules: [], order: "first-match", default: { allowed: true, approval: false } },
  });
  return Math.max(0, ...hits.filter((hit) => hit.layer === "operator").map((hit) => RANK[hit.action]));
}

describe("laws of the comparison", () => {
  test("what both demand is never wider than either", () => {
    fc.assert(
      fc.property(demands, demands, (a, b) => {
        const both = meetDemands(a, b);
        expect([loosenessOf(both, a), loosenessOf(both, b)]).toEqual([[], []]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a call that one asks about or denies, and the other lets pass, is found", () => {
    fc.assert(
      fc.property(demands, demands, call, (a, b, judged) => {
        fc.pre(strictness(b, judged) < strictness(a, judged));
        expect(loosenessOf(b, a).some((one) => one.field === "rule")).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a rule that is certainly looser lets a call pass that the other does not", () => {
    fc.assert(
      fc.property(demands, demands, (a, b) => {
        for (const one of loosenessOf(b, a)) {
          if (one.field !== "rule" || !one.isCertain) continue;
          const said = one.text.replaceAll("*", "#");
          const words = one.of === "shell" ? said.split(" ") : ["#"];
          const judged: Judged = {
            tool: one.of === "shell" ? "shell" : said,
            words,
            programNames: [(words[0] ?? "").replace(/.*\//, "")],
            programFile: "fixed",
            arePathsInside: () => true,
            gains: null,
            needsMore: null,
            input: sampleOf(one.args),
          };
          expect(strictness(b, judged)).toBeLessThan(strictness(a, judged));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
