import type { RuleOrder } from "../policy/action.ts";
import type { ToolRule } from "../policy/tool-rule.ts";
import type { Config } from "./config.ts";

/** One list of rules on tools, and its place in the config. */
export interface ToolLayer {
  readonly path: readonly string[];
  /** The agent whose calls it is about; null for all. */
  readonly agent: string | null;
  /** The MCP server whose tools it is about; null for all, including other tools. */
  readonly server: string | null;
  readonly order: RuleOrder;
  readonly rules: readonly ToolRule[];
}

/** The project's rules on tools, then those of each agent and of each MCP server. */
export function toolLayers({ approval, mcp }: Pick<Config, "approval" | "mcp">): readonly ToolLayer[] {
  const { rules, order, agents } = approval;
  const ofAgents = Object.entries(agents).map(
    ([agent, layer]): ToolLayer => ({ path: ["approval", "agents", agent], agent, server: null, ...layer }),
  );
  const ofServers = Object.entries(mcp.servers).map(([server, own]): ToolLayer => {
    const path = ["mcp", "servers", server];
    return { path, agent: null, server, order: own.order, rules: own.rules };
  });
  return [{ path: ["approval"], agent: null, server: null, order, rules }, ...ofAgents, ...ofServers];
}
