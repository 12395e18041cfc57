import type { ApprovalEvent, ApprovalNews } from "../event/event.ts";
import type { BoundCall } from "../policy/bound-call.ts";
import type { Decision } from "../policy/decision.ts";
import type { Grant } from "../policy/grant.ts";
import type { KeptCall } from "../policy/kept-call.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";

/**
 * The status of a request: it waits, is decided, and if approved runs at most once.
 * `pending → approved → executing → done | failed`, or `pending → rejected | expired`.
 */
export type RequestStatus = "pending" | "approved" | "rejected" | "expired" | "executing" | "done" | "failed";

/** A request, its status, and the decision once there is one. */
export interface StoredRequest {
  readonly request: ApprovalRequest;
  readonly status: RequestStatus;
  readonly decision: Decision | null;
}

/** Data kept with a request until it ends, for processes that did not create it. */
export interface Belongings {
  /** The call to run; null if only its caller can run it, as one that reads a stream. */
  readonly call: KeptCall | null;
  /** The text shown to people; null if it could not be made. */
  readonly presentation: Presentation | null;
  /** The parts that its approval is bound to; absent if no later call can use the approval. */
  readonly bound?: BoundCall;
}

/** The result of an answer: only the first one counts. */
export type Resolution = "accepted" | "duplicate" | "expired" | "unknown";

/** Requests and grants that need care, by the store's clock. */
export interface Overdue {
  /** Requests that were not answered in time. */
  readonly expired: readonly ApprovalRequest[];
  /** Claimed requests whose run has not reported since its time ran out. */
  readonly abandoned: readonly ApprovalRequest[];
  /** Grants to sessions of such runs. */
  readonly grants: readonly Grant[];
}

/**
 * Keeps requests, grants and events. Each method is one step that happens whole or not at all, also where several
 * processes or hosts share a store; a step and its event are one. `resolve`, `claim` and `abandon` compare and set.
 * Times are compared by one clock, the store's own. An ended request may be forgotten after a while, but not so soon
 * that a late answer to it is taken for one to another; its data is forgotten at once. A store that can't be reached
 * throws `STORE_UNAVAILABLE`: then nothing is asked, answered or run.
 */
export interface Store extends AsyncDisposable {
  /** True if the data outlives this process, and other processes find it. */
  readonly outlivesProcess: boolean;
  /** The id of this store: another store numbers other events. */
  id(): Promise<string>;

  /**
   * Keeps a new request. Its time is the difference of its `createdAt` and `expiresAt`. Throws `INTERNAL` if its id
   * exists already: an answer must not change its meaning.
   */
  add(request: ApprovalRequest, belongings: Belongings, news: ApprovalNews): Promise<void>;
  find(approvalId: string): Promise<StoredRequest | null>;
  /** The data kept with a request; null if it has ended, or is unknown. */
  belongings(approvalId: string): Promise<Belongings | null>;
  /**
   * Decides a pending request; the first decision stays. After its deadline an approval or a rejection returns
   * `expired` and changes nothing: the request is still to be decided as expired.
   */
  resolve(approvalId: string, decision: Decision, news: ApprovalNews): Promise<Resolution>;
  /** Claims an approved request to run it: true for one caller, once. */
  claim(approvalId: string, runId: string): Promise<boolean>;
  /**
   * Records how the run of a request ended; counts once, for the run that claimed it. A run that was abandoned by
   * mistake may still report that it is done.
   */
  finish(approvalId: string, runId: string, how: "done" | "failed"): Promise<boolean>;
  /** Ends a request as failed if its run is no longer heard of; true for one caller, once. */
  abandon(approvalId: string, news: ApprovalNews): Promise<boolean>;
  /** Every request that waits for an answer and has time left, oldest first. */
  pending(): Promise<readonly ApprovalRequest[]>;

  /** Reports a run as alive for `forMs` milliseconds from now; 0: it has ended. */
  keepAlive(runId: string, forMs: number): Promise<void>;
  /** True as long as a run counts as alive. */
  isAlive(runId: string): Promise<boolean>;
  overdue(): Promise<Overdue>;

  /** Remembers a grant of a session of this run. */
  saveGrant(grant: Grant, runId: string, news: ApprovalNews): Promise<void>;
  /**
   * Counts one use of a grant: false if it is gone, has ended, or has answered as many calls as it may. Its time is the
   * difference of its `grantedAt` and `until`.
   */
  useGrant(grantId: string): Promise<boolean>;
  /** The grants of a session that hold; with null, those of all sessions whose run is alive. */
  grants(sessionId: string | null): Promise<readonly Grant[]>;
  findGrant(grantId: string): Promise<Grant | null>;
  /** Revokes a grant: true for one caller, once. */
  removeGrant(grantId: string, news: ApprovalNews): Promise<boolean>;

  /** Keeps a channel's text about a request, as the place of its message. */
  note(approvalId: string, channel: string, text: string): Promise<void>;
  noted(approvalId: string, channel: string): Promise<string | null>;

  /** Keeps an event that belongs to no step. */
  append(news: ApprovalNews): Promise<void>;
  /**
   * The events after a number, of one run or of all, in the order of their numbers, at most `limit`; with null from the
   * first that is kept. Numbers are final: no event appears below a number that was seen. Throws `EVENTS_GONE` if some
   * of those after the number are no longer kept.
   */
  eventsAfter(seq: number | null, limit: number, runId: string | null): Promise<readonly ApprovalEvent[]>;
  /** The number of the last event; −1 before the first. */
  lastSeq(): Promise<number>;
  /**
   * Calls back soon after any change, by any process; perhaps also without a change. It may be late, but not by more
   * than a second.
   */
  watch(onChange: () => void): Disposable;
}
