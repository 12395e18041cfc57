import { CofferdamError } from "../errors.ts";
import type { ApprovalEvent } from "../event/event.ts";
import { otherTurns } from "../host/turns.ts";
import { recordedCall, recordedLine } from "../policy/recorded-call.ts";
import { isAskedByDefault } from "../policy/remembered.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { AnsweredRecord } from "../policy/suggest.ts";
import type { Store } from "../store/store.ts";
import { HANDLER } from "./handler.ts";
import { NOBODY } from "./nobody.ts";

/** The events that are looked through, from the last one back, and how many are read at once. */
const MAX_EVENTS = 4_000;
const BATCH = 256;
/** Maximum of remembered calls. */
const MAX_CALLS = 500;

/** A call that people were asked about, and their answer to it. */
export interface AskedRecord extends AnsweredRecord {
  readonly project: string | null;
  readonly description: string;
  /** When people were asked, in milliseconds since 1970. */
  readonly at: number;
}

/** The calls that people were asked about, as far as a store still has their events; the latest first. */
export class RecordedCalls {
  readonly #store: Store;
  readonly #calls = new Map<string, AskedRecord>();
  #seen = Number.NEGATIVE_INFINITY;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Those of one project. */
  async of(project: string): Promise<readonly AskedRecord[]> {
    const read = this.#last.then(() => this.#readOn());
    this.#last = read.catch(() => undefined);
    await read;
    return [...this.#calls.values()].filter((one) => one.project === project).toReversed();
  }

  async #readOn(): Promise<void> {
    const last = await this.#store.lastSeq();
    this.#seen = Math.max(this.#seen, last - MAX_EVENTS, -1);
    while (this.#seen < last) {
      const events = await this.#batch(this.#seen);
      if (events.length === 0) return;
      for (const event of events) {
        this.#seen = event.seq;
        if (event.type === "approval.requested") this.#add(event.request);
        if (event.type !== "approval.resolved" || !isByPerson(event.by)) continue;
        const call = this.#calls.get(event.approvalId);
        // A call that was edited, or let pass by an earlier answer, was not approved as it was.
        const answer = !event.approved
          ? "no"
          : event.isEdited || event.grantId !== undefined
            ? "none"
            : "yes";
        if (call !== undefined) this.#calls.set(event.approvalId, { ...call, answer });
      }
      await otherTurns(events.length * 1_024);
    }
  }

  /** The next events; if some are no longer kept, the first that are. */
  async #batch(after: number): Promise<readonly ApprovalEvent[]> {
    try {
      return await this.#store.eventsAfter(after, BATCH, null);
    } catch (cause) {
      if (!(cause instanceof CofferdamError && cause.code === "EVENTS_GONE")) throw cause;
      return this.#store.eventsAfter(null, BATCH, null);
    }
  }

  #add(request: ApprovalRequest): void {
    const call = recordedCall(request);
    if (call === null) return;
    const { approvalId, project = null, description, why, createdAt: at } = request;
    // The record has no parsed line; only the shell has one.
    const isByDefault = isAskedByDefault(
      { hits: why },
      call.tool === "shell" ? recordedLine(call.text) : null,
    );
    this.#calls.set(approvalId, {
      ...call,
      approvalId,
      project,
      description,
      at,
      isByDefault,
      answer: "none",
    });
    // The oldest that nobody answered, else the oldest: calls that are made again and again displace no answer.
    const ids = this.#calls.size > MAX_CALLS ? [...this.#calls.keys()].slice(0, -1) : [];
    const least = ids.find((id) => this.#calls.get(id)?.answer === "none") ?? ids[0];
    if (least !== undefined) this.#calls.delete(least);
  }
}

/** True unless a program answered: a handler without a name, a reviewer, or nobody. */
export function isByPerson(by: string): boolean {
  return by !== NOBODY && by !== HANDLER && !by.startsWith("reviewer:");
}
