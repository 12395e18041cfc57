import type { ApprovalEvent, ApprovalNews } from "../event/event.ts";
import type { Decision } from "../policy/decision.ts";
import type { Grant } from "../policy/grant.ts";
import type { KeptCall } from "../policy/kept-call.ts";
import type { Presentation } from "../policy/presentation.ts";
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

/** What is kept beside a request until it is over, for processes that did not make it. */
export interface Belongings {
  /** What to run; null where only its caller can run it, as one that reads a stream. */
  readonly call: KeptCall | null;
  /** What to look at; null where it could not be made. */
  readonly presentation: Presentation | null;
}

/** What became of an answer: only the first one counts. */
export type Resolution = "accepted" | "duplicate" | "expired" | "unknown";

/** What somebody has to see to, by the store's clock. */
export interface Overdue {
  /** Requests that nobody answered in time. */
  readonly expired: readonly ApprovalRequest[];
  /** Requests that a run took, which was not heard of since its time ran out. */
  readonly abandoned: readonly ApprovalRequest[];
  /** What was granted to sessions of such runs. */
  readonly grants: readonly Grant[];
}

/**
 * Keeps requests, grants and events. Each method is one step that happens whole or not at all, also where several
 * processes, or several hosts, share a store; a step and the event that tells of it are one. `resolve`, `claim` and
 * `abandon` compare and set. Times are compared by one clock, the store's own. A request that is over may be forgotten
 * after a while, but never so soon that a late answer to it is taken for one to another; what belongs to it is forgotten
 * at once. A store that can't be reached throws `STORE_UNAVAILABLE`: then nothing is asked, answered or run.
 */
export interface Store extends AsyncDisposable {
  /** True where what is kept is still there when this process is not, and others find it. */
  readonly outlivesProcess: boolean;
  /** Which store this is: another one numbers other events. */
  id(): Promise<string>;

  /**
   * Keeps a new request. It has as much time as lies between its `createdAt` and its `expiresAt`. Throws `INTERNAL`
   * where its id stands for one already: an answer must not change its meaning.
   */
  add(request: ApprovalRequest, belongings: Belongings, news: ApprovalNews): Promise<void>;
  find(approvalId: string): Promise<StoredRequest | null>;
  /** What is kept beside a request; null when it is over, or not known. */
  belongings(approvalId: string): Promise<Belongings | null>;
  /**
   * Decides a request that is pending; the first decision is the one that stays. Behind its time a yes or a no is
   * answered `expired` and changes nothing: the request is still to be decided as expired.
   */
  resolve(approvalId: string, decision: Decision, news: ApprovalNews): Promise<Resolution>;
  /** Takes an approved request to run it: true for one caller, once. */
  claim(approvalId: string, runId: string): Promise<boolean>;
  /**
   * Says how the run of a request ended; counts for the run that claimed it, once. One that was taken for gone, and was not,
   * may still say that it is done.
   */
  finish(approvalId: string, runId: string, how: "done" | "failed"): Promise<boolean>;
  /** Ends a request as failed whose run is not heard of any more; true for one caller, once. */
  abandon(approvalId: string, news: ApprovalNews): Promise<boolean>;
  /** Every request that waits for an answer and has time left, oldest first. */
  pending(): Promise<readonly ApprovalRequest[]>;

  /** Says that a run is there, for so many milliseconds from now; 0: that it has ended. */
  keepAlive(runId: string, forMs: number): Promise<void>;
  /** True as long as a run has said that it is there. */
  isAlive(runId: string): Promise<boolean>;
  overdue(): Promise<Overdue>;

  /** Remembers a grant of a session of this run. */
  saveGrant(grant: Grant, runId: string, news: ApprovalNews): Promise<void>;
  /** What a session was granted; with null, what any was whose run is heard of. */
  grants(sessionId: string | null): Promise<readonly Grant[]>;
  findGrant(grantId: string): Promise<Grant | null>;
  /** Takes a grant back: true for one caller, once. */
  removeGrant(grantId: string, news: ApprovalNews): Promise<boolean>;

  /** What a channel wants to find again about a request, as where it was put. */
  note(approvalId: string, channel: string, text: string): Promise<void>;
  noted(approvalId: string, channel: string): Promise<string | null>;

  /** Keeps an event that comes with no step. */
  append(news: ApprovalNews): Promise<void>;
  /**
   * The events behind a number, of one run or of all, in the order of their numbers, at most `limit`; with null from the
   * first that is kept. A number that was seen stands for ever: none appears below it later. Throws `EVENTS_GONE`
   * when some of those behind the number are no longer kept.
   */
  eventsAfter(seq: number | null, limit: number, runId: string | null): Promise<readonly ApprovalEvent[]>;
  /** The number of the last event; −1 before the first. */
  lastSeq(): Promise<number>;
  /**
   * Calls back soon after anything changed, by whomever; perhaps also when nothing did. It may be late, but not by more
   * than a second.
   */
  watch(onChange: () => void): Disposable;
}
