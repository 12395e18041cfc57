import { z } from "zod";
import { Action, RuleOrder } from "../policy/action.ts";
import { ToolRule } from "../policy/tool-rule.ts";
import { ToolNeeds } from "./program-tool.ts";

/** The name of a server in rules and questions. */
export const McpServerName = z
  .string()
  .regex(/^[a-z0-9_][a-z0-9_-]{0,63}$/, "write at most 64 lower-case letters, digits, `_` and `-`");

const HALF = "half a character (a lone surrogate)";
const Word = z
  .string()
  .regex(/^[^\0]*$/, "a word can't contain NUL")
  .refine((word) => word.isWellFormed(), `a word can't contain ${HALF}`);

/**
 * `mcp.servers.<name>` of cofferdam.yaml: a server that speaks MCP over its standard streams, and its sandbox under
 * `cofferdam mcp --wrap`. Its own rules use its own tool names; other rules name the tools `<name>/<tool>`.
 */
export const McpServer = z.strictObject({
  command: z
    .array(Word)
    .min(1)
    .max(1000)
    .meta({
      description: "The words that start the server.",
      examples: [["node", "../servers/files.js", "."]],
    }),
  needs: ToolNeeds.unwrap()
    .extend({
      cwd: z
        .string()
        .min(1)
        .optional()
        .meta({
          description:
            "The folder in which the server starts, relative to the folder of this file. Default: that folder, or, if it is in no root that the server needs, the first root that the server needs. Relative paths in `command` begin there.",
          examples: ["./notes"],
        }),
      write_on_start: z
        .boolean()
        .default(false)
        .describe("Ask a person when the server starts; an approval lets it write in roots that ask first."),
    })
    .prefault({})
    .describe("The permissions of this config that the server needs. It never gets more."),
  order: RuleOrder.default("last-match").describe(
    "The rule that decides if several rules of this server cover a call.",
  ),
  rules: z
    .array(ToolRule)
    .max(10_000)
    .default([])
    .meta({
      description: "Rules for the tools of this server, by their own names.",
      examples: [[{ pattern: "read_*", action: "allow" }]],
    }),
  annotations: z
    .enum(["untrusted", "trusted"])
    .default("untrusted")
    .describe("`trusted`: the server's annotations decide the risk of its tools."),
  sampling: Action.default("deny").describe(
    "The action when the server requests a text from the client's model.",
  ),
  elicitation: Action.default("deny").describe(
    "The action when the server asks the client's user a question.",
  ),
});
export type McpServer = z.infer<typeof McpServer>;

/** `mcp:` of cofferdam.yaml. */
export const McpSection = z.strictObject({
  servers: z
    .record(McpServerName, McpServer)
    .default({})
    .meta({
      description: "Servers, by names of your choice. Other rules name a tool as `NAME/tool`.",
      examples: [{ files: { command: ["node", "../servers/files.js", "."] } }],
    }),
});
export type McpSection = z.infer<typeof McpSection>;
