import { toEnvelope } from "../approval/envelope.ts";
import { type StreamEvent, sseData, sseFrame, streamView } from "../approval/stream-view.ts";
import type { ApprovalEvent } from "../event/event.ts";
import { printEventId } from "./event-id.ts";

/** How events are told: all of them in envelopes, or requests and results as event streams of agents tell them. */
export type View = "envelope" | "stream";

/** One event as it goes over the wire, made once for all who get it. */
export interface Frame {
  readonly seq: number;
  readonly runId: string;
  readonly sessionId: string;
  /** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html); null in a view that has none. */
  readonly bytes: Readonly<Record<View, Uint8Array | null>>;
}

/** The event in both views. */
export function frameOf(event: ApprovalEvent, storeId: string): Frame {
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

/** How soon to come back, and from where: also for those who are told nothing before they are cut off. */
export function greeting(storeId: string, seq: number): Uint8Array {
  return bytes(`retry: 1000\n${idLine(storeId, seq)}\n`);
}

/** An event of a stream that has no number. */
export function unnumbered(event: StreamEvent): Uint8Array {
  return bytes(sseFrame(event));
}

/** Says that the connection is there, and from where to go on after it: events of others have gone by. */
export function heartbeat(storeId: string, seq: number): Uint8Array {
  return bytes(`:\n${idLine(storeId, seq)}\n`);
}

/** Events are left out: what is known is known no more. */
export function reset(storeId: string, seq: number, because: "gone" | "another store"): Uint8Array {
  const data = { because, lastEventId: printEventId(storeId, seq) };
  return bytes(`${idLine(storeId, seq)}event: reset\n${sseData(data)}\n`);
}

function idLine(storeId: string, seq: number): string {
  return `id: ${printEventId(storeId, seq)}\n`;
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text);
}
