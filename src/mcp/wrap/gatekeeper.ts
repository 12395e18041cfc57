import type { ToolOutcome } from "../../approval/tool-outcome.ts";
import type { RuleLayer } from "../../policy/tool-rule.ts";
import { type DefinedTool, defineTool } from "../../tool/define-tool.ts";
import type { McpServer } from "../../tool/mcp-settings.ts";
import type { ListedTool } from "./tool-list.ts";
import { WANTED, type WantedMethod } from "./wanted.ts";
import { type Members, membersOf } from "./wire.ts";

/** What the gate is told besides a tool and its arguments. */
export interface Passing {
  readonly signal: AbortSignal;
  /** What questions about it are known by; null where the client's session is enough. */
  readonly groupId: string | null;
}

/** Puts one use of a tool to the gate, and runs it where it is let pass. */
export type Guard = (tool: DefinedTool, args: unknown, passing: Passing) => Promise<ToolOutcome>;

/** The rules of one server's section, on the names by which the gate knows its tools: layers of their own. */
export function layersOf(
  server: string,
  { order, rules, sampling, elicitation }: Pick<McpServer, "order" | "rules" | "sampling" | "elicitation">,
): readonly RuleLayer[] {
  const own = rules.map((rule) => ({ ...rule, pattern: `${server}/${rule.pattern}` }));
  const wanted = Object.entries({ sampling, elicitation }).map(([name, action]) => ({
    pattern: `${server}/${name}`,
    action,
    reason: `the config says \`${name}: ${action}\` for ${server}`,
  }));
  return [
    { order, rules: own },
    { order: "strictest", rules: wanted },
  ];
}

/** A tool of the server's: what people are shown of it is its name and the arguments, and nothing that the server says. */
export function calledTool(
  server: string,
  name: string,
  { version, risk }: ListedTool,
  run: (args: unknown) => Promise<Members | null>,
): DefinedTool {
  return defineTool({ name: `${server}/${name}`, version, risk, run: ({ input }) => run(input) });
}

/** Something that the server wants of the client, as a tool. */
export function wantedTool(
  server: string,
  method: WantedMethod,
  run: (params: Members) => Promise<Members>,
): DefinedTool {
  return defineTool({
    name: `${server}/${WANTED[method]}`,
    risk: "write",
    run: ({ input }) => run(membersOf(input) ?? {}),
  });
}
