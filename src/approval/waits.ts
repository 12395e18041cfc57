import { thrownText } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Decision } from "../policy/decision.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Resolution, Store } from "../store/store.ts";
import { rejected } from "./factories.ts";
import type { Answer, ApprovalHandler, Asking } from "./handler.ts";
import { readAnswer } from "./read-decision.ts";
import type { Registry } from "./registry.ts";
import type { Waiting, WaitingRoom } from "./waiting-room.ts";

/** What the waits of one process work with. */
export interface WaitsOptions {
  readonly host: Pick<Host, "now">;
  readonly store: Store;
  readonly registry: Registry;
  readonly room: WaitingRoom;
  /** Answers a request as whoever answers from outside does. */
  readonly respond: (approvalId: string, answer: Answer, by: string) => Promise<Resolution>;
}

/** The waits of this process: each request that is put to handlers here, until it is decided, by whomever. */
export class Waits {
  readonly #options: WaitsOptions;
  #hasEnded = false;

  constructor(options: WaitsOptions) {
    this.#options = options;
  }

  /** Puts a request to handlers, from the moment on from which it is kept, unless the answer is known. */
  bring(waiting: Waiting, handlers: readonly ApprovalHandler[]): void {
    const { isHeld, over, signal, deciding } = waiting;
    waiting.isOpen = true;
    if (over.signal.aborted) return;
    if (deciding !== null) return void deciding.finally(() => this.bring(waiting, handlers));
    const giveUp = (): void => {
      // Once every handler has left it open, the call has ended and its signal means nothing to the request.
      if (isStandingStill(waiting)) void this.#end(waiting, GIVEN_UP);
    };
    if (this.#hasEnded) return void this.#letGo(waiting);
    if (isHeld && signal?.aborted === true) return void this.#end(waiting, GIVEN_UP);
    if (isHeld && handlers.length === 0) return void this.#end(waiting, NOBODY_THERE);
    // The listener goes when the wait is over, so that one signal can serve any number of calls.
    signal?.addEventListener("abort", giveUp, { once: true, signal: over.signal });
    this.#limit(waiting);
    this.ask(waiting, handlers);
  }

  /** Puts a request to further handlers. */
  ask(waiting: Waiting, handlers: readonly ApprovalHandler[]): void {
    const fresh = handlers.filter((handler) => !waiting.asked.includes(handler));
    waiting.asked = [...waiting.asked, ...fresh];
    waiting.open += fresh.length;
    for (const handler of fresh)
      this.#ask(waiting, handler).catch((cause: unknown) => this.#fail(waiting, cause));
  }

  /** Decides once: what the store takes first is written down, and then counts for whoever waits. */
  async decide(request: ApprovalRequest, given: Decision): Promise<Resolution> {
    // What could not be shown whole was not offered for the session, so nobody can have meant it.
    const decision: Decision =
      given.status === "approved" && request.covers === null ? { ...given, scope: "once" } : given;
    const waiting = this.#options.room.find(request.approvalId);
    if (waiting === null) return this.#options.registry.decide(request, decision);
    const deciding = this.#decide(waiting, decision);
    waiting.deciding = deciding.catch(() => undefined);
    return deciding;
  }

  async #decide(waiting: Waiting, decision: Decision): Promise<Resolution> {
    const { request } = waiting;
    try {
      const resolution = await this.#options.registry.decide(request, decision);
      waiting.deciding = null;
      if (resolution === "accepted") this.#settle(waiting, decision);
      else if (resolution !== "expired") await this.learn(waiting);
      return resolution;
    } catch (cause) {
      // Where it was decided and can't be written down, it is void: the call learns why.
      const status = await this.#statusOf(request.approvalId);
      waiting.deciding = null;
      if (status !== "pending") this.#giveUp(waiting, cause);
      throw cause;
    }
  }

  /** An answer that came by another process, or another broker, counts for whoever waits here. */
  async learn(waiting: Waiting): Promise<void> {
    const { store, registry, room } = this.#options;
    const { request } = waiting;
    const stored = await store.find(request.approvalId);
    // What is being kept right now is there for others before this process knows that it is.
    if (stored?.status === "pending" || (stored === null && !waiting.isOpen)) return;
    // From here to where it is set nothing else comes between: an answer is written down once.
    if (waiting.deciding !== null || room.find(request.approvalId) !== waiting) return;
    const decision = stored?.decision ?? rejected("nobody", "it is not known any more");
    // What nobody stands still for is put away, and whoever runs it will write it down.
    const written = waiting.isHeld ? registry.learn(request, decision) : Promise.resolve();
    waiting.deciding = written.catch(() => undefined);
    try {
      await written;
      this.#settle(waiting, decision);
    } catch (cause) {
      await this.#fail(waiting, cause);
    }
  }

