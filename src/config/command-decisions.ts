import { type Action, isAsStrict, type Mode, strictest } from "../policy/action.ts";
import type { OperatorApproval, OperatorRule } from "../policy/approval-section.ts";
import type { CommandRules } from "../policy/command-rules.ts";
import { forAgent, type RuleReach, reachesAll, reachesSome } from "../policy/rule-reach.ts";
import type { ToolRule } from "../policy/tool-rule.ts";
import { coversWords, type RuleDoubt, type ShellRule, shellAction, shellPattern } from "../shell/rule.ts";
import type { Config } from "./config.ts";
import { toolLayers } from "./tool-layers.ts";

/** The decisions on commands by the rules of `shell.rules` and the rules on tools together, without operators' rules. */
export interface CommandDecisions {
  /** For a command that no rule of `shell.rules` covers; `beyond`: only if approval would give it more access. */
  readonly otherwise: Action | "beyond";
  /** Patterns of `shell.rules` whose commands run without approval. */
  readonly unasked: readonly string[];
  /** Patterns of rules that ask or deny by what a line shows: a program can do the same by other means. */
  readonly byName: readonly string[];
  /** The rule on tools that decides about commands instead of `shell.default`, and asks even if a shell rule allows. */
  readonly by: ToolRule | null;
  /** True if rules on tools decide otherwise about some commands: by their arguments, or for some agents. */
  readonly isMixed: boolean;
}

const SHELL: RuleReach = { pattern: "shell" };

/** True if the rule on tools may be about a command. */
export function isAboutCommands(rule: RuleReach): boolean {
  return reachesSome(rule, SHELL);
}

/** The decisions of a config on commands. */
export function commandDecisions(config: Pick<Config, "approval" | "mcp" | "shell">): CommandDecisions {
  const [project = [], ...agents] = toolLayers(config).flatMap((layer) =>
    layer.server === null ? [inOrder(layer.rules.filter(isAboutCommands), layer.order)] : [],
  );
  const { by, others } = decisiveRule(project);
  const { rules, default: byDefault } = config.shell;
  const picked = by === null ? [] : [by];
  const otherwise = defaultAction(byDefault, picked);
  const isUnasked = (rule: ShellRule): boolean => actionOn(rule, picked) === "allow";
  const doubt: RuleDoubt = otherwise === "allow" || otherwise === "beyond" ? "pass" : "ask";
  const isByName = (rule: ShellRule): boolean =>
    shellAction(rule) !== "allow" && (rule.doubt ?? doubt) === "pass";
  return {
    otherwise,
    unasked: rules.filter(isUnasked).map(({ pattern }) => pattern),
    byName: rules.filter(isByName).map(({ pattern }) => pattern),
    by,
    isMixed: [...others, ...agents.flat()].length > 0,
  };
}

/** The rules in force on commands: the config's with those of its agents, and operators', under a mode. */
export interface CommandRuleSources {
  readonly config: Pick<Config, "approval" | "shell">;
  readonly ceiling: { readonly approval: OperatorApproval };
  readonly mode: Mode;
  /** Present if the rules of a changed config that is not trusted apply as well. */
  readonly meetOf?: readonly unknown[];
}

/**
 * The commands that run without approval, need one, and are denied, as far as rules tell it by the first words. `agent`
 * makes the calls; null without a name.
 */
