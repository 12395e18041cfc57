import type { Json } from "../policy/canonical-json.ts";
import type { Decision, Scope, ScopeLimits } from "../policy/decision.ts";
import type { Grant } from "../policy/grant.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Resolution, StoredRequest } from "../store/store.ts";
import type { ApprovalResult } from "./factories.ts";

/** The operations available to a handler while it asks. */
export interface Asking {
  /** Aborted when the request is over: it was answered elsewhere, expired, or its call was given up. */
  readonly signal: AbortSignal;
  /** The presentation of the call. Made at the first call, then kept; rejects if it can't be made. */
  present(): Promise<Presentation>;
  /** Every request of the broker that waits for an answer, including this one, in order of arrival. */
  waiting(): readonly ApprovalRequest[];
  /** The grants of the request's session so far. */
  grants(): Promise<readonly Grant[]>;
  /** Revokes a grant; false if there is none under this id. */
  revoke(grantId: string, by: string): Promise<boolean>;
  /** True if a call waits for the answer: a handler that listens for it keeps the process alive. */
  readonly isBlocking: boolean;
  /** Answers the request; the result says whether this answer decided. Rejects if it can't be recorded. */
  respond(decision: Decision): Promise<Resolution>;
  /** Records an event of the asking; decides nothing. */
  report(news: AskingNews): Promise<void>;
  /** The request and its status, from any handler; null if it is no longer known. */
  outcome(): Promise<StoredRequest | null>;
  /** Stores a text about the request under the name of a channel, for any process to find. */
  note(channel: string, text: string): Promise<void>;
  /** The text that was stored; null without one. */
  noted(channel: string): Promise<string | null>;
}

/** An answer by an unauthorized person, or a handler that can't receive answers for now. */
export type AskingNews =
  | { readonly type: "approval.ignored"; readonly by: string; readonly because: "forbidden" }
  | { readonly type: "approval.failed"; readonly reason: string };

/** Finds requests of a broker, including those that are over. */
export interface RequestLookup {
  /** A request and its status; null if it is unknown or no longer kept. */
  find(approvalId: string): Promise<StoredRequest | null>;
}

/** A decision; `pending` if it will come later through the broker. */
export type HandlerAnswer = Decision | { readonly status: "pending" };

/** The short form of an answer. `always` and `remember` mean `scope`, `reason` means `note`. */
export interface ShortAnswer {
  readonly approved: boolean;
  readonly scope?: Scope;
  /** For approvals of more than this call. */
  readonly limits?: ScopeLimits;
  /** For rejections: it holds for the same call until the session ends. */
  readonly lasts?: "session";
  readonly always?: boolean;
  readonly remember?: "session" | null;
  readonly by?: string;
  readonly note?: string | null;
  readonly reason?: string | null;
  /** For approvals: the input that replaces the requested one; it is judged again. */
  readonly editedInput?: Json;
}

/** The default name for answers of a handler. */
export const HANDLER = "the handler";

/** Every form of an answer. */
export type Answer = HandlerAnswer | ShortAnswer | ApprovalResult;

/**
 * Asks a person or a program about a request. Its answer is parsed strictly. An invalid answer or an error is recorded
 * as a failure; if every handler fails, the call is rejected by `nobody`.
 */
export interface ApprovalHandler {
  requestApproval(request: ApprovalRequest, asking: Asking): Promise<Answer>;
  /** The answer to a request that was left pending. */
  checkApproval?(approvalId: string): Promise<Answer>;
  /**
   * Called once it attends, after it was asked about the waiting requests: it can now look up those that were answered
   * before.
   */
  attends?(requests: RequestLookup): void;
}
