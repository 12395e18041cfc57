import type { BoundCall } from "../policy/bound-call.ts";
import type { Decision } from "../policy/decision.ts";
import type { KeptCall } from "../policy/kept-call.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { ApprovalHandler, HandlerAnswer } from "./handler.ts";
import { UNASKED } from "./nobody.ts";
import { startOnce } from "./start-once.ts";

/** Limits of requests that wait at the same time. */
export interface PendingBounds {
  /** Requests of a session, and of a client in all its sessions; null: no maximum. */
  readonly maxPending: number | null;
  /** Maximum of stored bytes for the requests of a session, and for those of a client. */
  readonly maxPendingBytes: number;
}

/** How handlers are asked about a request, and until when. */
export interface RequestOptions {
  readonly handlers: readonly ApprovalHandler[];
  readonly present: () => Promise<Presentation>;
  /** Aborted when the call is given up: then no answer is needed. */
  readonly signal: AbortSignal | null;
  /** False: the caller does not wait for the answer. */
  readonly isBlocking: boolean;
  /** Without it, there is no maximum. */
  readonly bounds?: PendingBounds;
  /** The call, to be made later by any process; null if only its caller can make it. */
  readonly call: KeptCall | null;
  readonly bound?: BoundCall;
  /** The answer by what people have remembered since; null if nothing covers the call. */
  readonly remembered?: () => Promise<Decision | null>;
}

/** A request that waits in this process: one of its calls waits, or its handlers attend. */
export class PendingRequest {
  readonly request: ApprovalRequest;
  readonly options: RequestOptions;
  readonly present: () => Promise<Presentation>;
  /** True while its call waits: not after all handlers left the request open. */
  isBlocking: boolean;
  /** Aborted when the request is over: handlers dismiss their question. */
  readonly abort = new AbortController();
  readonly answer = Promise.withResolvers<HandlerAnswer>();
  /** Settles once it is stored, or with the reason if it may not wait. */
  opening: Promise<string | null> = Promise.resolve(null);
  /** True once it is stored and can be answered. */
  isOpen = false;
  /** Stored bytes of the request, if limited. */
  bytes = 0;
  timer: NodeJS.Timeout | undefined;
  /** Settles when the last answer has been applied. */
  deciding: Promise<unknown> | null = null;
  readonly asked: ApprovalHandler[] = [];
  /** How many of them have not answered yet. */
  unanswered = 0;
  /** True if a handler said that the answer will come later. */
  isSuspended = false;
  failure = "none did";
  /** The beginning of the note about the last failure. */
  unasked = UNASKED;

  constructor(request: ApprovalRequest, options: RequestOptions) {
    this.request = request;
    this.options = options;
    this.present = startOnce(options.present);
    this.isBlocking = options.isBlocking;
    // It may fail before its call waits for it, or without a call: then events report it.
    this.answer.promise.catch(() => undefined);
  }

  resolve(decision: Decision): void {
    this.abort.abort();
    this.answer.resolve(decision);
  }

  fail(cause: unknown): void {
    this.abort.abort();
    this.answer.reject(cause);
  }

  /** Ends the call: the answer comes later, and neither the call nor the process waits for it. */
  suspend(): void {
    this.isBlocking = false;
    this.timer?.unref();
    this.answer.resolve({ status: "pending" });
  }
}
