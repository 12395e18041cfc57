import type { RuleLayer } from "../../policy/tool-rule.ts";
import type { McpServer } from "../../tool/mcp-settings.ts";

/** The rules of one server's config section, as layers on the names that the gate uses for its tools. */
export function layersOf(
  server: string,
  { order, rules, sampling, elicitation }: Pick<McpServer, "order" | "rules" | "sampling" | "elicitation">,
): readonly RuleLayer[] {
  const own = rules.map((rule) => ({ ...rule, pattern: `${server}/${rule.pattern}` }));
  const requests = Object.entries({ sampling, elicitation }).map(([name, action]) => ({
    pattern: `${server}/${name}`,
    action,
    reason: `the config says \`${name}: ${action}\` for ${server}`,
  }));
  return [
    { order, rules: own },
    { order: "strictest", rules: requests },
  ];
}
