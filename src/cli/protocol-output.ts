import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";

/** The output for lines of a protocol. */
export interface ProtocolOutput {
  /** Writes a line; resolves when it has been taken, or the reader is gone. */
  readonly write: (line: string) => Promise<void>;
  /** The same output, for code that writes to a stream. */
  readonly stream: Writable;
  /** Aborted when the reader is gone. */
  readonly broken: AbortSignal;
}

/**
 * Standard output for a protocol. Node writes to a standard output pipe synchronously and blocks until it was read
 * (https://nodejs.org/api/process.html#a-note-on-process-io). Here only the caller that awaits the line waits.
 */
export function protocolOutput(): ProtocolOutput {
  const broken = new AbortController();
  const stream = opened(process.stdout, 1);
  stream.on("error", () => broken.abort());
  return {
    write: (line) => new Promise((resolve) => stream.write(line, () => resolve())),
    stream,
    broken: broken.signal,
  };
}

/** Maximum number of bytes of talk that wait for the reader; more is dropped. */
const MAX_WAITING = 256 * 1024;

/** Standard error for talk besides a protocol, line by line. Unread lines are dropped without a wait. */
export function protocolTalk(): (line: string) => void {
  const stream = opened(process.stderr, 2);
  stream.on("error", () => undefined);
  return (line) => {
    if (stream.writableLength < MAX_WAITING) stream.write(`${line}\n`);
  };
}

function opened(standard: Writable, fd: number): Writable {
  const kind = fstatSync(fd);
  return kind.isFIFO() || kind.isSocket() ? new Socket({ fd, readable: false, writable: true }) : standard;
}
