import { type Action, isAsStrict } from "../policy/action.ts";
import { type RuleReach, reachesAll, reachesSome } from "../policy/rule-reach.ts";
import type { ToolRule } from "../policy/tool-rule.ts";
import { type RuleDoubt, type ShellRule, shellAction } from "../shell/rule.ts";
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
  const { rules, default: byDefault } = config.shell;
  const [project = [], ...agents] = toolLayers(config).flatMap((layer) =>
    layer.server === null ? [inOrder(layer.rules.filter(isAboutCommands), layer.order)] : [],
  );
  const last = project.findIndex((rule) => reachesAll(rule, SHELL));
  const [by = null, ...earlier] = project.slice(0, last + 1).reverse();
  const others = by === null ? project : earlier.filter(({ action }) => action !== by.action);
  const decided = (rule: ShellRule): Action => {
    const own = shellAction(rule);
    return by === null || isAsStrict(own, by.action) ? own : by.action;
  };
  const otherwise = !byDefault.allowed ? "deny" : (by?.action ?? defaultAction(byDefault.approval));
  const doubt: RuleDoubt = otherwise === "allow" || otherwise === "beyond" ? "pass" : "ask";
  const isByName = (rule: ShellRule): boolean =>
    shellAction(rule) !== "allow" && (rule.doubt ?? doubt) === "pass";
  return {
    otherwise,
    unasked: rules.filter((rule) => decided(rule) === "allow").map(({ pattern }) => pattern),
    byName: rules.filter(isByName).map(({ pattern }) => pattern),
    by,
    isMixed: [...others, ...agents.flat()].length > 0,
  };
}

function defaultAction(approval: boolean | "beyond"): CommandDecisions["otherwise"] {
  return approval === "beyond" ? "beyond" : approval ? "ask" : "allow";
}

/** The rules in the order in which one is picked. */
function inOrder(rules: readonly ToolRule[], order: Config["approval"]["order"]): readonly ToolRule[] {
  if (order === "first-match") return rules;
  if (order === "last-match") return rules.toReversed();
  return rules.toSorted(
    (a, b) => Number(isAsStrict(b.action, a.action)) - Number(isAsStrict(a.action, b.action)),
  );
}
