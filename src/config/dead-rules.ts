import type { Action, RuleOrder } from "../policy/action.ts";
import type { OperatorRule } from "../policy/approval-section.ts";
import type { ToolRule } from "../policy/tool-rule.ts";
import { fileNameOf, matchesWord, type ShellRule, shellAction } from "../shell/rule.ts";

/** A rule by what it covers and says. */
export interface NamedRule {
  readonly pattern: string;
  readonly action: Action;
}

/** A rule that can never decide anything, and the one that always decides before it; both with their places. */
export interface DeadRule {
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

const RANK = { allow: 0, ask: 1, deny: 2 } as const satisfies Record<Action, number>;

/** The rules of `shell.rules` that never decide. */
export function deadShellRules(rules: readonly ShellRule[], order: RuleOrder): readonly DeadRule[] {
  return deadRules(
    rules.map((rule) => ({ ...rule, action: shellAction(rule) })),
    order,
    coversShellRule,
  );
}

/** The rules of `approval.rules` that never decide. */
export function deadToolRules(rules: readonly ToolRule[], order: RuleOrder): readonly DeadRule[] {
  return deadRules(rules, order, (wide, rule) => coversGlob(wide.pattern, rule.pattern));
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

/** Why a pattern for names of tools can never match one, and what to write; null when it can. */
export function unmatchableTool(pattern: string): Unmatchable | null {
  if (pattern.trim() === "")
    return { because: "it is blank", hint: "write the name of a tool, or remove it" };
  if (!/[\s"'`]/.test(pattern)) return null;
  return {
    because: "no tool's name holds blanks or quotes",
    hint: "write a tool's name, or cover command lines by a shell rule",
  };
}

/** Why a rule of an operator can never match; null when it can. */
export function unmatchableOperator(rule: OperatorRule): Unmatchable | null {
  return "shell" in rule ? unmatchableShell(rule.shell) : unmatchableTool(rule.pattern);
}

/** The rule that asks or denies wherever one that is written with a path would allow: it knows the program by its name. */
export function overruledByName(rule: ShellRule, rules: readonly ShellRule[]): ShellRule | null {
  const [program = "", ...rest] = rule.pattern.split(/\s+/);
  if (shellAction(rule) !== "allow" || !program.includes("/")) return null;
  const named = { ...rule, pattern: [fileNameOf(program), ...rest].join(" ") };
  return rules.find((other) => shellAction(other) !== "allow" && coversShellRule(other, named)) ?? null;
}

function deadRules<Rule extends NamedRule>(
  rules: readonly Rule[],
  order: RuleOrder,
  covers: (wide: Rule, rule: Rule) => boolean,
): readonly DeadRule[] {
  return rules.flatMap((rule, index) => {
    const byIndex = rules.findIndex((other, at) => {
      const stricter = RANK[other.action] - RANK[rule.action];
      return at !== index && decidesBefore(order, at - index, stricter) && covers(other, rule);
    });
    const by = rules[byIndex];
    return by === undefined ? [] : [{ rule, index, by, byIndex }];
  });
}

/** Whether a rule that stands `distance` after another and is `stricter` by so much takes all that both cover. */
function decidesBefore(order: RuleOrder, distance: number, stricter: number): boolean {
  switch (order) {
    case "first-match":
      return distance < 0;
    case "last-match":
      return distance > 0;
    case "strictest":
      return stricter > 0 || (stricter === 0 && distance < 0);
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

/** True when every word of one glob is a word of the other: as no word is bound to hold a `*`, only a `*` covers one. */
function coversGlob(wide: string, glob: string): boolean {
  return matchesWord(wide, glob);
}