export function commandRules(
  { config, ceiling, mode, meetOf }: CommandRuleSources,
  agent: string | null,
): CommandRules {
  const operator = ceiling.approval;
  const { rules, default: byDefault } = config.shell;
  const { approval } = config;
  const own = agent !== null && Object.hasOwn(approval.agents, agent) ? approval.agents[agent] : undefined;
  const found = [approval, ...(own === undefined ? [] : [own])].map((layer) => {
    const about = layer.rules.filter(isAboutCommands).flatMap((rule) => ofAgent(rule, agent));
    return decisiveRule(inOrder(about, layer.order));
  });
  const picked = found.flatMap(({ by }) => (by === null ? [] : [by]));
  const ofDefault = defaultAction(byDefault, picked);
  const general = operator.rules.filter(isAboutEverything);
  const named = operator.rules.flatMap((rule) =>
    "shell" in rule && !isAboutEverything(rule) ? [{ pattern: rule.shell, action: rule.action }] : [],
  );
  /** The action on a command that these operators' rules are about too; only a person answers what they ask. */
  const inForce = (
    own: CommandRules["otherwise"],
    operators: readonly Action[],
  ): CommandRules["otherwise"] => {
    const ofOperators = strictestAction([...general.map(({ action }) => action), ...operators]);
    if (own === "beyond" && ofOperators === "allow") return mode === "approve_all" ? "allow" : own;
    const strict = strictestAction([own === "beyond" ? "allow" : own, ofOperators]);
    return underMode(strict, mode, ofOperators === "ask");
  };
  const decided = [...named.map(({ pattern }) => pattern), ...rules.map(({ pattern }) => pattern)].map(
    (pattern) => {
      const { words } = shellPattern(pattern);
      const over = named.filter((one) => coversWords(shellPattern(one.pattern), words, false));
      const rule = ruleOn(words, config.shell);
      const own = rule === undefined ? ofDefault : actionOn(rule, picked);
      return {
        pattern,
        action: inForce(
          own,
          over.map(({ action }) => action),
        ),
      };
    },
  );
  const patternsOf = (wanted: Action): readonly string[] => [
    ...new Set(decided.filter(({ action }) => action === wanted).map(({ pattern }) => pattern)),
  ];
  const others = found.flatMap((layer) => layer.others);
  return {
    otherwise: inForce(ofDefault, []),
    unasked: patternsOf("allow"),
    asked: patternsOf("ask"),
    denied: patternsOf("deny"),
    isMixed:
      meetOf !== undefined ||
      others.length > 0 ||
      operator.rules.some((rule) => isAboutSome(rule)) ||
      rules.some((rule) => rule.exact || rule.sandbox_paths !== undefined),
  };
}

/** The rule that decides about exactly these words; undefined if none is about them. */
function ruleOn(words: readonly string[], { rules, order }: Config["shell"]): ShellRule | undefined {
  const about = rules.filter((rule) => coversWords(shellPattern(rule.pattern), words, rule.exact));
  if (order === "first-match") return about[0];
  return strictest(about.map((rule) => ({ rule, action: shellAction(rule) })))?.rule;
}

/** The rule that decides about every command, and those before it that decide otherwise about some. */
function decisiveRule(ordered: readonly ToolRule[]): {
  readonly by: ToolRule | null;
  readonly others: readonly ToolRule[];
} {
  const last = ordered.findIndex((rule) => reachesAll(rule, SHELL));
  const [by = null, ...earlier] = ordered.slice(0, last + 1).reverse();
  return { by, others: by === null ? ordered : earlier.filter(({ action }) => action !== by.action) };
}

/** The action on a command that a shell rule covers: rules on tools that ask or deny are heard beside it. */
function actionOn(rule: ShellRule, picked: readonly ToolRule[]): Action {
  return strictestAction([shellAction(rule), ...picked.map(({ action }) => action)]);
}

/** The action on a command that no shell rule covers: rules on tools replace the default, unless it denies. */
function defaultAction(
  { allowed, approval }: Config["shell"]["default"],
  picked: readonly ToolRule[],
): CommandDecisions["otherwise"] {
  if (!allowed) return "deny";
  if (picked.length > 0) return strictestAction(picked.map(({ action }) => action));
  return approval === "beyond" ? "beyond" : approval ? "ask" : "allow";
}

function strictestAction(actions: readonly Action[]): Action {
  return strictest(actions.map((action) => ({ action })))?.action ?? "allow";
}

function underMode(action: Action, mode: Mode, isPersons: boolean): Action {
  if (action !== "ask" || mode === "interactive") return action;
  return mode === "strict" ? "deny" : isPersons ? "ask" : "allow";
}

function isAboutEverything(rule: OperatorRule): boolean {
  return "shell" in rule ? /^\s*\*+\s*$/.test(rule.shell) : reachesAll(rule, SHELL);
}

function isAboutSome(rule: OperatorRule): boolean {
  return "pattern" in rule && isAboutCommands(rule) && !isAboutEverything(rule);
}

/** A rule for the agent that calls; none if it is about other agents. */
function ofAgent(rule: ToolRule, agent: string | null): readonly ToolRule[] {
  const own = agent === null ? (rule.agents === undefined ? rule : null) : forAgent(rule, agent);
  return own === null ? [] : [own];
}

/** The rules in the order in which one is picked. */
function inOrder(rules: readonly ToolRule[], order: Config["approval"]["order"]): readonly ToolRule[] {
  if (order === "first-match") return rules;
  if (order === "last-match") return rules.toReversed();
  return rules.toSorted(
    (a, b) => Number(isAsStrict(b.action, a.action)) - Number(isAsStrict(a.action, b.action)),
  );
}
