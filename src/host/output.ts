import type { Readable } from "node:stream";

/** What was captured of one stream: at most `maxBytes` from its start, and how much more there was. */
export interface Captured {
  /** Empty when it was handed on as it came. */
  readonly bytes: Buffer;
  /** What was kept or handed on. */
  readonly takenBytes: number;
  readonly droppedBytes: number;
}

/** Where a chunk of output goes as it comes; what it returns is waited for, so that a slow reader slows the tool. */
export type OutputSink = (chunk: Buffer) => void | Promise<void>;

/**
 * Reads a stream to its end. The first `maxBytes` are kept and handed on; the rest is read and counted, so that the
 * process neither blocks nor fills memory.
 */
export async function capture(
  stream: Readable,
  maxBytes: number,
  sink: OutputSink | null,
): Promise<Captured> {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let droppedBytes = 0;
  try {
    for await (const chunk of stream) {
      const whole = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      const part = whole.subarray(0, Math.max(0, maxBytes - keptBytes));
      keptBytes += part.length;
      droppedBytes += whole.length - part.length;
      if (part.length === 0) continue;
      if (sink === null) kept.push(part);
      else await sink(part);
    }
  } catch (cause) {
    if (!isClosed(cause)) throw cause;
  }
  return { bytes: Buffer.concat(kept), takenBytes: keptBytes, droppedBytes };
}

/** A stream that is destroyed while it is read has ended, as far as its reader is concerned. */
function isClosed(cause: unknown): boolean {
  return (
    cause instanceof Error &&
    "code" in cause &&
    (cause.code === "ERR_STREAM_PREMATURE_CLOSE" || cause.code === "ECONNRESET")
  );
}
