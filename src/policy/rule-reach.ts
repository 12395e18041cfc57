import { coversGlob, globsMeet } from "../shell/glob.ts";
import { matchesWord } from "../shell/rule.ts";
import type { OperatorToolRule, ToolRule } from "./tool-rule.ts";

type Arguments = ToolRule["args"];

/** The calls that a rule on tools is about, whatever its action. */
export type RuleReach = Pick<ToolRule, "pattern" | "args" | "agents">;

/** True if one rule surely covers every call of the other. False if unsure: arguments as text against by name. */
export function reachesAll(wide: RuleReach, rule: RuleReach): boolean {
  return (
    coversGlob(wide.pattern, rule.pattern) &&
    agentsReachAll(wide.agents, rule.agents) &&
    argumentsReachAll(wide.args, rule.args)
  );
}

/** True if both rules may cover one call. True if unsure: arguments as text against by name. */
export function reachesSome(a: RuleReach, b: RuleReach): boolean {
  return globsMeet(a.pattern, b.pattern) && agentsMeet(a.agents, b.agents) && argumentsMeet(a.args, b.args);
}

/** True if all arguments of the second kind surely are of the first. */
export function argumentsReachAll(wide: Arguments, args: Arguments): boolean {
  if (areAnyArguments(wide)) return true;
  if (wide === undefined || args === undefined) return false;
  if (typeof wide === "string") return typeof args === "string" && coversGlob(wide, args);
  if (typeof args === "string") return false;
  const own = new Map(Object.entries(args));
  return Object.entries(wide).every(([name, glob]) => {
    const narrow = own.get(name);
    return narrow !== undefined && coversGlob(glob, narrow);
  });
}

/** True if a rule covers any arguments. */
export function areAnyArguments(args: Arguments): boolean {
  if (args === undefined) return true;
  return typeof args === "string" ? coversGlob(args, "*") : Object.keys(args).length === 0;
}

/** The rule for one agent: without the globs that match its name; null if it is not about that agent. */
export function forAgent<Rule extends ToolRule>(rule: Rule, agent: string): Rule | null {
  if (rule.agents === undefined) return rule;
  return rule.agents.some((glob) => matchesWord(glob, agent)) ? { ...rule, agents: undefined } : null;
}

/** A rule on tools in readable form: `write_file with {"path":"/tmp/*"} by ["ci"]`. */
export function printToolRule(rule: ToolRule | OperatorToolRule): string {
  const agents = "agents" in rule ? rule.agents : undefined;
  const about = rule.args === undefined ? "" : ` with ${JSON.stringify(rule.args)}`;
  return `${rule.pattern}${about}${agents === undefined ? "" : ` by ${JSON.stringify(agents)}`}`;
}

function argumentsMeet(a: Arguments, b: Arguments): boolean {
  if (a === undefined || b === undefined) return true;
  if (typeof a === "string") return typeof b !== "string" || globsMeet(a, b);
  if (typeof b === "string") return true;
  const other = new Map(Object.entries(b));
  return Object.entries(a).every(([name, glob]) => globsMeet(glob, other.get(name) ?? "*"));
}

type Agents = ToolRule["agents"];

function agentsReachAll(wide: Agents, agents: Agents): boolean {
  if (wide === undefined) return true;
  return agents?.every((glob) => wide.some((one) => coversGlob(one, glob))) ?? false;
}

function agentsMeet(a: Agents, b: Agents): boolean {
  if (a === undefined || b === undefined) return true;
  return a.some((glob) => b.some((other) => globsMeet(glob, other)));
}
