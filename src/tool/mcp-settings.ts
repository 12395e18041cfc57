import { z } from "zod";
import { Action, RuleOrder } from "../policy/action.ts";
import { ToolRule } from "../policy/tool-rule.ts";
import { ToolNeeds } from "./program-tool.ts";

/** What rules and people know a server by. */
export const McpServerName = z
  .string()
  .regex(
    /^[a-z0-9_][a-z0-9_-]{0,63}$/,
    "a server's name is lower-case letters, digits, `_` and `-`, 64 at most",
  );

const HALF = "half a character (a lone surrogate)";
const Word = z
  .string()
  .regex(/^[^\0]*$/, "a word can't hold NUL")
  .refine((word) => word.isWellFormed(), `a word can't hold ${HALF}`);

/**
 * `mcp.servers.<name>` of cofferdam.yaml: a server that speaks MCP over its standard streams, and what it gets when
 * `cofferdam mcp --wrap` runs it. Its rules are on its own tools' names; others know the tools as `<name>/<tool>`.
 */
export const McpServer = z.strictObject({
  command: z.array(Word).min(1).max(1000),
  /** `write_on_start`: its start is asked about, and a yes lets it write where calls are asked first. */
  needs: ToolNeeds.unwrap()
    .extend({ write_on_start: z.boolean().default(false) })
    .prefault({}),
  order: RuleOrder.default("last-match"),
  rules: z.array(ToolRule).max(10_000).default([]),
  /** `trusted`: what it says of its tools, that they only read or that they destroy, counts as their risk. */
  annotations: z.enum(["untrusted", "trusted"]).default("untrusted"),
  /** What is done when it wants the client's model to write something. */
  sampling: Action.default("deny"),
  /** What is done when it wants something of the person at the client. */
  elicitation: Action.default("deny"),
});
export type McpServer = z.infer<typeof McpServer>;

/** `mcp:` of cofferdam.yaml. */
export const McpSection = z.strictObject({
  servers: z.record(McpServerName, McpServer).default({}),
});
export type McpSection = z.infer<typeof McpSection>;
