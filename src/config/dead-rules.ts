import { visible } from "../errors.ts";
import { type Action, isAsStrict, type RuleOrder, strictest } from "../policy/action.ts";
import type { OperatorRule } from "../policy/approval-section.ts";
import { isCombined } from "../policy/combined-rules.ts";
import { forAgent, printToolRule, type RuleReach, reachesAll, reachesSome } from "../policy/rule-reach.ts";
import type { OperatorToolRule, ToolRule } from "../policy/tool-rule.ts";
import { isAlsoProgram, isHarmlessBuiltin } from "../shell/builtins.ts";
import { coversGlob, globsMeet } from "../shell/glob.ts";
import { fileNameOf, patternParts, type ShellRule, shellAction } from "../shell/rule.ts";
import type { ToolLayer } from "./tool-layers.ts";

interface NamedRule {
  readonly text: string;
  readonly action: Action;
}

/** A rule, and another of its list that decides before it; both with their positions. */
export interface Outdone {
  readonly rule: NamedRule;
  readonly index: number;
  readonly by: NamedRule;
  readonly byIndex: number;
}

/** Why a pattern never matches, and the next thing to do. */
export interface Unmatchable {
  readonly because: string;
  readonly hint: string;
}

/** The rules of `shell.rules` that never decide. */
export function deadShellRules(rules: readonly ShellRule[], order: RuleOrder): readonly Outdone[] {
  const held = rules.map((rule, index) => ({
    about: rule,
    index,
    text: rule.pattern,
    action: shellAction(rule),
  }));
  return deadRules(held, order, coversShellRule);
}

/** Faults in the order of a list of rules on tools. */
export interface OrderFaults {
  readonly dead: readonly Outdone[];
  /** Rules that ask or deny, while another rule allows a part of their calls without being their exception. */
  readonly partlyAllowed: readonly Outdone[];
}

/** The rules on tools that others of their list override, wholly or in part. */
export function toolOrderFaults({ rules, order, agent }: Omit<ToolLayer, "server">): OrderFaults {
  const held = rules.flatMap((rule, index): readonly IndexedRule<RuleReach>[] => {
    const about = agent === null ? rule : forAgent(rule, agent);
    return about === null ? [] : [{ about, index, text: printToolRule(rule), action: rule.action }];
  });
  const dead = deadRules(held, order, reachesAll);
  const isDead = new Set(dead.map(({ index }) => index));
  const alive = held.filter(({ index }) => !isDead.has(index));
  const allows = alive.filter(({ action }) => action === "allow");
  // An allow that is wholly within the other rule is an exception, which is the purpose of an order.
  const partlyAllowed = alive.flatMap((rule): readonly Outdone[] => {
    if (rule.action === "allow") return [];
    const reachesInto = ({ about }: IndexedRule<RuleReach>): boolean =>
      reachesSome(about, rule.about) && !reachesAll(rule.about, about);
    return outdone(rule, deciding(allows, order, rule, reachesInto));
  });
  return { dead, partlyAllowed };
}

