import { setTimeout as pause } from "node:timers/promises";
import type { Host } from "../host/look/host.ts";
import { RecentMap } from "../host/recent-map.ts";
import { MAX_AT_ONCE, otherTurns } from "../host/turns.ts";
import type { CallLog } from "../journal/call-log.ts";
import { keptBinding } from "../policy/bound-call.ts";
import { jsonSize } from "../policy/json-size.ts";
import type { KeptCall } from "../policy/kept-call.ts";
import type { EarlierRequest } from "../policy/request.ts";
import type { Broker } from "./broker.ts";
import { requestsOf } from "./call-requests.ts";
import { earlierRequest, notAskedAbout, replaceRequest } from "./earlier.ts";
import type { Approval, CallIdentity, DecidedCall, GateStop } from "./gate-result.ts";
import type { ApprovalHandler } from "./handler.ts";
import { approvalOf, denied, isRejectedByPerson } from "./not-run.ts";
import type { PendingBounds } from "./pending-request.ts";
import { requestFor } from "./request-for.ts";
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

/** After this many rejections of the same call, no person is asked about it again. */
const MAX_REJECTIONS = 3;
/** Maximum of calls that are remembered as asked, and of requests of each; the oldest is forgotten first. */
const MAX_REMEMBERED = 1_000;
/** Number of lookups, and the pause in milliseconds, for a request that another process is storing. */
const MAX_TRIES = 50;
const PAUSE_MS = 10;

/** Asks people about the calls of one session: a limited number at a time, and never again after three rejections. */
export class Asker {
  readonly #options: GateOptions;
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Requests by call and id: true for a person's rejection, false if unanswered when last looked up. */
  readonly #asked = new RecentMap<string, RecentMap<string, boolean>>(MAX_REMEMBERED);

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Asks, and waits if the session's calls do. With `storedAs`, only stores it under this id: `INTERNAL` if it is taken. */
  async ask(
    identity: CallIdentity,
    decided: DecidedCall,
    { signal, log, call, earlier = null }: CallRequestOptions,
    storedAs: string | null = null,
  ): Promise<Approval | GateStop> {
    const { broker, host, handlers, wait, client, maxPending, maxPendingBytes, ...around } = this.#options;
    const { cacheKey } = decided.grantKey;
    const decline = (reason: string, hint: string): GateStop => {
      log.record({ type: "approval.auto", argsHash: decided.argsHash, approved: false, by: reason });
      return denied("APPROVAL_DENIED", reason, hint);
    };
    if (await this.#isRejectedOften(cacheKey))
      return decline("the same call was rejected three times in this session", "make another call");
    await otherTurns(call === null ? 0 : jsonSize(call.input, MAX_AT_ONCE));
    const createdAt = host.now();
    const approvalId = storedAs ?? host.id();
    const isBlocking = storedAs === null && wait.style === "block";
    const request = requestFor(identity, decided, {
      ...around,
      ...(client === null ? {} : { client }),
      ...(earlier === null ? {} : { earlier }),
      waits: isBlocking,
      approvalId,
      createdAt,
      expiresAt: deadlineOf(wait, createdAt),
    });
    const answer = await broker.request(request, {
      handlers,
      present: decided.preview,
      signal,
      isBlocking,
      bounds: { maxPending, maxPendingBytes },
      call,
      ...(decided.bound === undefined ? {} : { bound: keptBinding(decided.bound) }),
    });
    const { status } = answer;
    if (status === "not-sent") return decline(answer.reason, "wait for answers, or make a smaller call");
    const decision = status === "pending" ? null : answer;
    if (decision !== null) log.answered(approvalId, decision);
    const isRejected = isRejectedByPerson({ decision });
    if (decision === null || isRejected) {
      const requests = this.#asked.get(cacheKey) ?? new RecentMap<string, boolean>(MAX_REMEMBERED);
      this.#asked.set(cacheKey, requests.set(approvalId, isRejected));
    }
    return approvalOf({ request, decision, status }, wait.onTimeout);
  }

  /** Checks a call without waiting: finds its request, or stores one. Throws if the store is unavailable. */
  async check(
    call: CallIdentity,
    decided: DecidedCall,
    options: GateCheckOptions,
  ): Promise<Approval | GateStop> {
    const { toolCallId, isUnique, mayAsk } = options;
    const { broker, wait } = this.#options;
    const find = async (id: string) => {
      const found = await requestsOf(broker, call, decided, id);
      return { ...found, state: found.same && approvalOf(found.same, wait.onTimeout) };
    };
    if (toolCallId === null) return this.ask(call, decided, options, this.#options.host.id());
    return this.#inTurn(toolCallId, async () => {
      const { same, other, state, nextId } = await find(toolCallId);
      const isFinal = isUnique && (same?.status === "expired" || isRejectedByPerson(same));
      if (state !== null && (state.kind !== "denied" || isFinal || !mayAsk)) return state;
      const look = mayAsk ? replaceRequest : earlierRequest;
      const earlier = other && (await look(broker, other, decided));
      if (!mayAsk) return notAskedAbout(earlier);
      try {
        return await this.ask(call, decided, { ...options, earlier }, nextId);
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

  /** True after enough rejections by people. Requests that were unanswered are looked up: a late rejection counts. */
  async #isRejectedOften(cacheKey: string): Promise<boolean> {
    const requests = this.#asked.get(cacheKey) ?? new Map<string, boolean>();
    for (const [approvalId, isRejected] of requests) {
      const stored = isRejected ? null : await this.#options.broker.find(approvalId);
      if (isRejected || stored?.status === "pending") continue;
      if (isRejectedByPerson(stored)) requests.set(approvalId, true);
      else requests.delete(approvalId);
    }
    return [...requests.values()].filter(Boolean).length >= MAX_REJECTIONS;
  }
}
