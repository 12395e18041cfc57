import fc from "fast-check";
import { expect, test } from "vitest";
import { commandRules } from "../../../src/config/command-decisions.ts";
import { Action, Mode, RuleOrder } from "../../../src/policy/action.ts";
import { ApprovalSection, type OperatorApproval } from "../../../src/policy/approval-section.ts";
import { type CommandRules, commandRulesText } from "../../../src/policy/command-rules.ts";
import { shellSaid } from "../../../src/policy/shell-rules.ts";
import { invocationOf, ToolRule } from "../../../src/policy/tool-rule.ts";
import { answerByMode, judge } from "../../../src/policy/verdict.ts";
import { ShellRule } from "../../../src/shell/rule.ts";

const NAMES = ["ls", "git push", "git", "npm test", "cat", "rm -rf"] as const;

const shellRule = fc
  .record({ pattern: fc.constantFrom(...NAMES), allowed: fc.boolean(), approval: fc.boolean() })
  .map((rule) => ShellRule.parse(rule));
const toolRule = fc
  .record({
    pattern: fc.constantFrom("shell", "*", "write_file"),
    action: fc.constantFrom(...Action.options),
  })
  .map((rule) => ToolRule.parse(rule));
const operatorRule = fc.oneof(
  fc.record({ shell: fc.constantFrom(...NAMES, "*"), action: fc.constantFrom("ask", "deny") }),
  fc.record({ pattern: fc.constantFrom("shell", "list_dir"), action: fc.constantFrom("ask", "deny") }),
);
const sources = fc.record({
  rules: fc.array(shellRule, { maxLength: 4 }),
  order: fc.constantFrom("first-match", "strictest"),
  default: fc.record({ allowed: fc.boolean(), approval: fc.boolean() }),
  toolRules: fc.array(toolRule, { maxLength: 2 }),
  toolOrder: fc.constantFrom(...RuleOrder.options),
  operators: fc.array(operatorRule, { maxLength: 2 }),
  mode: fc.constantFrom(...Mode.options),
});
type Sources = typeof sources extends fc.Arbitrary<infer Value> ? Value : never;

function rulesOf(given: Sources): CommandRules {
  const { approval, operator, shell } = parts(given);
  const config = { approval, shell } as unknown as Parameters<typeof commandRules>[0]["config"];
  return commandRules({ config, ceiling: { approval: operator }, mode: given.mode }, null);
}

function parts({ rules, order, default: otherwise, toolRules, toolOrder, operators }: Sources) {
  const approval = { ...ApprovalSection.parse({}), rules: toolRules, order: toolOrder };
  const operator = {
    rules: operators,
    modes: Mode.options,
    sessionGrants: true,
  } as unknown as OperatorApproval;
  return { approval, operator, shell: { rules, order, default: otherwise } };
}

/** What the gate says of the plain command. */
function verdictOn(words: readonly string[], given: Sources): Action {
  const { approval, operator, shell } = parts(given);
  const command = {
    words,
    programNames: [],
    programFile: "fixed" as const,
    arePathsInside: () => true,
    gains: null,
  };
  const line = { commands: [command], touches: [], gains: null, unread: [], shell: null };
  const call = { ...invocationOf("shell", { argv: [...words] }, null), risk: "write" as const };
  const judged = judge(
    { ...call, said: shellSaid(line, shell), line, needsMore: null },
    { operator, approval },
  );
  // A demanded person is one question more than a mode answers.
  if (given.mode === "approve_all" && judged.action === "ask" && judged.demandsPerson) return "ask";
  return answerByMode(judged, given.mode, false).action;
}

/** The law: the gate decides about each command as the model is told. */
const isTrueOf = (tell: (given: Sources) => CommandRules) =>
  fc.property(sources, (given) => {
    const told = tell(given);
    const lists = { allow: told.unasked, ask: told.asked, deny: told.denied } as const;
    return (
      Action.options.every((action) =>
        lists[action].every((pattern) => verdictOn(pattern.split(" "), given) === action),
      ) && verdictOn(["no-rule-names-it"], given) === told.otherwise
    );
  });

test("each command that a model is told of is decided so by the gate", () => {
  fc.assert(isTrueOf(rulesOf), { numRuns: 1_000 });
});

test.each<[mutant: string, tell: (given: Sources) => CommandRules]>([
  ["operators' rules", (given) => rulesOf({ ...given, operators: [] })],
  ["the mode", (given) => rulesOf({ ...given, mode: "interactive" })],
  ["rules on tools", (given) => rulesOf({ ...given, toolRules: [] })],
  ["the order of the rules", (given) => rulesOf({ ...given, order: "first-match" })],
  ["the default", (given) => ({ ...rulesOf(given), otherwise: "ask" })],
])("a text without %s is found to be wrong", (_mutant, tell) => {
  expect(fc.check(isTrueOf(tell), { numRuns: 1_000 }).failed).toBe(true);
});

const SOME: CommandRules = { otherwise: "ask", unasked: [], asked: [], denied: [], isMixed: false };

test.each<[claim: string, rules: CommandRules, text: RegExp]>([
  [
    "what passes unasked",
    { ...SOME, unasked: ["git status", "ls"] },
    /^Without approval run commands that begin with `git status`, `ls`\. Other commands need the approval of a person\. A line/,
  ],
  ["that all ask", SOME, /^Each command needs the approval of a person\. A line/],
  [
    "exceptions to an allow",
    { ...SOME, otherwise: "allow", asked: ["git push"], denied: ["sudo"] },
    /^Other commands run without approval\. Approval of a person is needed for commands that begin with `git push`\. Denied are commands that begin with `sudo`\.$/,
  ],
  [
    "exceptions to a default that asks only for more access",
    { ...SOME, otherwise: "beyond", asked: ["git push"] },
    /^Other commands run without approval, unless approval would let them write or read more\. Approval of a person is needed for commands that begin with `git push`\.$/,
  ],
  [
    "the only ones allowed",
    { ...SOME, otherwise: "deny", unasked: ["ls"], isMixed: true },
    /^Without approval run commands that begin with `ls`\. Other commands are denied\. Further rules may ask about or deny some\. A line/,
  ],
])("a model is told %s", (_claim, rules, text) => {
  expect(commandRulesText(rules)).toMatch(text);
});

test("the text is bounded and visible, whatever the patterns", () => {
  const patterns = Array.from({ length: 500 }, (_, n) => `\u202e${n}${"x".repeat(5_000)}`);
  const text = commandRulesText({ ...SOME, unasked: patterns, denied: patterns });
  expect(text.length).toBeLessThan(4_000);
  expect(text).not.toContain("\u202e");
  expect(text).toContain("and 488 more");
});
