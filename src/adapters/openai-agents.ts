import "../host/require-node.ts";

/**
 * The OpenAI Agents SDK over a supervisor: `cofferdamTools` are tools for `new Agent({ tools })`, `cofferdamShell` and
 * `cofferdamEditor` what `shellTool` and `applyPatchTool` take, and `settle` brings the answers of a run and of everybody else
 * together.
 */
export type { CallsOf } from "./framework-calls.ts";
export { cofferdamEditor, type EditorToolOptions } from "./openai-agents/editor.ts";
export { type CofferdamTool, cofferdamTools } from "./openai-agents/function-tools.ts";
export type { InConversation, OnApproval, SdkToolOptions } from "./openai-agents/sdk-tool-options.ts";
export { type InterruptedRun, type OpenItem, settle } from "./openai-agents/settle.ts";
export { cofferdamShell, type ShellToolOptions } from "./openai-agents/shell.ts";
