// The entry `cofferdam/openai-agents`: tools for the OpenAI Agents SDK.
import "../host/require-node.ts";

/**
 * The OpenAI Agents SDK with a supervisor: `cofferdamTools` are tools for `new Agent({ tools })`. `cofferdamShell` and
 * `cofferdamEditor` are options of `shellTool` and `applyPatchTool`. `settle` merges the answers of a run with those
 * given elsewhere.
 */
export type { CallsOf } from "./framework-calls.ts";
export type { RunAnswers } from "./openai-agents/answers.ts";
export { cofferdamEditor, type EditorToolOptions } from "./openai-agents/editor.ts";
export { type CofferdamTool, cofferdamTools, type LooseParameters } from "./openai-agents/function-tools.ts";
export type { HasPart } from "./openai-agents/part.ts";
export type { InConversation, OnApproval, SdkToolOptions } from "./openai-agents/sdk-tool-options.ts";
export { type InterruptedRun, type OpenItem, settle } from "./openai-agents/settle.ts";
export { cofferdamShell, type ShellToolOptions } from "./openai-agents/shell.ts";
