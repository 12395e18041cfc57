import { setTimeout as pause } from "node:timers/promises";
import { MAX_AT_ONCE, otherTurns } from "../host/turns.ts";
import { keptBinding } from "../policy/bound-call.ts";
import { jsonSize } from "../policy/json-size.ts";
import { denied } from "../policy/not-run.ts";
import { requestsOf } from "./call-requests.ts";
import { earlierRequest, notAskedAbout, replaceRequest } from "./earlier.ts";
import type { CallRequestOptions, GateCheckOptions, GateOptions } from "./gate-options.ts";
import type { Approval, CallIdentity, DecidedCall, GateStop } from "./gate-result.ts";
import { approvalOf } from "./not-run.ts";
import { isRejectedByPerson, RejectionMemory } from "./rejection-memory.ts";
import { requestFor } from "./request-for.ts";
import { askedBy, isDeniedByReviewer } from "./reviewed.ts";
import { rememberedAnswer } from "./settle.ts";

/** Number of lookups, and the pause in milliseconds, for a request that another process is storing. */
const MAX_TRIES = 50;
const PAUSE_MS = 10;

/** Asks people about the calls of one session: a limited number at a time, and never again after three rejections. */
export class Asker {
  readonly #options: GateOptions;
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #rejections: RejectionMemory;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#rejections = new RejectionMemory(options.broker);
  }

  /** Asks, and waits if the session's calls do. With `storedAs`, only stores it under this id: `INTERNAL` if it is taken. */
  async ask(
    identity: CallIdentity,
    decided: DecidedCall,
    { signal, log, call, earlier = null, decideAgain }: CallRequestOptions,
    { storedAs = null, mayReview }: { readonly storedAs?: string | null; readonly mayReview: boolean },
  ): Promise<Approval | GateStop> {
    const { broker, host, handlers, wait, reviewer, maxPending, maxPendingBytes } = this.#options;
    const { cacheKey } = decided.grantKey;
    const decline = (by: "rejections" | "queue", reason: string): GateStop => {
      log.record({ type: "approval.auto", argsHash: decided.argsHash, approved: false, by: reason });
      return denied(by, reason);
    };
    if (await this.#rejections.isRejectedOften(cacheKey))
      return decline("rejections", "the same call was rejected three times in this session");
    const overruled = await reviewer?.overruled(decided.argsHash);
    if (overruled) return overruled;
    await otherTurns(call === null ? 0 : jsonSize(call.input, MAX_AT_ONCE));
    const approvalId = storedAs ?? host.id();
    const reviewed = { ...identity, approvalId };
    const review = mayReview ? ((await reviewer?.review(reviewed, decided, { signal, log })) ?? null) : null;
    const isBlocking = storedAs === null && wait.style === "block";
    const asked = { approvalId, waits: isBlocking, earlier, review };
    const request = await requestFor(identity, decided, asked, this.#options);
    const answer = await broker.request(request, {
      ...askedBy(request, handlers, isBlocking),
      present: decided.preview,
      signal,
      bounds: { maxPending, maxPendingBytes },
      call,
      ...(decided.bound === undefined ? {} : { bound: keptBinding(decided.bound) }),
      ...(decideAgain === undefined
        ? {}
        : { remembered: () => rememberedAnswer(decideAgain, decided, broker) }),
    });
    const { status } = answer;
    if (status === "not-sent") return decline("queue", answer.reason);
    const decision = status === "pending" ? null : answer;
    if (decision !== null) {
      log.answered(approvalId, decision);
      reviewer?.heard(request, decision);
    }
    this.#rejections.add(cacheKey, approvalId, decision);
    return approvalOf({ request, decision, status }, wait.onTimeout);
  }

  /** Checks a call without waiting: finds its request, or stores one. Throws if the store is unavailable. */
  async check(
    call: CallIdentity,
    decided: DecidedCall,
    options: GateCheckOptions,
  ): Promise<Approval | GateStop> {
    const { toolCallId, isUnique, mayAsk } = options;
    const { broker, host, wait } = this.#options;
    const find = async (id: string) => {
      const found = await requestsOf(broker, call, decided, id);
      return { ...found, state: found.same && approvalOf(found.same, wait.onTimeout) };
    };
    if (toolCallId === null)
      return this.ask(call, decided, options, { storedAs: host.id(), mayReview: true });
    return this.#inTurn(toolCallId, async () => {
      const { same, other, state, nextId } = await find(toolCallId);
      const isNo = same?.status === "expired" || isRejectedByPerson(same) || isDeniedByReviewer(same);
      const isFinal = isUnique && isNo;
      if (state !== null && (state.kind !== "denied" || isFinal || !mayAsk)) return state;
      const look = mayAsk ? replaceRequest : earlierRequest;
      const earlier = other && (await look(broker, other, decided));
      if (!mayAsk) return notAskedAbout(earlier);
      try {
        const asked = { storedAs: nextId, mayReview: earlier === null };
        return await this.ask(call, decided, { ...options, earlier }, asked);
      } catch (cause) {
        // Another session or process may be storing the same request right now: then it is used.
        for (let tries = 0; tries < MAX_TRIES; tries += 1) {
          const { state: current } = await find(toolCallId);
          if (current !== null && current.kind !== "denied") return current;
          await pause(PAUSE_MS);
        }
        throw cause;
      }
    });
  }

  /** Checks of one name run one after another: the second finds the request of the first. */
  async #inTurn<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.#turns.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#turns.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#turns.get(name) === mine) this.#turns.delete(name);
    }
  }
}