/** Why a pattern for command lines can never match, and its correction; null if it can. */
export function unmatchableShell(pattern: string): Unmatchable | null {
  const [program = ""] = pattern.trim().split(/\s+/);
  if (program === "") return { because: "it is blank", hint: "write the words of a command, or remove it" };
  if (/["'`]/.test(program))
    return { because: "its program has quotes", hint: "write the words without quotes" };
  const operator = patternParts(pattern)
    .flatMap((part) => part.split(/\s+/))
    .find((word) => OPERATOR.test(word));
  if (operator === undefined) return null;
  return {
    because: `${visible(operator)} is no word of a command`,
    hint: "write the words of one command, or several commands with ` | ` between them",
  };
}

/** Why a rule of `shell.rules` can never decide; null if it can. */
export function unmatchableShellRule(rule: ShellRule): Unmatchable | null {
  const found = unmatchableShell(rule.pattern);
  if (found !== null || shellAction(rule) !== "allow") return found;
  if (isCombined(rule.pattern))
    return {
      because: "only rules that deny or ask can name several commands",
      hint: "write a rule for each command",
    };
  const words = rule.pattern.split(/\s+/);
  if (!isHarmlessBuiltin(words) || isAlsoProgram(words[0] ?? "")) return null;
  return { because: `bash does ${visible(rule.pattern)} itself, which needs no rule`, hint: "remove it" };
}

/** Operators and redirects of bash, which are never words of a command unless they are quoted. */
const OPERATOR = /^(\d*[<>].*|&>.*|\|+&?|&&?|;+|\(|\)|\$\(.*)$/;

/** Why a rule on tools never matches a call, in an agent's layer one of that agent; null if it can. */
export function unmatchableTool(
  rule: ToolRule | OperatorToolRule,
  agent: string | null = null,
): Unmatchable | null {
  const { pattern, args } = rule;
  if (pattern.trim() === "")
    return { because: "it is blank", hint: "write the name of a tool, or remove it" };
  if (/[\s"'`:]/.test(pattern)) {
    return {
      because: "tool names have no blanks, quotes or colons",
      hint: "write a tool's name, or write a shell rule for command lines",
    };
  }
  if (/[^A-Za-z0-9_.\-/*]/.test(pattern)) {
    return {
      because: "tool names have only ASCII letters, digits, `_`, `-`, `.` and `/`",
      hint: "retype it: one of its letters may only look like an ASCII letter",
    };
  }
  if (typeof args === "string" && !globsMeet(args, "{*}")) {
    return {
      because: "the text of all arguments is JSON, from `{` to `}`",
      hint: 'begin and end `args` with `*`, or name an argument: `args: { name: "glob" }`',
    };
  }
  if (agent === null || !("agents" in rule) || forAgent(rule, agent) !== null) return null;
  return {
    because: `it is a rule of the agent ${visible(agent)}, but its \`agents\` do not list that agent`,
    hint: "remove its `agents`, or move it to `approval.rules`",
  };
}

/** Why an operator's rule can never match; null if it can. */
export function unmatchableOperator(rule: OperatorRule): Unmatchable | null {
  return "shell" in rule ? unmatchableShell(rule.shell) : unmatchableTool(rule);
}

/** The rule that asks or denies by a program's name although the given one, with a path, would allow. */
export function overruledByName(rule: ShellRule, rules: readonly ShellRule[]): ShellRule | null {
  const [program = "", ...rest] = rule.pattern.split(/\s+/);
  if (shellAction(rule) !== "allow" || !program.includes("/")) return null;
  const named = { ...rule, pattern: [fileNameOf(program), ...rest].join(" ") };
  return rules.find((other) => shellAction(other) !== "allow" && coversShellRule(other, named)) ?? null;
}

interface IndexedRule<About> extends NamedRule {
  readonly about: About;
  readonly index: number;
}

function deadRules<About>(
  rules: readonly IndexedRule<About>[],
  order: RuleOrder,
  covers: (wide: About, about: About) => boolean,
): readonly Outdone[] {
  return rules.flatMap((rule) =>
    outdone(
      rule,
      deciding(rules, order, rule, ({ about }) => covers(about, rule.about)),
    ),
  );
}

function outdone(rule: IndexedRule<unknown>, by: IndexedRule<unknown> | undefined): readonly Outdone[] {
  return by === undefined ? [] : [{ rule, index: rule.index, by, byIndex: by.index }];
}

/** Among the rules that decide before another and take some of its calls, the one that decides first. */
function deciding<About>(
  rules: readonly IndexedRule<About>[],
  order: RuleOrder,
  rule: IndexedRule<About>,
  takes: (other: IndexedRule<About>) => boolean,
): IndexedRule<About> | undefined {
  const isBefore = (other: IndexedRule<About>): boolean => decidesBefore(order, other, rule) && takes(other);
  switch (order) {
    case "first-match":
      return rules.find(isBefore);
    case "last-match":
      return rules.findLast(isBefore);
    case "strictest":
      return strictest(rules.filter(isBefore));
  }
}

function decidesBefore(order: RuleOrder, one: IndexedRule<unknown>, other: IndexedRule<unknown>): boolean {
  switch (order) {
    case "first-match":
      return one.index < other.index;
    case "last-match":
      return one.index > other.index;
    case "strictest":
      return isAsStrict(one.action, other.action) && (one.action !== other.action || one.index < other.index);
  }
}

/** True if `wide` covers every command that `rule` covers. */
function coversShellRule(wide: ShellRule, rule: ShellRule): boolean {
  if (rule.doubt === "ask" && wide.doubt !== "ask" && shellAction(rule) !== "allow") return false;
  // Rules on several commands are heard whatever rules come before them.
  if (isCombined(wide.pattern) || isCombined(rule.pattern)) return wide.pattern === rule.pattern;
  const [wideWords, words] = [wide.pattern.split(/\s+/), rule.pattern.split(/\s+/)];
  if (wide.exact ? !rule.exact || wideWords.length !== words.length : wideWords.length > words.length)
    return false;
  const { sandbox_paths: wideRoots } = wide;
  if (wideRoots !== undefined && !(rule.sandbox_paths?.every((name) => wideRoots.includes(name)) ?? false))
    return false;
  return wideWords.every((glob, index) => coversGlob(glob, words[index] ?? ""));
}
