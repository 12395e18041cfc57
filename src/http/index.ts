// The entry `cofferdam/http`: the approvals over HTTP, with the inbox.
import "../host/require-node.ts";

export { type ApprovalApp, approvalApp } from "./app.ts";
export type { ApprovalAppOptions } from "./app-options.ts";
export type { Approver } from "./approvers.ts";
export type { Rate } from "./buckets.ts";
export type { Mount, MountReply } from "./mount.ts";
export { openApi } from "./openapi.ts";
export type { HttpRefusal } from "./refusal.ts";
export type { AnswerBody, AnswersBody, ShownRequest, Snapshot } from "./schemas.ts";
export { type ApprovalServer, type ServeOptions, serveApprovals } from "./serve.ts";
export { webhookMount } from "./webhook-mount.ts";
