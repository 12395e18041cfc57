import { CofferdamError, visible } from "../errors.ts";
import type { KeptCall } from "../policy/kept-call.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { ApprovalHandler, HandlerAnswer } from "./handler.ts";
import { once } from "./once.ts";

/** How a request is brought to people, and until when. */
export interface Bringing {
  readonly handlers: readonly ApprovalHandler[];
  readonly present: () => Promise<Presentation>;
  /** Aborted when the call is given up: then nobody needs to answer. */
  readonly signal: AbortSignal | null;
  /** False: the answer is not waited for. */
  readonly isBlocking: boolean;
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
  /** Of each session, how many. */
  readonly #counts = new Map<string, number>();
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
      isOpen: false,
      deciding: null,
      open: 0,
      isPending: false,
      failure: null,
    };
    this.#waiting.set(request.approvalId, waiting);
    if (isBlocking) this.#onHeld(1);
    this.#counts.set(request.sessionId, this.countOf(request.sessionId) + 1);
    return { waiting, answered: promise };
  }

  /** Puts a request away: its timer, its listeners and its question. */
  leave({ request, over, timer, isHeld }: Waiting): void {
    if (!this.#waiting.delete(request.approvalId)) return;
    const left = this.countOf(request.sessionId) - 1;
    if (left > 0) this.#counts.set(request.sessionId, left);
    else this.#counts.delete(request.sessionId);
    if (isHeld) this.#onHeld(-1);
    if (timer !== null) clearTimeout(timer);
    over.abort();
  }

  find(approvalId: string): Waiting | null {
    return this.#waiting.get(approvalId) ?? null;
  }

  countOf(sessionId: string): number {
    return this.#counts.get(sessionId) ?? 0;
  }

  all(): readonly Waiting[] {
    return [...this.#waiting.values()];
  }
}
