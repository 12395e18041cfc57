// The entry `cofferdam/gate`: the approval gate alone, for function tools without a sandbox.
import "../host/require-node.ts";

export type { EventFilter } from "../approval/approval-log.ts";
export type { Broker } from "../approval/broker.ts";
export { approved, rejected } from "../approval/factories.ts";
export type {
  Answer,
  ApprovalHandler,
  Asking,
  AskingNews,
  HandlerAnswer,
  RequestLookup,
} from "../approval/handler.ts";
export {
  AlwaysDenyHandler,
  type ApprovalCallback,
  AutoApproveHandler,
  BrokerHandler,
  CallbackHandler,
  type Handlers,
} from "../approval/handlers.ts";
export type { RequestFilter } from "../approval/request-filter.ts";
export type { ReviewCounts, ReviewDocument } from "../approval/review.ts";
export { approvalError, type ToolOutcome, type ToolResult } from "../approval/tool-outcome.ts";
export type { Wait } from "../approval/wait.ts";
export { createGate, type GateSettings, type ToolGate } from "../call/create-gate.ts";
export type { FunctionReviewer } from "../call/function-reviewer.ts";
export type { FunctionCallOptions, FunctionCheckOptions } from "../call/function-runner.ts";
export type { GuardedTools, ToolCall } from "../call/guarded-tools.ts";
export type { CheckOptions, PassOptions } from "../call/pipeline.ts";
export { toolResult } from "../call/tool-result.ts";
export { TerminalScreen } from "../channel/screen.ts";
export { type TerminalOptions, terminalHandler } from "../channel/terminal.ts";
export { CofferdamError, ERRORS, type ErrorCode, type ErrorMeaning, type Position } from "../errors.ts";
export type { ApprovalEvent, ApprovalNews, Event } from "../event/event.ts";
export { FileJournal, type Journal, type JournalOptions, MemoryJournal } from "../journal/journal.ts";
export type { Action, Mode, RuleOrder } from "../policy/action.ts";
export {
  ApprovalBlockedError,
  type ApprovalCode,
  ApprovalDeniedError,
  ApprovalError,
  ApprovalPendingError,
  ApprovalTimeoutError,
} from "../policy/approval-error.ts";
export type { ApprovalSection } from "../policy/approval-section.ts";
export type { BoundCall, BoundPart, CallOrigin, CallPart } from "../policy/bound-call.ts";
export type { CallAnswer, HasAnswer } from "../policy/call-answer.ts";
export type { Json } from "../policy/canonical-json.ts";
export type { Decision, Scope, ScopeLimits } from "../policy/decision.ts";
export type { DeniedBy } from "../policy/denied-by.ts";
export type { CallGrant, CoverGrant, Grant, GrantKey, HostGrant, RejectionGrant } from "../policy/grant.ts";
export type { KeptCall } from "../policy/kept-call.ts";
export type { CheckResult, NotRun } from "../policy/not-run.ts";
export type { Presentation } from "../policy/presentation.ts";
export type { Redactions } from "../policy/redactions.ts";
export type { ApprovalRequest, EarlierRequest, GrantedView } from "../policy/request.ts";
export type { ReviewRecord } from "../policy/review-record.ts";
export type { Risk } from "../policy/risk.ts";
export type { RuleHit } from "../policy/rule-hit.ts";
export type { ToolRule } from "../policy/tool-rule.ts";
export type { Verdict } from "../policy/verdict.ts";
export { MemoryStore, type MemoryStoreOptions } from "../store/memory.ts";
export { SqliteStore, type SqliteStoreOptions } from "../store/sqlite.ts";
export type { Belongings, Overdue, RequestStatus, Resolution, Store, StoredRequest } from "../store/store.ts";
export { type DefinedTool, defineTool } from "../tool/define-tool.ts";
export type {
  ApprovalContext,
  Ask,
  FunctionTool,
  Permission,
  Requirement,
  ToolInput,
} from "../tool/function-tool.ts";
