import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";

/** Where lines of a protocol go. */
export interface ProtocolOutput {
  /** Writes a line; comes back once it has been taken, or nobody reads any more. */
  readonly write: (line: string) => Promise<void>;
  /** The same, for what writes to a stream by itself. */
  readonly stream: Writable;
  /** Aborted when nobody reads any more. */
  readonly broken: AbortSignal;
}

/**
 * Standard output for a protocol. Node writes to a pipe of its standard output at once, and stands still until its reader has
 * taken it (https://nodejs.org/api/process.html#a-note-on-process-io): here only whoever waits for the line does.
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

/** So many bytes wait for whoever reads talk, before more of it is left out. */
const MOST_WAITING = 256 * 1024;

/** Standard error for talk beside a protocol, line by line: what nobody reads is left out, and nobody waits for it. */
export function protocolTalk(): (line: string) => void {
  const stream = opened(process.stderr, 2);
  stream.on("error", () => undefined);
  return (line) => {
    if (stream.writableLength < MOST_WAITING) stream.write(`${line}\n`);
  };
}

function opened(standard: Writable, fd: number): Writable {
  const kind = fstatSync(fd);
  return kind.isFIFO() || kind.isSocket() ? new Socket({ fd, readable: false, writable: true }) : standard;
}
