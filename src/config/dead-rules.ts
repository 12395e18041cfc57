import { visible } from "../errors.ts";
import { type Action, isAsStrict, type RuleOrder, strictest } from "../policy/action.ts";
import type { OperatorRule } from "../policy/approval-section.ts";
import { forAgent, printToolRule, type Reach, reachesAll, reachesSome } from "../policy/rule-reach.ts";
import type { OperatorToolRule, ToolRule } from "../policy/tool-rule.ts";
import { coversGlob, globsMeet } from "../shell/glob.ts";
import { fileNameOf, type ShellRule, shellAction } from "../shell/rule.ts";
import type { ToolLayer } from "./tool-layers.ts";

/** A rule by how it is told and what it says. */
interface NamedRule {
  readonly text: string;
  readonly action: Action;
}

/** A rule, and another of its list that decides before it; both with their places. */
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

/** What is wrong with the order of a list of rules on tools. */
export interface OrderFaults {
  /** Rules that never decide. */
  readonly dead: readonly Outdone[];
  /** Rules that ask or deny, and a rule that allows some of what they cover, though it is not their exception. */
  readonly partlyAllowed: readonly Outdone[];
}

/** The rules on tools that others of their list outdo, wholly or in part. */
export function toolOrderFaults({ rules, order, agent }: Omit<ToolLayer, "server">): OrderFaults {
  const held = rules.flatMap((rule, index): readonly Held<Reach>[] => {
    const about = agent === null ? rule : forAgent(rule, agent);
    return about === null ? [] : [{ about, index, text: printToolRule(rule), action: rule.action }];
  });
  const dead = deadRules(held, order, reachesAll);
  const isDead = new Set(dead.map(({ index }) => index));
  const alive = held.filter(({ index }) => !isDead.has(index));
  const allows = alive.filter(({ action }) => action === "allow");
  // An allow that lies wholly within the other rule is an exception, which is what an order is for.
  const partlyAllowed = alive.flatMap((rule): readonly Outdone[] => {
    if (rule.action === "allow") return [];
    const reachesInto = ({ about }: Held<Reach>): boolean =>
      reachesSome(about, rule.about) && !reachesAll(rule.about, about);
    return outdone(rule, deciding(allows, order, rule, reachesInto));
  });
  return { dead, partlyAllowed };
}

/** Why a pattern for command lines can never cover one, and what to write; null when it can. */
export function unmatchableShell(pattern: string): Unmatchable | null {
  const [program = ""] = pattern.trim().split(/\s+/);
  if (program === "") return { because: "it is blank", hint: "write the words of a command, or remove it" };
  if (!/["'`]/.test(program)) return null;
  return {
    because: "its program is written with quotes",
    hint: "write words as a program gets them, without quotes",
  };
}

/** Why a rule on tools can never match a call, and what to write; null when it can. In an agent's layer, one of that agent. */
export function unmatchableTool(
  rule: ToolRule | OperatorToolRule,
  agent: string | null = null,
): Unmatchable | null {
  const { pattern, args } = rule;
  if (pattern.trim() === "")
    return { because: "it is blank", hint: "write the name of a tool, or remove it" };
  if (/[\s"'`:]/.test(pattern)) {
    return {
      because: "no tool's name holds blanks, quotes or colons",
      hint: "write a tool's name, or cover command lines by a shell rule",
    };
  }
  if (/[^A-Za-z0-9_.\-/*]/.test(pattern)) {
    return {
      because: "no tool's name holds other than ASCII letters, digits, `_`, `-`, `.` and `/`",
      hint: "type it anew: a letter may only look like one of these",
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
    because: `it stands among the rules of the agent ${visible(agent)}, which its \`agents\` leave out`,
    hint: "remove its `agents`, or move it to `approval.rules`",
  };
}

/** Why a rule of an operator can never match; null when it can. */
export function unmatchableOperator(rule: OperatorRule): Unmatchable | null {
  return "shell" in rule ? unmatchableShell(rule.shell) : unmatchableTool(rule);
}

/** The rule that asks or denies wherever one that is written with a path would allow: it knows the program by its name. */
export function overruledByName(rule: ShellRule, rules: readonly ShellRule[]): ShellRule | null {
  const [program = "", ...rest] = rule.pattern.split(/\s+/);
  if (shellAction(rule) !== "allow" || !program.includes("/")) return null;
  const named = { ...rule, pattern: [fileNameOf(program), ...rest].join(" ") };
  return rules.find((other) => shellAction(other) !== "allow" && coversShellRule(other, named)) ?? null;
}

/** A rule, what it is about, and where it stands in its list. */
interface Held<About> extends NamedRule {
  readonly about: About;
  readonly index: number;
}

function deadRules<About>(
  rules: readonly Held<About>[],
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

function outdone(rule: Held<unknown>, by: Held<unknown> | undefined): readonly Outdone[] {
  return by === undefined ? [] : [{ rule, index: rule.index, by, byIndex: by.index }];
}

/** Of the rules that decide before another and take something of it, the one that decides before all of these. */
function deciding<About>(
  rules: readonly Held<About>[],
  order: RuleOrder,
  rule: Held<About>,
  takes: (other: Held<About>) => boolean,
): Held<About> | undefined {
  const isBefore = (other: Held<About>): boolean => decidesBefore(order, other, rule) && takes(other);
  switch (order) {
    case "first-match":
      return rules.find(isBefore);
    case "last-match":
      return rules.findLast(isBefore);
    case "strictest":
      return strictest(rules.filter(isBefore));
  }
}

/** Whether one rule takes all that both cover. */
function decidesBefore(order: RuleOrder, one: Held<unknown>, other: Held<unknown>): boolean {
  switch (order) {
    case "first-match":
      return one.index < other.index;
    case "last-match":
      return one.index > other.index;
    case "strictest":
      return isAsStrict(one.action, other.action) && (one.action !== other.action || one.index < other.index);
  }
}

/** True when every command that `rule` covers is covered by `wide`. */
function coversShellRule(wide: ShellRule, rule: ShellRule): boolean {
  const [wideWords, words] = [wide.pattern.split(/\s+/), rule.pattern.split(/\s+/)];
  if (wide.exact ? !rule.exact || wideWords.length !== words.length : wideWords.length > words.length)
    return false;
  const { sandbox_paths: wideRoots } = wide;
  if (wideRoots !== undefined && !(rule.sandbox_paths?.every((name) => wideRoots.includes(name)) ?? false))
    return false;
  return wideWords.every((glob, index) => coversGlob(glob, words[index] ?? ""));
}
