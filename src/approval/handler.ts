import type { Decision, Scope } from "../policy/decision.ts";
import type { Grant } from "../policy/grant.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Resolution, StoredRequest } from "../store/store.ts";
import type { ApprovalResult } from "./factories.ts";

/** What a handler can do while it asks. */
export interface Asking {
  /** Aborted when the answer came from elsewhere, the time ran out or the call was given up: put the question away. */
  readonly signal: AbortSignal;
  /** What to look at. Made when first asked for, then kept; rejects when it can't be made. */
  present(): Promise<Presentation>;
  /** Every question of the broker that waits for an answer, this one among them, in the order in which they came. */
  waiting(): readonly ApprovalRequest[];
  /** What the request's session has been granted so far. */
  grants(): Promise<readonly Grant[]>;
  /** Takes a grant back; false when there is no such grant. */
  revoke(grantId: string, by: string): Promise<boolean>;
  /** A call stands still until the answer: whoever listens for it keeps the process alive. */
  readonly isHeld: boolean;
  /**
   * Answers the request as whoever answers from elsewhere does, and says what came of it. Rejects where it can't be
   * written down.
   */
  respond(decision: Decision): Promise<Resolution>;
  /** Writes down what happened while asking, and decides nothing. */
  tell(news: AskingNews): Promise<void>;
  /** What became of the request so far, whoever answered it; null when it is not known any more. */
  outcome(): Promise<StoredRequest | null>;
  /** Keeps a text about the request for whoever asks under this name later, perhaps in another process. */
  note(channel: string, text: string): Promise<void>;
  /** The text that was kept; null without one. */
  noted(channel: string): Promise<string | null>;
}

/** Somebody answered who may not, or answers can't get here for now. */
export type AskingNews =
  | { readonly type: "approval.ignored"; readonly by: string; readonly because: "forbidden" }
  | { readonly type: "approval.failed"; readonly reason: string };

/** Looks up requests of a broker, also those that are over. */
export interface Lookup {
  /** A request and where it is in its life; null when it is not, or no more, known. */
  find(approvalId: string): Promise<StoredRequest | null>;
}

/** A decision, or that one will come later through the broker. */
export type HandlerAnswer = Decision | { readonly status: "pending" };

/** The short form of an answer. `always` and `remember` say what `scope` says, `reason` what `note` says. */
export interface ShortAnswer {
  readonly approved: boolean;
  readonly scope?: Scope;
  readonly always?: boolean;
  readonly remember?: "session" | null;
  readonly by?: string;
  readonly note?: string | null;
  readonly reason?: string | null;
}

/** Every form in which an answer is understood. */
export type Answer = HandlerAnswer | ShortAnswer | ApprovalResult;

/**
 * Where an answer comes from. What it answers is read strictly: anything that is not understood, and anything that it
 * throws, is a no of nobody's.
 */
export interface ApprovalHandler {
  requestApproval(request: ApprovalRequest, asking: Asking): Promise<Answer>;
  /** What became of a request that was left pending. */
  checkApproval?(approvalId: string): Promise<Answer>;
  /**
   * Called when a broker begins to bring it every request, once those that wait have been brought: now it can see to what
   * was answered while nobody listened.
   */
  attends?(requests: Lookup): void;
}
