// The entry `cofferdam`: supervisors, sessions, tools, approvals, stores and journals.
import "./host/require-node.ts";

export type { Broker } from "./approval/broker.ts";
export { approved, rejected } from "./approval/factories.ts";
export type { Answer, ApprovalHandler } from "./approval/handler.ts";
export {
  AlwaysDenyHandler,
  AutoApproveHandler,
  BrokerHandler,
  CallbackHandler,
} from "./approval/handlers.ts";
export type { ToolOutcome, ToolResult } from "./approval/tool-outcome.ts";
export type { EnforcementReport } from "./backend/plan.ts";
export type { CallOptions, ResumeOptions } from "./call/call-options.ts";
export type { CheckOptions } from "./call/pipeline.ts";
export type { SessionOptions } from "./call/session-options.ts";
export { type ProgramResult, toolResult } from "./call/tool-result.ts";
export { type TerminalOptions, terminalHandler } from "./channel/terminal.ts";
export type { Outcome, ProgramOutcome, ValueOutcome } from "./decide/outcome.ts";
export type { Prepared } from "./decide/prepare.ts";
export type { Receipt } from "./decide/receipt.ts";
export type { ToolCard, ToolName, ToolTypes } from "./decide/tool-cards.ts";
export { CofferdamError, ERRORS, type ErrorCode } from "./errors.ts";
export type { ApprovalEvent, Event } from "./event/event.ts";
export { FileJournal, type Journal, MemoryJournal } from "./journal/journal.ts";
export type { Json } from "./policy/canonical-json.ts";
export type { Decision } from "./policy/decision.ts";
export type { Denial } from "./policy/denial.ts";
export type { Grant } from "./policy/grant.ts";
export type { CheckResult, NotRun } from "./policy/not-run.ts";
export type { Presentation } from "./policy/presentation.ts";
export type { ApprovalRequest } from "./policy/request.ts";
export { type AbsolutePath, absolutePath } from "./profile/path.ts";
export { createDesk, type Desk, type DeskOptions } from "./session/desk.ts";
export type { Session } from "./session/session.ts";
export type { CallEvent } from "./session/stream.ts";
export { createSupervisor, type Supervisor } from "./session/supervisor.ts";
export type { SupervisorOptions } from "./session/supervisor-options.ts";
export { MemoryStore } from "./store/memory.ts";
export { SqliteStore } from "./store/sqlite.ts";
export type { Store } from "./store/store.ts";
export type { ShellInput } from "./tool/call.ts";
export { type DefinedTool, defineTool } from "./tool/define-tool.ts";
export type { ApprovalContext, Ask, FunctionTool, ToolInput } from "./tool/function-tool.ts";
export type { ProgramTool, ToolNeeds } from "./tool/program-tool.ts";
