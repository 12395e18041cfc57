import type { Host } from "../host/host.ts";
import { RecentMap } from "../host/recent-map.ts";
import { MAX_AT_ONCE, otherTurns } from "../host/turns.ts";
import type { Trail } from "../journal/trail.ts";
import type { Decision } from "../policy/decision.ts";
import { jsonSize } from "../policy/json-size.ts";
import type { KeptCall } from "../policy/kept-call.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Broker } from "./broker.ts";
import type { ApprovalHandler } from "./handler.ts";
import type { Asker, Question } from "./question.ts";
import { Rejections } from "./rejections.ts";
import { requestFor } from "./request-for.ts";
import { type Denied, denied, NOBODY, pending, refused, type Stop } from "./stops.ts";
import { deadlineOf, type Wait } from "./wait.ts";

/** Whom a gate asks, how long it waits, and for whom. */
export interface GateOptions {
  readonly broker: Broker;
  readonly host: Pick<Host, "now" | "id">;
  readonly runId: string;
  readonly sessionId: string;
  /** The folder that people know the session's project by. */
  readonly project: string;
  readonly handlers: readonly ApprovalHandler[];
  readonly wait: Wait;
  /** Whose sessions are counted together, by name; null where each is counted by itself. */
  readonly client: string | null;
  /** So many questions of the session, and of its client, may wait at once; null: any number. */
  readonly mostPending: number | null;
  /** So many bytes may be kept for them meanwhile. */
  readonly mostPendingBytes: number;
  /** False: a yes can't be remembered. */
  readonly sessionGrants: boolean;
}

/** How one question is put. */
export interface PutOptions {
  readonly signal: AbortSignal | null;
  /** Where it is written down. */
  readonly trail: Trail;
  /** What it takes to make the call later; null where only its caller can make it. */
  readonly call: KeptCall | null;
}

/** A yes to a request that nobody has used. */
export interface Yes {
  readonly kind: "approved";
  readonly decision: Extract<Decision, { readonly status: "approved" }>;
  readonly request: ApprovalRequest;
}

/** So many different questions that were left open are looked at again, and so many of each. */
const MOST_LEFT_OPEN = 1_000;

/** Puts the questions of one session to people: not too many at once, and none that was answered no often enough. */
export class Questions {
  readonly #options: GateOptions;
  readonly #rejections = new Rejections();
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Of each cache key, the requests that nobody stood still for. */
  readonly #leftOpen = new RecentMap<string, readonly string[]>(MOST_LEFT_OPEN);

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Puts it, and waits for the answer where the session's calls do. */
  put(asker: Asker, asked: Question, options: PutOptions): Promise<Yes | Stop> {
    const { host, wait } = this.#options;
    return this.#put(asker, asked, { ...options, approvalId: host.id(), wait });
  }

  /** Puts it under this id and leaves it open, for as long as one has for which a call stands still. Throws `INTERNAL` where the id stands for one already. */
  async leaveOpen(
    asker: Asker,
    asked: Question,
    options: PutOptions & { readonly approvalId: string },
  ): Promise<Stop> {
    const put = await this.#put(asker, asked, {
      ...options,
      wait: { ...this.#options.wait, style: "suspend" },
    });
    return put.kind === "approved" ? pending(put.request) : put;
  }

  /** One after another, of those with the same name. */
  async inTurn<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.#turns.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#turns.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#turns.get(name) === mine) this.#turns.delete(name);
    }
  }

  async #put(
    asker: Asker,
    asked: Question,
    { approvalId, wait, signal, trail, call }: Put,
  ): Promise<Yes | Stop> {
    const { broker, host, runId, handlers, sessionId, project, client, sessionGrants } = this.#options;
    const { mostPending, mostPendingBytes } = this.#options;
    const { cacheKey } = asked.grantKey;
    const decline = (reason: string, hint: string): Denied => {
      trail.record({ type: "approval.auto", argsHash: asked.argsHash, approved: false, by: reason });
      return denied("APPROVAL_DENIED", reason, hint);
    };
    await this.#hear(cacheKey);
    if (this.#rejections.isEnough(cacheKey))
      return decline("the same was answered no three times in this session", "ask for something else");
    if (mostPending !== null && broker.countWaiting(sessionId) >= mostPending)
      return decline(`${mostPending} questions of this session wait already`, "wait for their answers");
    await otherTurns(call === null ? 0 : jsonSize(call.input, MAX_AT_ONCE));
    const createdAt = host.now();
    const request = requestFor(asker, asked, {
      approvalId,
      runId,
      sessionId,
      project,
      ...(client === null ? {} : { client }),
      createdAt,
      expiresAt: deadlineOf(wait, createdAt),
      sessionGrants,
    });
    const answer = await broker.request(request, {
      handlers,
      present: asked.present,
      signal,
      isBlocking: wait.style === "block",
      bounds: { mostPending, mostPendingBytes },
      call,
    });
    if (answer.status === "unasked")
      return decline(answer.reason, "wait for answers, or ask for something smaller");
    if (answer.status === "pending") {
      this.#leave(cacheKey, approvalId);
      return pending(request);
    }
    trail.answered(request.approvalId, answer);
    return this.#read(request, answer);
  }

  #leave(cacheKey: string, approvalId: string): void {
    const before = this.#leftOpen.get(cacheKey) ?? [];
    this.#leftOpen.set(cacheKey, [...before, approvalId].slice(-MOST_LEFT_OPEN));
  }

  /** What was left open may have been answered no since: that counts like any other no. */
  async #hear(cacheKey: string): Promise<void> {
    const { broker } = this.#options;
    const open: string[] = [];
    for (const approvalId of this.#leftOpen.get(cacheKey) ?? []) {
      const stored = await broker.find(approvalId);
      if (stored?.status === "pending") open.push(approvalId);
      else if (stored?.decision?.status === "rejected") this.#read(stored.request, stored.decision);
    }
    if (open.length === 0) this.#leftOpen.delete(cacheKey);
    else this.#leftOpen.set(cacheKey, open);
  }

  #read(request: ApprovalRequest, decision: Decision): Yes | Stop {
    if (decision.status === "approved") return { kind: "approved", decision, request };
    if (decision.status === "rejected" && decision.by !== NOBODY)
      this.#rejections.add(request.cacheKey, request.approvalId);
    return refused(request, decision, this.#options.wait.onTimeout);
  }
}

interface Put extends PutOptions {
  readonly approvalId: string;
  readonly wait: Wait;
}
