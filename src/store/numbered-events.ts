import { CofferdamError } from "../errors.ts";
import type { ApprovalEvent, ApprovalNews } from "../event/event.ts";

/** Events in order of arrival, numbered from 0; only the latest are kept. */
export class NumberedEvents {
  readonly #max: number;
  readonly #kept: ApprovalEvent[] = [];
  #last = -1;

  /** Keeps at least `max` events, and not many more. */
  constructor(max: number) {
    this.#max = max;
  }

  get last(): number {
    return this.#last;
  }

  add(news: ApprovalNews): void {
    this.#last += 1;
    this.#kept.push({ ...news, seq: this.#last });
    // A tenth at once: removing the first of a long list one by one would cost its length each time.
    if (this.#kept.length > this.#max * 1.1) this.#kept.splice(0, this.#kept.length - this.#max);
  }

  /** The events after a number, of one run or of all. Throws `EVENTS_GONE` if some of them are no longer kept. */
  after(seq: number | null, limit: number, runId: string | null): readonly ApprovalEvent[] {
    const gone = this.#last - this.#kept.length;
    if (seq !== null && seq < gone) throw eventsGone(gone);
    // Numbers have no gaps, so the index follows from the number.
    const first = seq === null ? 0 : Math.max(0, seq - gone);
    if (runId === null) return this.#kept.slice(first, first + limit);
    const found: ApprovalEvent[] = [];
    for (let at = first; at < this.#kept.length && found.length < limit; at += 1) {
      const event = this.#kept[at];
      if (event?.runId === runId) found.push(event);
    }
    return found;
  }
}

/** The error for events that a subscriber asks for and that are no longer kept. */
export function eventsGone(upTo: number): CofferdamError {
  return new CofferdamError("EVENTS_GONE", `events up to number ${upTo} are no longer stored`, {
    hint: "read the pending requests, and subscribe without a number",
  });
}
