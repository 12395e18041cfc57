import "./host/require-node.ts";

export type { Broker } from "./approval/broker.ts";
export type { Clearance } from "./approval/clearance.ts";
export { createGate, type GateSettings, type ToolGate } from "./approval/create-gate.ts";
export { type Envelope, toEnvelope } from "./approval/envelope.ts";
export {
  type ApprovalResult,
  approved,
  createApprovalRequest,
  createApprovalResult,
  rejected,
} from "./approval/factories.ts";
export type { AskToolOptions, GuardedTools, ToolCall, ToolCallOptions } from "./approval/guarded-tools.ts";
export type { Answer, ApprovalHandler, Asking, ShortAnswer } from "./approval/handler.ts";
export {
  AlwaysDenyHandler,
  type ApprovalCallback,
  AutoApproveHandler,
  BrokerHandler,
  CallbackHandler,
  type Handlers,
} from "./approval/handlers.ts";
export {
  presentCommand,
  presentDiff,
  presentFile,
  presentStructured,
  presentText,
} from "./approval/present.ts";
export { readDecision } from "./approval/read-decision.ts";
export type { RequestFilter } from "./approval/request-filter.ts";
export {
  type ApprovalRequestEvent,
  type ApprovalResultEvent,
  type StreamEvent,
  sseFrame,
  streamView,
} from "./approval/stream-view.ts";
export type { EventFilter } from "./approval/subscribers.ts";
export { approvalError, type ToolOutcome, type ToolResult } from "./approval/tool-outcome.ts";
export type { Wait } from "./approval/wait.ts";
export type {
  Approximation,
  Plan,
  Protection,
  Refusal,
  Rendering,
  Standing,
  Standings,
} from "./backend/plan.ts";
export { Screen } from "./channel/screen.ts";
export { type TerminalOptions, terminalHandler } from "./channel/terminal.ts";
export type { Ceiling, Config, Loaded } from "./config/config.ts";
export { loadConfig } from "./config/load.ts";
export { CofferdamError, ERRORS, type ErrorCode, type ErrorMeaning, type Position } from "./errors.ts";
export type { ApprovalEvent, Event } from "./event/event.ts";
export { type Host, thisHost } from "./host/host.ts";
export type { User } from "./host/user.ts";
export type { TerminalWindow, WindowSize } from "./host/window.ts";
export { FileJournal, type Journal, type JournalOptions, MemoryJournal } from "./journal/journal.ts";
export type { Action, Mode, RuleOrder } from "./policy/action.ts";
export {
  ApprovalBlockedError,
  type ApprovalCode,
  ApprovalDeniedError,
  ApprovalError,
  ApprovalPendingError,
  ApprovalTimeoutError,
} from "./policy/approval-error.ts";
export type { Json } from "./policy/canonical-json.ts";
export type { Decision, Scope } from "./policy/decision.ts";
export type { CallGrant, Grant, GrantKey, HostGrant } from "./policy/grant.ts";
export type { Presentation } from "./policy/presentation.ts";
export type { Redactions } from "./policy/redactions.ts";
export type { ApprovalRequest, GrantedView } from "./policy/request.ts";
export type { Risk } from "./policy/risk.ts";
export type { RuleHit } from "./policy/rule-hit.ts";
export type { ToolRule } from "./policy/tool-rule.ts";
export type { Verdict } from "./policy/verdict.ts";
export type { Access } from "./profile/access.ts";
export { accessTo, type Kind, type PathFacts } from "./profile/access-to.ts";
export { digest, type ProfileDigest, parseProfile, printProfile } from "./profile/canonical.ts";
export { type Comparison, compare, isWithin, type Witness } from "./profile/compare.ts";
export { type Explanation, explain, type Layer, type LayerAnswer, type Question } from "./profile/explain.ts";
export { intersect, intersectAll } from "./profile/intersect.ts";
export { type AbsolutePath, absolutePath, isAbsolutePath } from "./profile/path.ts";
export { CLOSED, type FileEntry, type Mask, normalProfile, OPEN, type Profile } from "./profile/profile.ts";
export type { Shortfall } from "./profile/shortfall.ts";
export { MemoryStore } from "./store/memory.ts";
export { SqliteStore, type SqliteStoreOptions } from "./store/sqlite.ts";
export type { Resolution, Store } from "./store/store.ts";
export type { CallOptions, ClearanceOptions } from "./supervisor/call-options.ts";
export type { Denial } from "./supervisor/denial.ts";
export { createDesk, Desk, type DeskOptions } from "./supervisor/desk.ts";
export { type CallExplanation, explainCall } from "./supervisor/explain.ts";
export type {
  CallClearance,
  Outcome,
  ProgramOutcome,
  Ran,
  Stopped,
  ValueOutcome,
} from "./supervisor/outcome.ts";
export type { CallFacts, Prepared, Side } from "./supervisor/prepare.ts";
export type { Receipt } from "./supervisor/receipt.ts";
export type { Session } from "./supervisor/session.ts";
export type { SessionOptions } from "./supervisor/session-options.ts";
export type { CallEvent } from "./supervisor/stream.ts";
export { createSupervisor, Supervisor, type SupervisorOptions } from "./supervisor/supervisor.ts";
export type { ToolCard, ToolName, ToolTypes } from "./supervisor/tool-cards.ts";
export { type ProgramResult, toolResult } from "./supervisor/tool-result.ts";
export { type ApprovalAware, type AskOptions, requiresApproval, simpleApprovalRequest } from "./tool/ask.ts";
export type { Call, ShellInput } from "./tool/call.ts";
export { type DefinedTool, defineTool, toolFrom } from "./tool/define-tool.ts";
export { deriveShellNeeds, type Needs, type ToolSettings } from "./tool/derive.ts";
export type { Root, Runtime } from "./tool/facts.ts";
export type {
  ApprovalContext,
  Ask,
  FunctionTool,
  Permission,
  Requirement,
  ToolInput,
} from "./tool/function-tool.ts";
export type { Launch } from "./tool/launch.ts";
export type { CommandTemplate, ProgramTool, ToolNeeds } from "./tool/program-tool.ts";
