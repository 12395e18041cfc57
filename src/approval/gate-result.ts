import type { BoundCall } from "../policy/bound-call.ts";
import type { CallAnswer } from "../policy/call-answer.ts";
import type { GeneralisedCall } from "../policy/candidate.ts";
import type { Decision } from "../policy/decision.ts";
import type { GrantKey } from "../policy/grant.ts";
import type { NotRun } from "../policy/not-run.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { ReviewRecord } from "../policy/review-record.ts";
import type { Verdict } from "../policy/verdict.ts";
import type { ReviewSubject } from "./review.ts";

/** The identity of a call at the gate. */
export interface CallIdentity {
  readonly callId: string;
  readonly tool: string;
  readonly agent: string | null;
  readonly groupId: string | null;
}

/** The part of a request that describes the call to people. */
export type RequestText = Pick<
  ApprovalRequest,
  "risk" | "description" | "safeArgs" | "redactions" | "covers" | "granted" | "folder"
>;

/** A call with the verdict of the rules, and how to show it to people. */
export interface DecidedCall {
  readonly verdict: Verdict;
  /** SHA-256 of exactly the call that would run. */
  readonly argsHash: string;
  /** The parts of `argsHash`; absent for a call that only this process makes, while it waits. */
  readonly bound?: BoundCall;
  readonly grantKey: GrantKey;
  /** Absent if an approval holds for exactly this call. */
  readonly generalised?: GeneralisedCall;
  /** The group that the tool itself puts the call in; used if the caller names none. */
  readonly groupId: string | null;
  /** Called only if a person will be asked. */
  readonly summarize: () => RequestText;
  /** Called only if a person opens the preview. */
  readonly preview: () => Promise<Presentation>;
  /** The call for a reviewer; absent if only a person may answer. */
  readonly reviewSubject?: () => ReviewSubject;
}

/** A call that the gate stopped. */
export type GateStop = NotRun<"APPROVAL_BLOCKED" | "APPROVAL_DENIED" | "APPROVAL_TIMEOUT" | "FACTS_UNSTABLE">;

/** An approval that no run has used yet. */
export interface Approval {
  readonly kind: "approved";
  readonly approvalId: string;
  readonly decision: Extract<Decision, { readonly status: "approved" }>;
  readonly request: ApprovalRequest;
}

/** A call that may run now. */
export interface ApprovedRun<Decided> {
  readonly kind: "approved";
  /** The last decided call: this is the one that runs. */
  readonly decided: Decided;
  readonly isApproved: boolean;
  /** The approval that the run uses; null without one. */
  readonly approvalId: string | null;
  /** The name of the approver of this call; null without one. */
  readonly by: string | null;
  /** The note or the edited input of the approval; null if it said nothing but yes. */
  readonly answer: CallAnswer | null;
  /** The review that allowed it; null if none did. Then it gets no more access than without approval. */
  readonly review: ReviewRecord | null;
}

/** Whether a call may run now. */
export type GateResult<Decided> = ApprovedRun<Decided> | GateStop;
