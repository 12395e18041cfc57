// The entry `cofferdam/mcp`: tools for MCP clients.
import "../host/require-node.ts";

export { ToolAnswer } from "./call-result.ts";
export type { McpOptions } from "./connection.ts";
export { type McpHttp, mcpHttp } from "./http.ts";
export { type McpService, type ServeMcpOptions, serveMcp } from "./serve-stdio.ts";
