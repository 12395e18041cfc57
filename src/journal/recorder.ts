import { boundedEvent } from "../event/bounded.ts";
import type { ApprovalBody, ApprovalNews, Event, EventBody } from "../event/event.ts";
import type { Host } from "../host/look/host.ts";
import type { Journal } from "./journal.ts";

/** The run, session and call of an event. */
export interface EventSubject {
  readonly runId: string;
  readonly sessionId: string;
  readonly callId: string | null;
}

/** Writes the events of one run, numbered in order. */
export class Recorder {
  readonly runId: string;
  readonly #host: Pick<Host, "now">;
  readonly #journal: Journal;
  #seq = 0;

  /** @internal */
  constructor(host: Pick<Host, "now">, journal: Journal, runId: string) {
    this.#host = host;
    this.#journal = journal;
    this.runId = runId;
  }

  /** Writes one event, texts bounded, before the effect it announces. Throws if that fails: nothing may happen then. */
  write(sessionId: string, callId: string | null, body: EventBody): Event {
    const seq = this.#seq;
    this.#seq += 1;
    const event: Event = {
      version: 1,
      seq,
      at: this.#at(),
      runId: this.runId,
      sessionId,
      callId,
      ...boundedEvent(body),
    };
    this.#journal.write(event);
    return event;
  }

  /** @internal An event for a store: named by its run, whichever process reports it, and without a number yet. */
  news({ runId, sessionId, callId }: EventSubject, body: ApprovalBody): ApprovalNews {
    return { version: 1, at: this.#at(), runId, sessionId, callId, ...boundedEvent(body) };
  }

  #at(): string {
    return new Date(this.#host.now()).toISOString();
  }
}
