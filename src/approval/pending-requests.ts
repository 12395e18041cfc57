import { CofferdamError, thrownText, visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { asOffered } from "../policy/as-offered.ts";
import type { Decision } from "../policy/decision.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Resolution } from "../store/store.ts";
import type { ApprovalLog } from "./approval-log.ts";
import { rejected } from "./factories.ts";
import { type ApprovalHandler, type Asking, HANDLER } from "./handler.ts";
import { BROKEN_HANDLER, NOBODY, UNASKED } from "./nobody.ts";
import { PendingRequest, type RequestOptions } from "./pending-request.ts";
import { readAnswer, readDecision } from "./read-decision.ts";
import { isForPerson } from "./reviewed.ts";

/** The answer to calls that can't be asked about any more. */
export const ENDED = rejected(NOBODY, "the supervisor has ended");
const EXPIRED: Decision = { status: "expired" };
const GIVEN_UP = rejected(NOBODY, "the call was cancelled before an answer");

/** Node fires a longer timer at once (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args). */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The requests that wait in this process until they are decided anywhere: asks handlers and applies answers. */
export class PendingRequests {
  readonly #host: Pick<Host, "now">;
  readonly #log: ApprovalLog;
  readonly #ended: AbortSignal;
  readonly #requests = new Map<string, PendingRequest>();
  readonly #attending = new Set<ApprovalHandler>();

  constructor(host: Pick<Host, "now">, log: ApprovalLog, ended: AbortSignal) {
    this.#host = host;
    this.#log = log;
    this.#ended = ended;
  }

  find(approvalId: string): PendingRequest | null {
    return this.#requests.get(approvalId) ?? null;
  }

  all(): readonly PendingRequest[] {
    return [...this.#requests.values()];
  }

  of(sessionId: string): readonly PendingRequest[] {
    return this.all().filter(({ request }) => request.sessionId === sessionId);
  }

  /** Adds a request that is about to be stored. Throws `INTERNAL` if its id waits already. */
  enqueue(request: ApprovalRequest, options: RequestOptions): PendingRequest {
    const { approvalId } = request;
    if (this.#requests.has(approvalId))
      throw new CofferdamError("INTERNAL", `duplicate request id ${visible(approvalId)}`);
    const pending = new PendingRequest(request, options);
    this.#requests.set(approvalId, pending);
    pending.abort.signal.addEventListener("abort", () => {
      this.#requests.delete(approvalId);
      clearTimeout(pending.timer);
    });
    return pending;
  }

  /** Asks handlers about a request that has just been stored, unless an answer arrived before. */
  async ask(pending: PendingRequest): Promise<void> {
    const { abort, options } = pending;
    const { signal, isBlocking } = options;
    pending.isOpen = true;
    await pending.deciding;
    if (abort.signal.aborted || this.#ended.aborted) return;
    const handlers = [...options.handlers, ...this.#attending];
    if (isBlocking && signal?.aborted === true) return this.#conclude(pending, GIVEN_UP);
    if (isBlocking && handlers.length === 0)
      return this.#conclude(pending, rejected(NOBODY, "no handler was available to ask"));
    const giveUp = () => void (pending.isBlocking && this.#conclude(pending, GIVEN_UP));
    // The listener is removed when the request is over: one signal can serve any number of calls.
    signal?.addEventListener("abort", giveUp, { once: true, signal: abort.signal });
    this.#startTimer(pending);
    for (const handler of handlers) void this.#askHandler(pending, handler);
  }

  /** Asks a further handler about the requests that wait, and about those to come until the result is called. */
  attend(handler: ApprovalHandler): () => void {
    this.#attending.add(handler);
    for (const pending of this.all()) if (pending.isOpen) void this.#askHandler(pending, handler);
    return () => this.#attending.delete(handler);
  }

  /** Asks attending handlers about a request of another process, or of this one before a restart. */
  async adopt(request: ApprovalRequest): Promise<void> {
    const { approvalId } = request;
    if (this.#attending.size === 0 || this.#ended.aborted || this.#requests.has(approvalId)) return;
    const present = async (): Promise<Presentation> => {
      const kept = (await this.#log.store.belongings(approvalId))?.presentation ?? null;
      return kept ?? { type: "text", content: request.description, metadata: {} };
    };
    const options = { handlers: [], present, signal: null, isBlocking: false, call: null };
    await this.ask(this.enqueue(request, options));
    // It may have been answered just before it was added here.
    this.applyRemote(approvalId).catch(() => undefined);
  }

  /** Answers a request: the first answer decides, later ones are recorded as ignored. */
  async respond(approvalId: string, decision: Decision, by: string): Promise<Resolution> {
    if (this.#ended.aborted) return "unknown";
    const stored = await this.#log.store.find(approvalId);
    // An answer to an id without a request decides nothing, even if a request arrives under it meanwhile.
    const resolution = stored === null ? "unknown" : await this.decide(stored.request, decision);
    if (resolution === "accepted") return resolution;
    if (resolution === "expired" && stored?.status === "pending") await this.decide(stored.request, EXPIRED);
    const who = "by" in decision ? decision.by : by;
    const body = { type: "approval.ignored", approvalId, by: who, because: resolution } as const;
    await this.#log.append(stored?.request ?? null, body);
    return resolution;
  }

  /** Applies a decision if it is the first. Throws if that fails; then the call here fails, unless it can still wait. */
  decide(request: ApprovalRequest, given: Decision): Promise<Resolution> {
    const { approvalId } = request;
    const decision = asOffered(request, given);
    const pending = this.find(approvalId);
    if (pending === null) return this.#log.inTurn(() => this.#log.decide(request, decision));
    return this.#inTurn(pending, async () => {
      try {
        const resolution = await this.#log.decide(request, decision);
        if (resolution === "accepted") pending.resolve(decision);
        else if (resolution !== "expired") await this.#applyStored(pending);
        return resolution;
      } catch (cause) {
        const isPending = async () => (await this.#log.store.find(approvalId))?.status === "pending";
        // A decision that was not recorded has no effect: the call receives the error.
        if (!(await isPending().catch(() => true))) pending.fail(cause);
        throw cause;
      }
    });
  }

  /** Applies a decision that another process, or another broker, made about a request that waits here. */
  async applyRemote(approvalId: string): Promise<void> {
    const pending = this.find(approvalId);
    if (pending !== null) await this.#inTurn(pending, () => this.#applyStored(pending));
  }

  /** Settles the calls that wait here and that a remembered answer covers by now. */
  async settle(): Promise<void> {
    const blocking = this.all().filter(({ isBlocking, isOpen }) => isBlocking && isOpen);
    for (const { request, options } of blocking) {
      const decision = (await options.remembered?.().catch(() => null)) ?? null;
      if (decision !== null) await this.decide(request, decision).catch(() => undefined);
    }
  }

  /** Rejects the waiting calls; a request that was left open stays so in the store. */
  async end(): Promise<void> {
    await Promise.allSettled(this.all().map(({ opening }) => opening));
    for (const pending of this.all()) if (!pending.isBlocking) pending.abort.abort();
    await Promise.all(this.all().map((pending) => this.#conclude(pending, ENDED)));
  }

  /** Decides for the call. If that can't be recorded, the call fails, and no answer can make it run. */
  async #conclude(pending: PendingRequest, decision: Decision): Promise<void> {
    await this.decide(pending.request, decision).catch((cause: unknown) => this.#failAndVoid(pending, cause));
  }

  async #applyStored(pending: PendingRequest): Promise<void> {
    if (pending.abort.signal.aborted) return;
    const stored = await this.#log.store.find(pending.request.approvalId);
    // A missing request may not be stored yet.
    if (stored === null ? !pending.isOpen : stored.status === "pending") return;
    const decision = stored?.decision ?? rejected(NOBODY, "the request is no longer known");
    try {
      // If no call waits, the later caller records it.
      if (pending.isBlocking) await this.#log.recordDecision(pending.request, decision);
      pending.resolve(decision);
    } catch (cause) {
      pending.fail(cause);
    }
  }

  #inTurn<Result>(pending: PendingRequest, step: () => Promise<Result>): Promise<Result> {
    const done = this.#log.inTurn(step);
    pending.deciding = done.catch(() => undefined);
    return done;
  }

  async #failAndVoid(pending: PendingRequest, cause: unknown): Promise<void> {
    pending.fail(cause);
    await this.#log.void(pending.request.approvalId);
  }

  #startTimer(pending: PendingRequest): void {
    const { expiresAt } = pending.request;
    if (expiresAt === null) return;
    const leftMs = Math.max(0, expiresAt - this.#host.now());
    const next = () =>
      void (leftMs > MAX_TIMER_MS ? this.#startTimer(pending) : this.#conclude(pending, EXPIRED));
    pending.timer = setTimeout(next, Math.min(leftMs, MAX_TIMER_MS));
    if (!pending.isBlocking) pending.timer.unref();
  }

  async #askHandler(pending: PendingRequest, handler: ApprovalHandler): Promise<void> {
    const { request, abort, asked, options } = pending;
    const { approvalId } = request;
    if (asked.includes(handler) || !(options.handlers.includes(handler) || isForPerson(request))) return;
    asked.push(handler);
    pending.unanswered += 1;
    let isAnswered = false;
    try {
      const given = await handler.requestApproval(request, this.#askingOf(pending));
      isAnswered = true;
      const answer = readAnswer(given, HANDLER);
      if (answer.status === "pending") pending.isSuspended = true;
      else await this.respond(approvalId, answer, HANDLER);
    } catch (cause) {
      if (this.#ended.aborted) return;
      pending.failure = thrownText(cause);
      const isBroken = isAnswered && cause instanceof CofferdamError && cause.code === "USAGE";
      pending.unasked = isBroken ? BROKEN_HANDLER : UNASKED;
      try {
        await this.#log.append(request, { type: "approval.failed", approvalId, reason: pending.failure });
      } catch (unwritten) {
        return this.#failAndVoid(pending, unwritten);
      }
    }
    pending.unanswered -= 1;
    if (pending.unanswered > 0 || abort.signal.aborted) return;
    if (!pending.isBlocking || pending.isSuspended) return pending.suspend();
    return this.#conclude(pending, rejected(NOBODY, `${pending.unasked}${pending.failure}`));
  }

  #askingOf({ request, present, isBlocking, abort }: PendingRequest): Asking {
    const { approvalId, sessionId } = request;
    const log = this.#log;
    return {
      signal: abort.signal,
      present,
      waiting: () => this.all().flatMap((one) => (one.isOpen ? [one.request] : [])),
      grants: () => log.store.grants(sessionId),
      revoke: (grantId, by) => log.revoke(grantId, by),
      isBlocking,
      respond: async (answer) => this.respond(approvalId, readDecision(answer, HANDLER), HANDLER),
      report: (news) => log.append(request, { ...news, approvalId }),
      outcome: () => log.store.find(approvalId),
      note: (channel, text) => log.store.note(approvalId, channel, text),
      noted: (channel) => log.store.noted(approvalId, channel),
    };
  }
}
