import type { Position } from "../errors.ts";
import type { RuleHit } from "../policy/rule-hit.ts";
import type { Config } from "./config.ts";
import { placeOf } from "./finding.ts";
import type { YamlPath } from "./yaml.ts";

/** The position of the rule that denied a call of this tool; null if the config does not have it. */
export function positionOfRule(
  config: Config,
  { layer, rule, reason }: RuleHit,
  { tool, agent }: { readonly tool: string; readonly agent: string | null },
): Position | null {
  const inList = (list: YamlPath, index: number): Position | null => placeOf(config, [...list, index]);
  const { rules, agents } = config.approval;
  const isIt = (one: (typeof rules)[number]): boolean =>
    one.pattern === rule && one.action === "deny" && (one.reason ?? null) === reason;
  if (layer === "project") return inList(["approval", "rules"], rules.findIndex(isIt));
  if (layer === "agent" && agent !== null)
    return inList(["approval", "agents", agent, "rules"], (agents[agent]?.rules ?? []).findIndex(isIt));
  if (layer !== "tool" || tool !== "shell") return null;
  const index = config.shell.rules.findIndex(({ pattern, allowed }) => pattern === rule && !allowed);
  return inList(["shell", "rules"], index);
}
