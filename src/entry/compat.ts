// The entry `cofferdam/compat`: other and older forms of answers, requests and events; functions as tools.
import "../host/require-node.ts";

export { type Envelope, toEnvelope } from "../approval/envelope.ts";
export { type ApprovalResult, createApprovalRequest, createApprovalResult } from "../approval/factories.ts";
export type { ShortAnswer } from "../approval/handler.ts";
export {
  type FileContent,
  presentCommand,
  presentDiff,
  presentFile,
  presentStructured,
  presentText,
} from "../approval/present.ts";
export { readDecision } from "../approval/read-decision.ts";
export type { PresentOptions } from "../approval/shown.ts";
export {
  type ApprovalRequestEvent,
  type ApprovalResultEvent,
  type StreamEvent,
  sseFrame,
  streamView,
} from "../approval/stream-view.ts";
export {
  type ApprovalAware,
  type Arguments,
  type AskingFunction,
  type AskOptions,
  requiresApproval,
  simpleApprovalRequest,
} from "../tool/ask.ts";
export { toolFrom } from "../tool/define-tool.ts";
