import {
  coversWords,
  fileNameOf,
  matchesWord,
  patternParts,
  type RuleDoubt,
  shellPattern,
} from "../shell/rule.ts";
import type { Mode } from "./action.ts";
import { type AppearedPolicy, strictestAppeared } from "./appeared-policy.ts";
import { meetApproval, NO_OPERATOR, type OperatorApproval } from "./approval-section.ts";
import { argumentsReachAll } from "./rule-reach.ts";
import type { OperatorToolRule } from "./tool-rule.ts";
import { meetBudgets } from "./unasked-budget.ts";

/** An operator's demands beside a profile: approval, the user that tools run as, and files that hosts execute. */
export interface Demands {
  readonly approval: OperatorApproval;
  readonly runAs: "any" | "not-root";
  readonly appeared: AppearedPolicy;
}

/** The unit of `meetDemands`: no demands. */
export const NO_DEMANDS: Demands = { approval: NO_OPERATOR, runAs: "any", appeared: "report" };

/** The demands of both together. */
export function meetDemands(a: Demands, b: Demands): Demands {
  return {
    approval: meetApproval(a.approval, b.approval),
    runAs: a.runAs === "not-root" || b.runAs === "not-root" ? "not-root" : "any",
    appeared: strictestAppeared(a.appeared, b.appeared),
  };
}

/**
 * Something that one operator's demands allow and the other's do not. For a rule of the other: its action, whether the
 * first asks about all of its calls, and whether this is certain. It is uncertain if rules that also match a program by
 * its file name may have the same effect.
 */
export type Looseness =
  | {
      readonly field: "rule";
      readonly of: "pattern" | "shell";
      readonly text: string;
      readonly args: OperatorToolRule["args"];
      readonly action: "ask" | "deny";
      readonly isAsked: boolean;
      readonly isCertain: boolean;
    }
  | { readonly field: "mode"; readonly mode: Mode }
  | { readonly field: "session grants" }
  | { readonly field: "budget"; readonly part: "calls" | "minutes" }
  | { readonly field: "reviewer" }
  | { readonly field: "kept rules" }
  | { readonly field: "run as" }
  | { readonly field: "appeared"; readonly appeared: AppearedPolicy };

/**
 * Everything that `a` allows and `b` does not; empty if `a` is surely no wider. The meet of both is never wider than
 * either. A call that the rules of `b` deny, or ask about, and those of `a` allow is always found.
 */
export function loosenessOf(a: Demands, b: Demands): readonly Looseness[] {
  const modes = a.approval.modes.filter((mode) => !b.approval.modes.includes(mode));
  return [
    ...(a.runAs === "any" && b.runAs === "not-root" ? [{ field: "run as" } as const] : []),
    ...(strictestAppeared(a.appeared, b.appeared) === a.appeared
      ? []
      : [{ field: "appeared", appeared: a.appeared } as const]),
    ...looseRules(a.approval.rules.map(readRule), b.approval.rules.map(readRule)),
    ...modes.map((mode) => ({ field: "mode", mode }) as const),
    ...(a.approval.sessionGrants && !b.approval.sessionGrants ? [{ field: "session grants" } as const] : []),
    ...(["calls", "minutes"] as const).flatMap((part) =>
      meetBudgets(a.approval.budget, b.approval.budget)[part] === a.approval.budget[part]
        ? []
        : [{ field: "budget", part } as const],
    ),
    ...(a.approval.reviewer && !b.approval.reviewer ? [{ field: "reviewer" } as const] : []),
    ...(a.approval.keptRules && !b.approval.keptRules ? [{ field: "kept rules" } as const] : []),
  ];
}

/** A normalized rule: runs of `*` become one, words are separated by one blank, and the reason is dropped. */
interface Rule {
  readonly of: "pattern" | "shell";
  readonly text: string;
  readonly args: OperatorToolRule["args"];
  readonly action: "ask" | "deny";
  readonly doubt: RuleDoubt;
}

function readRule(rule: OperatorApproval["rules"][number]): Rule {
  const [of, text] =
    "shell" in rule
      ? (["shell", rule.shell.trim().replace(/\s+/g, " ")] as const)
      : (["pattern", rule.pattern] as const);
  const args = "args" in rule ? rule.args : undefined;
  const doubt = "shell" in rule ? (rule.doubt ?? "ask") : "ask";
  return { of, text: text.replace(/\*+/g, "*"), args, action: rule.action, doubt };
}

function looseRules(a: readonly Rule[], b: readonly Rule[]): readonly Looseness[] {
  const once = new Map(
    b.map((rule) => [JSON.stringify([rule.of, rule.action, rule.args, rule.text, rule.doubt]), rule]),
  );
  return [...once.values()].flatMap((rule): Looseness[] => {
    const covering = a.filter((own) => coversAll(own, rule));
    if (covering.some((own) => isAsStrict(own, rule))) return [];
    const mayCover = (own: Rule): boolean =>
      mayBeAbout(own, rule) && (coversText(own, rule) || mayCoverByName(own, rule));
    const isCertain = !a.some((own) => isAsStrict(own, rule) && mayCover(own));
    const { of, text, args, action } = rule;
    return [{ field: "rule", of, text, args, action, isAsked: covering.length > 0, isCertain }];
  });
}

function isAsStrict(own: Rule, rule: Rule): boolean {
  return own.action === "deny" || rule.action === "ask";
}

/** True if `wide` covers `rule`: a glob does if it matches that with each `*` replaced by an unused character. */
function coversAll(wide: Rule, rule: Rule): boolean {
  return argumentsReachAll(wide.args, rule.args) && coversText(wide, rule);
}

/** False only if no arguments of `rule` can be those of `own`: never for JSON text and command lines. */
function mayBeAbout(own: Rule, rule: Rule): boolean {
  const isText = rule.of === "shell" || typeof own.args === "string" || typeof rule.args === "string";
  return isText || argumentsReachAll(own.args, rule.args);
}

function coversText(wide: Rule, rule: Rule): boolean {
  if (wide.of === "pattern")
    return matchesWord(wide.text, rule.of === "shell" ? "shell" : sample(wide, rule.text));
  if (rule.of === "shell") return coversCommands(wide, rule);
  return wide.text === "*" && rule.text === "shell";
}

/** A line has all commands that a rule names, so each one of the wider rule must be one of them. */
function coversCommands(wide: Rule, rule: Rule): boolean {
  if (wide.doubt === "pass" && rule.doubt === "ask") return false;
  const parts = patternParts(sample(wide, rule.text)).map((part) => part.split(" "));
  return patternParts(wide.text).every((part) =>
    parts.some((words) => coversWords(shellPattern(part), words, false)),
  );
}

/** True for rules that may match the same program by its file name, or that of a link's target. */
function mayCoverByName(own: Rule, rule: Rule): boolean {
  if (own.of !== "shell" || rule.of !== "shell") return false;
  const [program = "", ...rest] = sample(own, rule.text).split(" ");
  const name = fileNameOf(program);
  return name !== program && coversWords(shellPattern(own.text), [name, ...rest], false);
}

/** A text that the glob covers: each `*` is replaced by a character that the other rule does not contain. */
function sample(other: Rule, text: string): string {
  let code = 0xe000;
  while (other.text.includes(String.fromCharCode(code))) code += 1;
  return text.replaceAll("*", String.fromCharCode(code));
}
