import { boundedEvent } from "../event/bounded.ts";
import type { ApprovalBody, ApprovalNews, Event, EventBody } from "../event/event.ts";
import type { Host } from "../host/host.ts";
import type { Journal } from "./journal.ts";

/** Which run, session and call an event is about. */
export interface Subject {
  readonly runId: string;
  readonly sessionId: string;
  readonly callId: string | null;
}

/** Writes the events of one run, numbered in the order in which they happen. */
export class Recorder {
  readonly runId: string;
  readonly #host: Pick<Host, "now">;
  readonly #journal: Journal;
  #seq = 0;

  constructor(host: Pick<Host, "now">, journal: Journal, runId: string) {
    this.#host = host;
    this.#journal = journal;
    this.runId = runId;
  }

  /**
   * Writes one event, its texts bounded, before the effect that it announces, and returns it. Throws when it can't be
   * written: then nothing may happen.
   */
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

  /** The same as a store tells it: by the run that it is about, whoever reports it, and without a number so far. */
  news({ runId, sessionId, callId }: Subject, body: ApprovalBody): ApprovalNews {
    return { version: 1, at: this.#at(), runId, sessionId, callId, ...boundedEvent(body) };
  }

  #at(): string {
    return new Date(this.#host.now()).toISOString();
  }
}
