export type {
  Approximation,
  Plan,
  Protection,
  Refusal,
  Rendering,
  Standing,
  Standings,
} from "./backend/plan.ts";
export type { Ceiling, Config, Loaded } from "./config/config.ts";
export { loadConfig } from "./config/load.ts";
export { CofferdamError, ERRORS, type ErrorCode, type ErrorMeaning, type Position } from "./errors.ts";
export type { Event } from "./event/event.ts";
export { type Host, thisHost, type User } from "./host/host.ts";
export { FileJournal, type Journal, MemoryJournal } from "./journal/journal.ts";
export type { Mode } from "./policy/approval-section.ts";
export type { RuleHit } from "./policy/judged.ts";
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
export type { Approval } from "./supervisor/approval.ts";
export type { CallOptions } from "./supervisor/enforce.ts";
export { type CallExplanation, explainCall } from "./supervisor/explain.ts";
export type { Outcome, Ran, Receipt } from "./supervisor/outcome.ts";
export type { CallFacts, Prepared, Side } from "./supervisor/prepare.ts";
export type {
  ApprovalRequest,
  Session,
  SessionOptions,
} from "./supervisor/session.ts";
export { createSupervisor, Supervisor, type SupervisorOptions } from "./supervisor/supervisor.ts";
export type { Call, ShellInput } from "./tool/call.ts";
export { deriveShellNeeds, type Needs, type ToolSettings } from "./tool/derive.ts";
export type { Root, Runtime } from "./tool/facts.ts";
export type { Launch } from "./tool/launch.ts";
