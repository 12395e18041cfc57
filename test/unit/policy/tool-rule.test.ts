import { describe, expect, test } from "vitest";
import { ApprovalSection, DEFAULT_APPROVAL, OperatorRule } from "../../../src/policy/approval-section.ts";
import type { Json } from "../../../src/policy/canonical-json.ts";
import { RiskDefaults, riskAction } from "../../../src/policy/risk.ts";
import { coversInvocation, invocationOf, pickRule, ToolRule } from "../../../src/policy/tool-rule.ts";

const covers = (rule: object, tool: string, input: Json = {}, agent: string | null = null): boolean =>
  coversInvocation(ToolRule.parse({ action: "ask", ...rule }), invocationOf(tool, input, agent));

const problemsOf = (rule: unknown): readonly string[] =>
  ToolRule.safeParse(rule).error?.issues.map(({ message }) => message) ?? [];

describe("a rule on tools", () => {
  test.each<[pattern: string, covered: readonly string[], not: readonly string[]]>([
    ["*", ["x", "get_user", "fs/read"], []],
    ["get_*", ["get_", "get_user"], ["get", "forget_user", "Get_user"]],
    ["*_prod", ["deploy_prod"], ["deploy_prod_eu"]],
    ["a*c*e", ["ace", "abcde"], ["ae", "acd"]],
    ["delete_user", ["delete_user"], ["delete_users", "xdelete_user"]],
    ["get.user", ["get.user"], ["get_user"]],
    ["[a-z]?", ["[a-z]?"], ["a", "ab"]],
  ])("%s is a glob on the whole name, in which the star alone is special (S0-8)", (pattern, covered, not) => {
    expect(covered.filter((name) => covers({ pattern }, name))).toEqual(covered);
    expect(not.filter((name) => covers({ pattern }, name))).toEqual([]);
  });

  test("may be about the text of all arguments, or about named ones (S0-8, S0-36)", () => {
    const input = { table: "users", where: { id: 1 } };
    expect(covers({ pattern: "*", args: '*"users"*' }, "drop", input)).toBe(true);
    expect(covers({ pattern: "*", args: "*orders*" }, "drop", input)).toBe(false);
    expect(covers({ pattern: "*", args: { table: "us*" } }, "drop", input)).toBe(true);
    expect(covers({ pattern: "*", args: { table: "us*", where: '{"id":1}' } }, "drop", input)).toBe(true);
    expect(covers({ pattern: "*", args: { table: "us*", where: '{"id":2}' } }, "drop", input)).toBe(false);
  });

  test("about an argument that is not there, or not the object's own, is about nothing", () => {
    for (const name of ["none", "constructor", "toString"])
      expect(covers({ pattern: "*", args: { [name]: "*" } }, "x", { a: "1" })).toBe(false);
    for (const input of [null, "text", 1, ["a"]])
      expect(covers({ pattern: "*", args: { a: "*" } }, "x", input)).toBe(false);
    expect(covers({ pattern: "*", args: { a: "*" } }, "x", { a: null })).toBe(true);
  });

  test("for some agents is about their calls alone, and never about a call of nobody's (S0-13)", () => {
    const rule = { pattern: "*", agents: ["deploy*"] };
    expect(covers(rule, "x", {}, "deployer")).toBe(true);
    expect(covers(rule, "x", {}, "ann")).toBe(false);
    expect(covers(rule, "x", {}, null)).toBe(false);
  });

  test("that allows can't hang on a text that a model writes", () => {
    expect(problemsOf({ pattern: "*", action: "allow", args: '*"safe":true*' })).toEqual([
      'name the arguments that the rule allows: `args: { name: "glob" }`',
    ]);
    for (const rule of [
      { pattern: "*", action: "allow", args: { table: "tmp_*" } },
      { pattern: "*", action: "deny", args: '*"safe":true*' },
    ])
      expect(problemsOf(rule)).toEqual([]);
  });

  test.each<[string, object, string]>([
    [
      "has a colon in its pattern",
      { pattern: "drop:*users*" },
      "write a glob for the tool's name; write conditions for arguments under `args`",
    ],
    [
      "allows and speaks of memory",
      { action: "allow", remember: true },
      "use this key only in a rule with `action: ask`",
    ],
    ["is misspelt", { agent: "ann" }, 'Unrecognized key: "agent"'],
  ])("that %s is refused, not read in another way", (_, more, message) => {
    expect(problemsOf({ pattern: "*", action: "ask", ...more })).toEqual([message]);
  });

  test.each([{}, { ["__proto__"]: "*" }, []])(
    "that names no argument where it speaks of arguments is refused, not about every call: %j",
    (args) => {
      expect(problemsOf({ pattern: "*", action: "allow", args })).toEqual([
        'write a glob for the arguments as JSON, or `{ name: "glob" }`',
      ]);
    },
  );

  test("of an operator asks or denies, and can't allow (C5)", () => {
    const isRule = (action: string) => OperatorRule.safeParse({ pattern: "*", action }).success;
    expect(["allow", "ask", "deny"].map(isRule)).toEqual([false, true, true]);
  });
});

describe("of several rules about one call", () => {
  const all = ["allow", "deny", "ask"].map((action) => ToolRule.parse({ pattern: "*", action }));
  const picked = (order: "last-match" | "first-match" | "strictest") =>
    pickRule(all, order, invocationOf("x", {}, null))?.action;

  test("the last decides, as rules are written by default, or the first, or the strictest (S0-10, C5)", () => {
    expect(DEFAULT_APPROVAL.order).toBe("last-match");
    expect([picked("last-match"), picked("first-match"), picked("strictest")]).toEqual([
      "ask",
      "allow",
      "deny",
    ]);
  });

  test("that ask, the one that demands a person is the strictest, wherever it stands", () => {
    const plain = ToolRule.parse({ pattern: "*", action: "ask" });
    const demanding = ToolRule.parse({ pattern: "*", action: "ask", remember: false });
    const allow = ToolRule.parse({ pattern: "*", action: "allow" });
    const invocation = invocationOf("x", {}, null);
    for (const rules of [
      [plain, demanding],
      [demanding, plain],
      [allow, demanding, plain],
    ])
      expect(pickRule(rules, "strictest", invocation)).toBe(demanding);
    expect(pickRule([allow, plain], "strictest", invocation)).toBe(plain);
  });
});

describe("where nothing is said", () => {
  test("there are no rules, and a risk is read, asked about or denied (S0-6, S0-9)", () => {
    expect(DEFAULT_APPROVAL).toMatchObject({
      mode: "interactive",
      rules: [],
      agents: {},
      risk_defaults: { read_only: "allow", write: "ask", destructive: "deny" },
    });
  });

  test("one risk can be set and the others keep their default; an unknown one is asked about (S0-11, C11)", () => {
    const defaults = RiskDefaults.parse({ destructive: "ask" });
    expect(
      (["read_only", "write", "destructive", null] as const).map((risk) => riskAction(defaults, risk)),
    ).toEqual(["allow", "ask", "ask", "ask"]);
    expect(ApprovalSection.safeParse({ risk_defaults: { readonly: "allow" } }).success).toBe(false);
  });
});
