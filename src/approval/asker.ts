import { setTimeout as pause } from "node:timers/promises";
import type { Host } from "../host/look/host.ts";
import { MAX_AT_ONCE, otherTurns } from "../host/turns.ts";
import type { CallLog } from "../journal/call-log.ts";
import { keptBinding } from "../policy/bound-call.ts";
import { jsonSize } from "../policy/json-size.ts";
import type { KeptCall } from "../policy/kept-call.ts";
import { denied } from "../policy/not-run.ts";
import type { EarlierRequest } from "../policy/request.ts";
import type { Broker } from "./broker.ts";
import { requestsOf } from "./call-requests.ts";
import { notAskedAbout, replaceRequest } from "./earlier.ts";
import type { Approval, CallIdentity, DecidedCall, GateStop } from "./gate-result.ts";
import type { ApprovalHandler } from "./handler.ts";
import { approvalOf, isRejectedByPerson } from "./not-run.ts";
import type { PendingBounds } from "./pending-request.ts";
import { RejectionMemory } from "./rejection-memory.ts";
import { requestFor } from "./request-for.ts";
import { askedBy, isDeniedByReviewer } from "./reviewed.ts";
import type { SessionReviewer } from "./reviewer.ts";
import { deadlineOf, type Wait } from "./wait.ts";

/** Handlers, waiting times, session and limits of a gate. */
export interface GateOptions extends PendingBounds {
  readonly broker: Broker;
  readonly host: Pick<Host, "now" | "id">;
  readonly runId: string;
  readonly sessionId: string;
  /** The folder by which people know the session's project. */
  readonly project: string;
  readonly handlers: readonly ApprovalHandler[];
  readonly wait: Wait;
  /** Sessions of one client are counted together; null counts each by itself. */
  readonly client: string | null;
  readonly sessionGrants: boolean;
  /** The program, service or function that may answer first. */
  readonly reviewer?: SessionReviewer | null;
}

export interface CallRequestOptions {
  readonly signal: AbortSignal | null;
  readonly log: CallLog;
  /** The data for running the call later; null if only its caller can run it. */
  readonly call: KeptCall | null;
  /** The request before the call changed, which people are told of. */
  readonly earlier?: EarlierRequest | null;
}

export interface GateCheckOptions extends CallRequestOptions {
  /** The name that the caller's framework gives the call: any process finds its request by this name. */
  readonly toolCallId: string | null;
  /** False: only existing requests count. */
  readonly mayAsk: boolean;
  /** True if no other call ever has this name: a rejection of it is then final. */
  readonly isUnique: boolean;
}

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
    { signal, log, call, earlier = null }: CallRequestOptions,
    { storedAs = null, mayReview }: { readonly storedAs?: string | null; readonly mayReview: boolean },
  ): Promise<Approval | GateStop> {
    const { broker, host, handlers, wait, client, reviewer, maxPending, maxPendingBytes, ...around } =
      this.#options;
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
    const createdAt = host.now();
    const isBlocking = storedAs === null && wait.style === "block";
    const request = requestFor(identity, decided, {
      ...around,
      ...(client === null ? {} : { client }),
      ...(review === null ? {} : { review }),
      ...(earlier === null ? {} : { earlier }),
      waits: isBlocking,
      approvalId,
      createdAt,
      expiresAt: deadlineOf(wait, createdAt),
    });
    const answer = await broker.request(request, {
      ...askedBy(request, handlers, isBlocking),
      present: decided.preview,
      signal,
      bounds: { maxPending, maxPendingBytes },
      call,
      ...(decided.bound === undefined ? {} : { bound: keptBinding(decided.bound) }),
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
      const earlier = other && (await replaceRequest(broker, other, decided));
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
