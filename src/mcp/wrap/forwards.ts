import { RecentMap } from "../../host/recent-map.ts";
import { CODES, errorAnswer } from "./answers.ts";
import type { Id, Members, Message } from "./wire.ts";

/** Requests that are answered when something happens, whenever that is. */
const UNBOUNDED: ReadonlySet<string> = new Set(["subscriptions/listen", "tasks/result"]);
/** So often its time begins anew while a person, or the client's model, is waited for. */
const MOST_TIMES = 10;
/** Of so many requests that nobody waits for any more it is known that an answer may still come. */
const MOST_LATE = 1_000;

/** How requests go on to the server. */
export interface ForwardOptions {
  readonly server: string;
  /** How long one may take, in milliseconds; null: as long as it likes. */
  readonly wallMs: number | null;
  readonly send: (members: Members) => void;
  /** The server waits for the client, or for a person: meanwhile no time runs out. */
  readonly isServerWaiting: () => boolean;
}

interface Forward {
  readonly settle: (answer: Members | null) => void;
  readonly method: string;
  timer: NodeJS.Timeout | undefined;
  /** How often its time ran out. */
  times: number;
}

/** What was sent to the server and waits for its answer: only such an answer goes to the client. */
export class Forwards {
  readonly #options: ForwardOptions;
  readonly #waiting = new Map<Id, Forward>();
  readonly #late = new RecentMap<Id, true>(MOST_LATE);

  constructor(options: ForwardOptions) {
    this.#options = options;
  }

  /** Sends a request, and waits for its answer; null where the client does not want it any more. */
  send(id: Id, method: string, params: Members | null): Promise<Members | null> {
    const { promise, resolve } = Promise.withResolvers<Members | null>();
    const forward: Forward = { settle: resolve, method, timer: undefined, times: 0 };
    this.#late.delete(id);
    this.#waiting.set(id, forward);
    this.#limit(id, forward);
    this.#options.send({ id, method, ...(params === null ? {} : { params }) });
    return promise;
  }

  has(id: Id): boolean {
    return this.#waiting.has(id);
  }

  /** True where the answer was waited for, or had been; what comes too late is nobody's. */
  take(message: Extract<Message, { readonly kind: "result" | "error" }>): boolean {
    const { id } = message;
    if (id === null) return false;
    const forward = this.#remove(id);
    if (forward === null) return this.#late.delete(id);
    forward.settle(message.kind === "result" ? { result: message.result } : { error: message.error });
    return true;
  }

  /** The client wants no answer any more, and neither should the server work on it. */
  cancel(id: Id, params: Members): void {
    const forward = this.#remove(id);
    if (forward === null) return;
    this.#giveUp(id, { ...params, requestId: id });
    forward.settle(null);
  }

  /** Whoever waits gets this. */
  failAll(answer: Members): void {
    for (const id of [...this.#waiting.keys()]) this.#remove(id)?.settle(answer);
  }

  #limit(id: Id, forward: Forward): void {
    const { wallMs, isServerWaiting, server } = this.#options;
    if (wallMs === null || UNBOUNDED.has(forward.method)) return;
    forward.timer = setTimeout(() => {
      forward.times += 1;
      if (isServerWaiting() && forward.times < MOST_TIMES) this.#limit(id, forward);
      else {
        this.#remove(id);
        const reason = `it took longer than ${wallMs} ms`;
        // The first request of all is the one that nobody may cancel.
        if (forward.method !== "initialize") this.#giveUp(id, { requestId: id, reason });
        const message = `the MCP server ${server} did not answer within ${wallMs} ms`;
        forward.settle(errorAnswer(CODES.timeout, message));
      }
    }, wallMs);
  }

  #giveUp(id: Id, params: Members): void {
    this.#late.set(id, true);
    this.#options.send({ method: "notifications/cancelled", params });
  }

  #remove(id: Id): Forward | null {
    const forward = this.#waiting.get(id) ?? null;
    clearTimeout(forward?.timer);
    this.#waiting.delete(id);
    return forward;
  }
}
