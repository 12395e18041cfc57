import { toEnvelope } from "../approval/envelope.ts";
import { type StreamEvent, sseData, sseFrame, streamView } from "../approval/stream-view.ts";
import type { ApprovalEvent } from "../event/event.ts";
import { printEventId } from "./event-id.ts";

/** Wire formats: every event in an envelope, or only requests and results as agents' event streams name them. */
export type EventView = "envelope" | "stream";

/** A server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html), made once for all clients. */
export interface EventFrame {
  readonly seq: number;
  readonly runId: string;
  readonly sessionId: string;
  /** The bytes in each format; null in a format that leaves the event out. */
  readonly bytes: Readonly<Record<EventView, Uint8Array | null>>;
}

/** Encodes an event in both formats. */
export function frameOf(event: ApprovalEvent, storeId: string): EventFrame {
  const { seq, runId, sessionId } = event;
  const id = idLine(storeId, seq);
  const streamed = streamView(event);
  return {
    seq,
    runId,
    sessionId,
    bytes: {
      envelope: bytes(`${id}${sseData(toEnvelope(event))}\n`),
      stream: streamed === null ? null : bytes(`${id}${sseFrame(streamed)}`),
    },
  };
}

/** The first block: the reconnect delay, and the id to reconnect with if the connection breaks before any event. */
export function greeting(storeId: string, seq: number): Uint8Array {
  return bytes(`retry: 1000\n${idLine(storeId, seq)}\n`);
}

/** An event without an id. */
export function unnumbered(event: StreamEvent): Uint8Array {
  return bytes(sseFrame(event));
}

/** A comment that keeps the connection alive. Its id moves past events that the client did not select. */
export function heartbeat(storeId: string, seq: number): Uint8Array {
  return bytes(`:\n${idLine(storeId, seq)}\n`);
}

/** Reports that events are missing: the client must list the waiting requests again. */
export function resetFrame(storeId: string, seq: number, because: "gone" | "another store"): Uint8Array {
  const data = { because, lastEventId: printEventId(storeId, seq) };
  return bytes(`${idLine(storeId, seq)}event: reset\n${sseData(data)}\n`);
}

function idLine(storeId: string, seq: number): string {
  return `id: ${printEventId(storeId, seq)}\n`;
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text);
}