  /** Nothing is asked any more. */
  close(): void {
    this.#hasEnded = true;
  }

  /** Lets go of everyone: a call that stands still gets a no, what was left open stays so in the store. */
  async end(): Promise<void> {
    this.close();
    await Promise.all(this.#options.room.all().map((waiting) => this.#letGo(waiting)));
  }

  async #letGo(waiting: Waiting): Promise<void> {
    if (isStandingStill(waiting)) return this.#end(waiting, THE_END);
    this.#options.room.leave(waiting);
  }

  /** Ends the wait when its time is over. */
  #limit(waiting: Waiting): void {
    const { expiresAt } = waiting.request;
    if (expiresAt === null) return;
    const leftMs = Math.max(0, expiresAt - this.#options.host.now());
    const isLast = leftMs <= LONGEST_TIMER_MS;
    waiting.timer = setTimeout(
      () => (isLast ? void this.#end(waiting, { status: "expired" }) : this.#limit(waiting)),
      Math.min(leftMs, LONGEST_TIMER_MS),
    );
    // What nobody stands still for keeps no process alive.
    if (!waiting.isHeld) waiting.timer.unref();
  }

  async #ask(waiting: Waiting, handler: ApprovalHandler): Promise<void> {
    const { request, over } = waiting;
    const { approvalId } = request;
    try {
      const answer = readAnswer(await handler.requestApproval(request, this.#asking(waiting)), HANDLER);
      if (answer.status === "pending") waiting.isPending = true;
      else await this.#options.respond(approvalId, answer, HANDLER);
    } catch (cause) {
      if (this.#hasEnded) return;
      waiting.failure = thrownText(cause);
      const reason = waiting.failure;
      await this.#options.registry.tell(request, { type: "approval.failed", approvalId, reason });
    }
    waiting.open -= 1;
    if (waiting.open > 0 || over.signal.aborted) return;
    if (isStandingStill(waiting))
      return this.#end(
        waiting,
        rejected("nobody", `nobody could be asked: ${waiting.failure ?? "none did"}`),
      );
    waiting.timer?.unref();
    waiting.settle({ status: "pending" });
  }

  #asking({ request, over, present, isHeld }: Waiting): Asking {
    const { store, room, registry, respond } = this.#options;
    const { approvalId, sessionId } = request;
    return {
      signal: over.signal,
      present,
      waiting: () => room.all().flatMap((one) => (one.isOpen ? [one.request] : [])),
      grants: () => store.grants(sessionId),
      revoke: (grantId, by) => registry.revoke(grantId, by),
      isHeld,
      respond: (decision) => respond(approvalId, decision, HANDLER),
      tell: (news) => registry.tell(request, { ...news, approvalId }),
      outcome: () => store.find(approvalId),
      note: (channel, text) => store.note(approvalId, channel, text),
      noted: (channel) => store.noted(approvalId, channel),
    };
  }

  /** Decides for whoever waits here. */
  async #end(waiting: Waiting, decision: Decision): Promise<void> {
    try {
      await this.decide(waiting.request, decision);
    } catch (cause) {
      await this.#fail(waiting, cause);
    }
  }

  #settle(waiting: Waiting, decision: Decision): void {
    this.#options.room.leave(waiting);
    waiting.settle(decision);
  }

  /** Ends a wait that can't go on, as when nothing can be written down. */
  async #fail(waiting: Waiting, cause: unknown): Promise<void> {
    this.#giveUp(waiting, cause);
    await this.#options.registry.void(waiting.request.approvalId);
  }

  #giveUp(waiting: Waiting, cause: unknown): void {
    this.#options.room.leave(waiting);
    waiting.fail(cause);
  }

  /** Where a request is in its life; `pending` also where nobody can say it. */
  async #statusOf(approvalId: string): Promise<string> {
    try {
      return (await this.#options.store.find(approvalId))?.status ?? "gone";
    } catch {
      return "pending";
    }
  }
}

/** Who answered, where a handler does not say it. */
export const HANDLER = "the handler";

const GIVEN_UP = rejected("nobody", "the call was given up before anybody answered");
const NOBODY_THERE = rejected("nobody", "nobody was there to ask");
/** What whoever still waits is told. */
export const THE_END = rejected("nobody", "the supervisor has ended");

/** Node ends a longer timer at once (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** True as long as a call waits for the answer. */
function isStandingStill({ isHeld, isPending, open }: Waiting): boolean {
  return isHeld && !(isPending && open === 0);
}
