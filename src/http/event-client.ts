import type { ClientQueue } from "./client-queue.ts";
import { type EventFrame, type EventView, heartbeat, resetFrame } from "./event-frame.ts";

/** The selected events of a client, and their wire format. */
export interface EventSelection {
  readonly view: EventView;
  readonly runId: string | null;
  readonly sessionId: string | null;
}

/** True for an event or a request of the selected run and session. */
export function isSelected({ runId, sessionId }: EventSelection, of: Omit<EventSelection, "view">): boolean {
  return (runId ?? of.runId) === of.runId && (sessionId ?? of.sessionId) === of.sessionId;
}

/** One connection to the event stream. */
export class EventClient {
  readonly queue: ClientQueue;
  readonly #storeId: string;
  readonly #selection: EventSelection;
  /** False while the client reads missed events. */
  isLive = false;
  #lastSeq: number;
  #sentAt = performance.now();
  #readAt = performance.now();
  #readSoFar = 0;

  constructor(queue: ClientQueue, storeId: string, selection: EventSelection, lastSeq: number) {
    this.queue = queue;
    this.#storeId = storeId;
    this.#selection = selection;
    this.#lastSeq = lastSeq;
  }

  /** The number of the last event that was sent, or skipped because it is not selected. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Sends an event if it is selected and was not sent before. */
  send(frame: EventFrame): void {
    if (frame.seq <= this.#lastSeq) return;
    this.#lastSeq = frame.seq;
    const bytes = frame.bytes[this.#selection.view];
    if (bytes !== null && isSelected(this.#selection, frame)) this.#add(bytes);
  }

  /** Reports that events up to this number are missing. */
  reset(lastSeq: number, because: "gone" | "another store"): void {
    this.#lastSeq = lastSeq;
    this.#add(resetFrame(this.#storeId, lastSeq, because));
  }

  /** Cuts the client off after it read nothing for too long. Sends a heartbeat after nothing else was sent. */
  tick(heartbeatMs: number, stalledMs: number): void {
    const { isEmpty, readSoFar } = this.queue;
    const now = performance.now();
    if (isEmpty || readSoFar !== this.#readSoFar) this.#readAt = now;
    this.#readSoFar = readSoFar;
    if (now - this.#readAt >= stalledMs) this.queue.cut();
    else if (isEmpty && now - this.#sentAt >= heartbeatMs) this.#add(heartbeat(this.#storeId, this.#lastSeq));
  }

  #add(bytes: Uint8Array): void {
    this.#sentAt = performance.now();
    this.queue.add(bytes);
  }
}
