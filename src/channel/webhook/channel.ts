import { createHash } from "node:crypto";
import type { Answer, ApprovalHandler, Asking } from "../../approval/handler.ts";
import { CofferdamError } from "../../errors.ts";
import { AnySignal } from "../../host/any-signal.ts";
import { aborted, pause } from "../../host/pause.ts";
import { RecentMap } from "../../host/recent-map.ts";
import { asOffered } from "../../policy/as-offered.ts";
import type { Decision } from "../../policy/decision.ts";
import type { ApprovalRequest } from "../../policy/request.ts";
import { visibleStart } from "../foreign-text.ts";
import { type DeliveryResult, deliver } from "./delivery.ts";
import { AnswerMessage, isSentWhole, requestedMessage, settledMessage } from "./messages.ts";
import { type ReceivedHeaders, signWebhook, verifyWebhook } from "./signature.ts";

/** A receiver and the people who answer there. */
export interface WebhookChannelOptions {
  readonly url: string;
  readonly secret: string;
  readonly approvers: readonly string[];
  readonly onTrouble: (error: CofferdamError) => void;
}

/** The clock, the length of a second in pauses, and the maximum time of one try: shorter in tests. */
export interface WebhookTiming {
  readonly now: () => number;
  readonly secondMs: number;
  readonly timeoutMs: number;
}

/** An answer that holds, or the reason why it does not. */
export type ReceivedAnswer =
  | {
      readonly kind: "answer";
      readonly approvalId: string;
      readonly decision: Decision;
      /** Takes the message's id back, if the answer could not be recorded: the sender may repeat it. */
      readonly release: () => void;
    }
  | {
      readonly kind: "refused";
      readonly because: "unsigned" | "forged" | "old" | "repeated" | "malformed" | "forbidden";
    };

/** Maximum of deliveries at a time: a receiver that hangs must not hold a connection for each request. */
const MAX_AT_ONCE = 8;
const [FIRST_PAUSE_S, MAX_PAUSE_S] = [1, 300];
/** Tries to tell the outcome of a request. */
const MAX_LAST_TRIES = 5;
/** Maximum time for the last messages when the channel ends. */
const LAST_WORDS_S = 5;
/** Maximum of ids that are remembered; a message is too old before its id could be forgotten. */
const MAX_IDS = 100_000;

/** Sends each request to one receiver until it is taken, and reads the signed answers. */
export class WebhookChannel implements ApprovalHandler, Disposable, AsyncDisposable {
  readonly #options: WebhookChannelOptions;
  readonly #timing: WebhookTiming;
  readonly #noteName: string;
  /** Ids of received messages. */
  readonly #seen = new RecentMap<string, true>(MAX_IDS);
  readonly #end = new AbortController();
  readonly #gone = new AbortController();
  readonly #work = new Set<Promise<unknown>>();
  readonly #queue: (() => void)[] = [];
  #free = MAX_AT_ONCE;

  constructor(options: WebhookChannelOptions, timing: WebhookTiming) {
    this.#options = options;
    this.#timing = timing;
    this.#noteName = `webhook ${createHash("sha256").update(options.url).digest("hex").slice(0, 16)}`;
  }

