import { CofferdamError, visible } from "../errors.ts";
import type { KeptCall } from "../policy/kept-call.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { ApprovalHandler, HandlerAnswer } from "./handler.ts";
import { once } from "./once.ts";

/** How much may wait for answers at once. */
export interface PendingBounds {
  /** Requests of a session, and of a client in all its sessions; null: any number. */
  readonly mostPending: number | null;
  /** What is kept for the requests of a session, and for those of a client, in bytes. */
  readonly mostPendingBytes: number;
}

/** How a request is brought to people, and until when. */
export interface Bringing {
  readonly handlers: readonly ApprovalHandler[];
  readonly present: () => Promise<Presentation>;
  /** Aborted when the call is given up: then nobody needs to answer. */
  readonly signal: AbortSignal | null;
  /** False: the answer is not waited for. */
  readonly isBlocking: boolean;
  /** How much may wait; without it, any amount. */
  readonly bounds?: PendingBounds;
  /** What it takes to make the call later; null where only its caller can make it. */
  readonly call: KeptCall | null;
}

/** A request that somebody in this process waits for. */
export interface Waiting {
  readonly request: ApprovalRequest;
  /** What to look at; made when first asked for. */
  readonly present: () => Promise<Presentation>;
  /** Aborted when it is over: then whoever asks puts the question away. */
  readonly over: AbortController;
  /** A call stands still until the answer. */
  readonly isHeld: boolean;
  /** Aborted when the call is given up. */
  readonly signal: AbortSignal | null;
  /** Whom it was brought to. */
  asked: readonly ApprovalHandler[];
  readonly settle: (answer: HandlerAnswer) => void;
  readonly fail: (error: unknown) => void;
  timer: NodeJS.Timeout | null;
  /** What is kept for it, in bytes; null where it is not counted here, as for one of another process. */
  bytes: number | null;
  /** It is kept: it can be answered, and is for people to see. */
  isOpen: boolean;
  /** An answer that came by here is being written down; ends when that is done, or failed. */
  deciding: Promise<unknown> | null;
  /** Handlers that have not answered yet. */
  open: number;
  /** One of them said that the answer will come later. */
  isPending: boolean;
  /** Why the last one that failed did. */
  failure: string | null;
}

/** Every request that waits in this process, in the order in which they came. */
export class WaitingRoom {
  readonly #waiting = new Map<string, Waiting>();
  /** Of each session, how many, and how much is kept for them. */
  readonly #tallies = new Map<string, Tally>();
  #bytes = 0;
  readonly #onHeld: (change: 1 | -1) => void;

  /** `onHeld` hears of each call that begins to stand still here, or no longer does. */
  constructor(onHeld: (change: 1 | -1) => void = () => undefined) {
    this.#onHeld = onHeld;
  }

  /** A request that is about to be put to people, and its answer. Throws `INTERNAL` where its id waits already. */
  enter(
    request: ApprovalRequest,
    { present, isBlocking, signal }: Pick<Bringing, "present" | "isBlocking" | "signal">,
  ): { readonly waiting: Waiting; readonly answered: Promise<HandlerAnswer> } {
    if (this.#waiting.has(request.approvalId))
      throw new CofferdamError(
        "INTERNAL",
        `a request waits under the id ${visible(request.approvalId)} already`,
      );
    const { promise, resolve, reject } = Promise.withResolvers<HandlerAnswer>();
    const waiting: Waiting = {
      request,
      present: once(present),
      over: new AbortController(),
      isHeld: isBlocking,
      signal,
      asked: [],
      settle: resolve,
      fail: reject,
      timer: null,
      bytes: null,
      isOpen: false,
      deciding: null,
      open: 0,
      isPending: false,
      failure: null,
    };
    this.#waiting.set(request.approvalId, waiting);
    if (isBlocking) this.#onHeld(1);
    this.#tally(request.sessionId, 1, 0);
    return { waiting, answered: promise };
  }

  /** So many bytes are kept for a request from now on. */
  keep(waiting: Waiting, bytes: number): void {
    waiting.bytes = bytes;
    this.#tally(waiting.request.sessionId, 0, bytes);
  }

  /** Puts a request away: its timer, its listeners and its question. */
  leave({ request, over, timer, isHeld, bytes }: Waiting): void {
    if (!this.#waiting.delete(request.approvalId)) return;
    this.#tally(request.sessionId, -1, -(bytes ?? 0));
    if (isHeld) this.#onHeld(-1);
    if (timer !== null) clearTimeout(timer);
    over.abort();
  }

  find(approvalId: string): Waiting | null {
    return this.#waiting.get(approvalId) ?? null;
  }

  countOf(sessionId: string): number {
    return this.#tallies.get(sessionId)?.count ?? 0;
  }

  /** What is kept for the requests of a session. */
  bytesOf(sessionId: string): number {
    return this.#tallies.get(sessionId)?.bytes ?? 0;
  }

  /** What is kept for all requests of this process. */
  get bytes(): number {
    return this.#bytes;
  }

  all(): readonly Waiting[] {
    return [...this.#waiting.values()];
  }

  #tally(sessionId: string, more: number, moreBytes: number): void {
    const { count, bytes } = this.#tallies.get(sessionId) ?? { count: 0, bytes: 0 };
    this.#bytes += moreBytes;
    if (count + more === 0) this.#tallies.delete(sessionId);
    else this.#tallies.set(sessionId, { count: count + more, bytes: bytes + moreBytes });
  }
}

interface Tally {
  readonly count: number;
  readonly bytes: number;
}
