import type { ApprovalEvent } from "../event/event.ts";
import type { Decision } from "../policy/decision.ts";
import type { Grant } from "../policy/grant.ts";
import type { ApprovalRequest } from "../policy/request.ts";

/**
 * Where a request is in its life: it waits, is decided, and what was approved is run at most once.
 * `pending → approved → executing → done | failed`, or `pending → rejected | expired`.
 */
export type RequestStatus = "pending" | "approved" | "rejected" | "expired" | "executing" | "done" | "failed";

/** A request, where it is in its life, and the decision once there is one. */
export interface StoredRequest {
  readonly request: ApprovalRequest;
  readonly status: RequestStatus;
  readonly decision: Decision | null;
}

/** What became of an answer: only the first one counts. */
export type Resolution = "accepted" | "duplicate" | "expired" | "unknown";

/**
 * Keeps requests, grants and events. Each method is one step that happens whole or not at all, also where several
 * processes share a store; `resolve` and `claim` compare and set. A request that is decided, and that nobody can run any
 * more, may be forgotten after a while, but never so soon that a late answer to it is taken for one to another.
 */
export interface Store {
  /** Keeps a new request. Throws `INTERNAL` where its id stands for one already: an answer must not change its meaning. */
  add(request: ApprovalRequest): Promise<void>;
  find(approvalId: string): Promise<StoredRequest | null>;
  /** Decides a request that is pending; the first decision is the one that stays. */
  resolve(approvalId: string, decision: Decision): Promise<Resolution>;
  /** Takes an approved request to run it: true for one caller, once. */
  claim(approvalId: string): Promise<boolean>;
  /** Says how the run of a claimed request ended. */
  finish(approvalId: string, how: "done" | "failed"): Promise<void>;
  /** Every request that waits for an answer, oldest first. */
  pending(): Promise<readonly ApprovalRequest[]>;

  saveGrant(grant: Grant): Promise<void>;
  grantsOf(sessionId: string): Promise<readonly Grant[]>;
  /** The grant that was removed; null when there was none. */
  removeGrant(grantId: string): Promise<Grant | null>;

  /** Keeps an event. Those of one run come one after the other, in the order of their numbers. */
  append(event: ApprovalEvent): Promise<void>;
  /**
   * The events of a run behind a sequence number, in their order, at most `limit`; with null from the first that is kept.
   * Throws `EVENTS_GONE` when some of those behind the number are no longer kept.
   */
  eventsAfter(runId: string, seq: number | null, limit: number): Promise<readonly ApprovalEvent[]>;
}
