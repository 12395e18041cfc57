import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { RecentMap } from "../host/recent-map.ts";
import { MAX_AT_ONCE, otherTurns } from "../host/turns.ts";
import { jsonSize } from "../policy/json-size.ts";
import type { StoredRequest } from "../store/store.ts";
import { rejected } from "./factories.ts";
import type { CallRequestOptions, GateCheckOptions, GateOptions } from "./gate-options.ts";
import type { Approval, CallIdentity, DecidedCall, GateStop } from "./gate-result.ts";
import { ASK_AGAIN, approvalOf, denied, isRejectedByPerson, NOBODY } from "./not-run.ts";
import { requestFor } from "./request-for.ts";
import { rememberedAnswer } from "./settle.ts";

/** After this many rejections of the same call, no person is asked about it again. */
const MAX_REJECTIONS = 3;
/** Maximum of calls that are remembered as asked, and of requests of each; the oldest is forgotten first. */
const MAX_REMEMBERED = 1_000;
/** Number of lookups, and the pause in milliseconds, for a request that another process is storing. */
const MAX_TRIES = 50;
const PAUSE_MS = 10;

const CHANGED = denied(
  "APPROVAL_DENIED",
  "no request exists for exactly this call: it has changed since, or was never asked about",
  ASK_AGAIN,
);

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
    { signal, log, call, decideAgain }: CallRequestOptions,
    storedAs: string | null = null,
  ): Promise<Approval | GateStop> {
    const { broker, host, handlers, wait, maxPending, maxPendingBytes } = this.#options;
    const { cacheKey } = decided.grantKey;
    const decline = (reason: string, hint: string): GateStop => {
      log.record({ type: "approval.auto", argsHash: decided.argsHash, approved: false, by: reason });
      return denied("APPROVAL_DENIED", reason, hint);
    };
    if (await this.#isRejectedOften(cacheKey))
      return decline("the same call was rejected three times in this session", "make another call");
    await otherTurns(call === null ? 0 : jsonSize(call.input, MAX_AT_ONCE));
    const approvalId = storedAs ?? host.id();
    const request = await requestFor(identity, decided, approvalId, this.#options);
    const answer = await broker.request(request, {
      handlers,
      present: decided.preview,
      signal,
      isBlocking: storedAs === null && wait.style === "block",
      bounds: { maxPending, maxPendingBytes },
      call,
      ...(decideAgain === undefined
        ? {}
        : { remembered: () => rememberedAnswer(decideAgain, decided, broker) }),
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
    if (toolCallId === null) return this.ask(call, decided, options, this.#options.host.id());
    return this.#inTurn(toolCallId, async () => {
      const { last, state, nextId } = await this.#lastRequest(call, decided, toolCallId);
      const isFinal = isUnique && (last?.status === "expired" || isRejectedByPerson(last));
      if (state !== null && (state.kind !== "denied" || isFinal || !mayAsk)) return state;
      if (!mayAsk) return CHANGED;
      try {
        return await this.ask(call, decided, options, nextId);
      } catch (cause) {
        // Another session or process may be storing the same request right now: then it is used.
        for (let tries = 0; tries < MAX_TRIES; tries += 1) {
          const found = await this.#lastRequest(call, decided, toolCallId);
          if (found.state !== null && found.state.kind !== "denied") return found.state;
          await pause(PAUSE_MS);
        }
        throw cause;
      }
    });
  }

  /** Closes the request about a call that the rules allow now. */
  async dismiss(call: CallIdentity, decided: DecidedCall, { toolCallId }: GateCheckOptions): Promise<void> {
    if (toolCallId === null) return;
    const { last } = await this.#lastRequest(call, decided, toolCallId);
    if (last?.status !== "pending") return;
    const no = rejected(NOBODY, "the rules allow the call now, so no answer is needed");
    await this.#options.broker.decide(last.request.approvalId, no, NOBODY);
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

  /** The last request of a call, and the next id. Numbers have no gaps: doubling steps and bisection find the last. */
  async #lastRequest(call: CallIdentity, { argsHash }: DecidedCall, toolCallId: string) {
    const idOf = (count: number): string => requestId(call, argsHash, toolCallId, count);
    const found: { last: StoredRequest | null; count: number } = { last: null, count: 0 };
    const advance = async (step: number): Promise<boolean> => {
      const next = await this.#options.broker.find(idOf(found.count + step - 1));
      if (next !== null) Object.assign(found, { last: next, count: found.count + step });
      return next !== null;
    };
    let step = 1;
    while (await advance(step)) step *= 2;
    for (step = Math.floor(step / 2); step > 0; step = Math.floor(step / 2)) await advance(step);
    const { last, count } = found;
    return { last, state: last && approvalOf(last, this.#options.wait.onTimeout), nextId: idOf(count) };
  }
}

/** An id derived from the call, so that every process finds it: a UUID of our own form (RFC 9562, version 8). */
function requestId({ tool, agent }: CallIdentity, argsHash: string, name: string, count: number): string {
  const of = JSON.stringify([tool, agent, argsHash, name, count]);
  const hex = createHash("sha256").update(of).digest("hex");
  const variant = "89ab"[Number.parseInt(hex[16] ?? "0", 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
