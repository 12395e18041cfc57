import { coversWords, fileNameOf, matchesWord, shellPattern } from "../shell/rule.ts";
import type { Mode } from "./action.ts";
import { type AppearedPolicy, strictestAppeared } from "./appeared-policy.ts";
import { meetApproval, NO_OPERATOR, type OperatorApproval } from "./approval-section.ts";
import { argumentsReachAll } from "./rule-reach.ts";
import type { OperatorToolRule } from "./tool-rule.ts";

/** What an operator demands beside a profile: who is asked, as whom tools run, and what becomes of what hosts execute. */
export interface Demands {
  readonly approval: OperatorApproval;
  readonly runAs: "any" | "not-root";
  readonly appeared: AppearedPolicy;
}

/** Nothing is demanded: the unit of `meetDemands`. */
export const NO_DEMANDS: Demands = { approval: NO_OPERATOR, runAs: "any", appeared: "report" };

/** What both demand. */
export function meetDemands(a: Demands, b: Demands): Demands {
  return {
    approval: meetApproval(a.approval, b.approval),
    runAs: a.runAs === "not-root" || b.runAs === "not-root" ? "not-root" : "any",
    appeared: strictestAppeared(a.appeared, b.appeared),
  };
}

/**
 * Something that one operator's demands let pass and another's do not. Of a rule of the other: what it says about the
 * calls that it covers; whether the one asks about all of these; and whether this is certain, which it is not where
 * rules that cover a program by its file name as well may come to the same.
 */
export type Looseness =
  | {
      readonly field: "rule";
      readonly of: "pattern" | "shell";
      readonly text: string;
      /** The arguments that the rule is about; undefined for whatever they are. */
      readonly args: OperatorToolRule["args"];
      readonly action: "ask" | "deny";
      readonly isAsked: boolean;
      readonly isCertain: boolean;
    }
  | { readonly field: "mode"; readonly mode: Mode }
  | { readonly field: "session grants" }
  | { readonly field: "run as" }
  | { readonly field: "appeared"; readonly appeared: AppearedPolicy };

/**
 * Everything that `a` lets pass and `b` does not; empty when `a` is surely no wider. What both demand is never wider than
 * either, and a call that the rules of `b` deny, or ask about, and those of `a` let pass is always found.
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
  ];
}

/** A rule in its one spelling: runs of `*` are one, words stand one blank apart, and the reason says nothing. */
interface Rule {
  readonly of: "pattern" | "shell";
  readonly text: string;
  readonly args: OperatorToolRule["args"];
  readonly action: "ask" | "deny";
}

function readRule(rule: OperatorApproval["rules"][number]): Rule {
  const [of, text] =
    "shell" in rule
      ? (["shell", rule.shell.trim().replace(/\s+/g, " ")] as const)
      : (["pattern", rule.pattern] as const);
  const args = "args" in rule ? rule.args : undefined;
  return { of, text: text.replace(/\*+/g, "*"), args, action: rule.action };
}

function looseRules(a: readonly Rule[], b: readonly Rule[]): readonly Looseness[] {
  const once = new Map(b.map((rule) => [JSON.stringify([rule.of, rule.action, rule.args, rule.text]), rule]));
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

/**
 * True when the rule `wide` covers every call that `rule` covers. A glob covers all that another does exactly when it
 * covers that other with each `*` taken for a character of its own: only a `*` can stand for that one.
 */
function coversAll(wide: Rule, rule: Rule): boolean {
  return argumentsReachAll(wide.args, rule.args) && coversText(wide, rule);
}

/** True unless some arguments that `rule` is about are surely none of `own`: of JSON text and command lines nobody knows. */
function mayBeAbout(own: Rule, rule: Rule): boolean {
  const isText = rule.of === "shell" || typeof own.args === "string" || typeof rule.args === "string";
  return isText || argumentsReachAll(own.args, rule.args);
}

function coversText(wide: Rule, rule: Rule): boolean {
  if (wide.of === "pattern")
    return matchesWord(wide.text, rule.of === "shell" ? "shell" : sample(wide, rule.text));
  if (rule.of === "shell")
    return coversWords(shellPattern(wide.text), sample(wide, rule.text).split(" "), false);
  return wide.text === "*" && rule.text === "shell";
}

/** True for rules that the file name of a program, or of the file behind a link, may bring together. */
function mayCoverByName(own: Rule, rule: Rule): boolean {
  if (own.of !== "shell" || rule.of !== "shell") return false;
  const [program = "", ...rest] = sample(own, rule.text).split(" ");
  const name = fileNameOf(program);
  return name !== program && coversWords(shellPattern(own.text), [name, ...rest], false);
}

/** The text as one that it covers: each `*` is a character that the other rule does not write. */
function sample(other: Rule, text: string): string {
  let code = 0xe000;
  while (other.text.includes(String.fromCharCode(code))) code += 1;
  return text.replaceAll("*", String.fromCharCode(code));
}