  async requestApproval(request: ApprovalRequest, asking: Asking): Promise<Answer> {
    if (this.#end.signal.aborted) throw new CofferdamError("CHANNEL_CLOSED", "the webhook channel is closed");
    using over = new AnySignal(asking.signal, this.#end.signal);
    const sent = this.#keep(this.#send(request, asking, over.signal));
    await aborted(over.signal);
    if (asking.signal.aborted) void this.#keep(this.#settle(request, asking, sent));
    return { status: "pending" };
  }

  /** Reads an answer that the receiver sent. Each message holds once; the caller answers the request with it. */
  read(headers: ReceivedHeaders, body: string): ReceivedAnswer {
    const { secret } = this.#options;
    const message = verifyWebhook(headers, body, secret, this.#timing.now());
    if (message.kind !== "verified") return { kind: "refused", because: message.kind };
    const { id } = message;
    if (this.#seen.has(id)) return { kind: "refused", because: "repeated" };
    const answer = answerIn(body);
    if (answer === null) return { kind: "refused", because: "malformed" };
    this.#seen.set(id, true);
    if (!this.#options.approvers.includes(answer.by)) return { kind: "refused", because: "forbidden" };
    const { approvalId } = answer;
    const release = (): void => void this.#seen.delete(id);
    return { kind: "answer", approvalId, decision: decisionOf(answer), release };
  }

  /** Like the asynchronous one, for callers that cannot wait for its end. */
  [Symbol.dispose](): void {
    void this[Symbol.asyncDispose]();
  }

  /** Closes the channel, as `await using` does at the end of a scope. */
  close(): Promise<void> {
    return this[Symbol.asyncDispose]();
  }

  /** Ends every wait; outcomes are told for seconds at most. Open requests stay so, and are not sent again later. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    const { secondMs } = this.#timing;
    await Promise.race([
      pause(LAST_WORDS_S * secondMs, { signal: this.#gone.signal, isHeld: false }),
      this.#settled(),
    ]);
    this.#gone.abort();
  }

  /** Sends a request until it is taken, or over. True if the receiver has it, also from an earlier process. */
  async #send(request: ApprovalRequest, asking: Asking, over: AbortSignal): Promise<boolean> {
    const noted = await asking.noted(this.#noteName).catch(() => null);
    if (noted !== null) return true;
    const id = `${request.approvalId}.requested`;
    const body = JSON.stringify(requestedMessage(request));
    let isReported = false;
    for (let tries = 0; !over.aborted; tries += 1) {
      const result = await this.#post(id, body, over);
      if (over.aborted) return result.kind === "delivered";
      if (result.kind === "delivered") {
        // Without the note a later process sends the message again, with the same id.
        await asking.note(this.#noteName, id).catch(() => undefined);
        await this.#answerOf(result, id, request, asking);
        return true;
      }
      const reason = result.kind === "gone" ? "the receiver is gone (status 410)" : result.reason;
      if (!isReported) await this.#report(asking, `the request can't be sent to the webhook: ${reason}`);
      isReported = true;
      if (result.kind === "gone") return false;
      const pauseS = result.retryAfterS ?? Math.min(MAX_PAUSE_S, FIRST_PAUSE_S * 2 ** tries);
      await pause(pauseS * this.#timing.secondMs, { signal: over, isHeld: false });
    }
    return false;
  }

  /** Tells the outcome of a request that the receiver has. */
  async #settle(request: ApprovalRequest, asking: Asking, sent: Promise<boolean>): Promise<void> {
    if (!(await sent)) return;
    const message = settledMessage(await asking.outcome(), this.#timing.now());
    if (message === null) return;
    const [id, body] = [`${request.approvalId}.settled`, JSON.stringify(message)];
    for (let tries = 0; tries < MAX_LAST_TRIES && !this.#gone.signal.aborted; tries += 1) {
      const result = await this.#post(id, body, this.#gone.signal);
      if (result.kind !== "failed") return;
      const pauseS = result.retryAfterS ?? FIRST_PAUSE_S * 2 ** tries;
      await pause(pauseS * this.#timing.secondMs, { signal: this.#gone.signal, isHeld: false });
    }
  }

  /** The answer in a reply. Like any other it is signed, and its id is that of the message which it answers. */
  async #answerOf(
    { headers, body }: Extract<DeliveryResult, { readonly kind: "delivered" }>,
    id: string,
    request: ApprovalRequest,
    asking: Asking,
  ): Promise<void> {
    if (!headers.has("webhook-signature")) return;
    const read =
      headers.get("webhook-id") === id
        ? this.read(headers, body)
        : ({ kind: "refused", because: "forged" } as const);
    if (read.kind === "refused")
      return this.#report(asking, `the answer in the webhook's reply does not count: it is ${read.because}`);
    const { decision, approvalId } = read;
    if (approvalId !== request.approvalId || !mayDecide(request, decision))
      return this.#report(
        asking,
        "the answer in the webhook's reply does not count: it is for another request",
      );
    if (!isOffered(request, decision))
      return this.#report(
        asking,
        "the answer in the webhook's reply does not count: the request does not offer its scope",
      );
    await asking.respond(decision);
  }

  async #post(id: string, body: string, signal: AbortSignal): Promise<DeliveryResult> {
    await this.#slot();
    try {
      if (signal.aborted) return { kind: "failed", reason: "the request is over", retryAfterS: null };
      const { url, secret } = this.#options;
      const { now, timeoutMs } = this.#timing;
      // Each try has its own time: a late one would be too old.
      const headers = signWebhook({ id, timestamp: Math.floor(now() / 1000), body }, secret);
      return await deliver(url, { ...headers }, body, { signal, timeoutMs });
    } finally {
      this.#free += 1;
      this.#queue.shift()?.();
    }
  }

  /** Waits until fewer than the maximum of deliveries are under way. */
  async #slot(): Promise<void> {
    while (this.#free === 0) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#free -= 1;
  }

  async #report(asking: Asking, reason: string): Promise<void> {
    await asking.report({ type: "approval.failed", reason }).catch(() => undefined);
    try {
      this.#options.onTrouble(new CofferdamError("CHANNEL_CLOSED", reason));
    } catch {
      // An exception of a listener must not end the sending.
    }
  }

  /** Runs work that only the channel's end waits for. A failure counts as not sent. */
  #keep<Value>(work: Promise<Value>): Promise<Value | false> {
    const kept = work.catch((): false => false).finally(() => this.#work.delete(kept));
    this.#work.add(kept);
    return kept;
  }

  async #settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }
}

/** True if the request offers the scope of the decision: the broker takes any other as `once`. */
export function isOffered(request: ApprovalRequest, decision: Decision): boolean {
  const taken = asOffered(request, decision);
  return decision.status !== "approved" || taken.status !== "approved" || taken.scope === decision.scope;
}

/** False for an approval of a request whose message does not hold the whole call. */
export function mayDecide(request: ApprovalRequest, decision: Decision): boolean {
  return decision.status !== "approved" || isSentWhole(request);
}

function answerIn(body: string): AnswerMessage["data"] | null {
  try {
    return AnswerMessage.safeParse(JSON.parse(body)).data?.data ?? null;
  } catch {
    return null;
  }
}

function decisionOf({ approved, scope, by, name = "", note }: AnswerMessage["data"]): Decision {
  const { shown } = visibleStart(name, 64);
  const who = `webhook:${by}${shown === "" ? "" : ` (${shown})`}`;
  const said = note === undefined ? {} : { note };
  return approved
    ? { status: "approved", scope, by: who, ...said }
    : { status: "rejected", by: who, ...said };
}
