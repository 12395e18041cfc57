import type { RuleOrder } from "../policy/action.ts";
import type { ApprovalSection } from "../policy/approval-section.ts";
import type { ToolRule } from "../policy/tool-rule.ts";

/** One list of rules on tools, and where in the config it stands. */
export interface ToolLayer {
  readonly path: readonly string[];
  /** Whose calls it is about; null for everybody's. */
  readonly agent: string | null;
  readonly order: RuleOrder;
  readonly rules: readonly ToolRule[];
}

/** The project's rules on tools, then those of each agent. */
export function toolLayers({ rules, order, agents }: ApprovalSection): readonly ToolLayer[] {
  const own = Object.entries(agents).map(
    ([agent, layer]): ToolLayer => ({ path: ["approval", "agents", agent], agent, ...layer }),
  );
  return [{ path: ["approval"], agent: null, order, rules }, ...own];
}
