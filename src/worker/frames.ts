import { readSync, writevSync } from "node:fs";
import { codeOf } from "./faults.ts";

/** `LARGEST_FRAME` of tool/files/protocol.ts, which may be named here but not imported: all that follows a length. */
export const LARGEST_FRAME = 80 * 1024 ** 2;

/** The start of a frame: two lengths of four bytes. The first does not count itself. */
const LENGTHS = 8;
const BUFFER_BYTES = 64 * 1024;

/** One message. The body is valid until the next frame is read. */
export interface WorkerFrame {
  readonly header: string;
  readonly body: Buffer;
}

/** Invalid frame: the sender does not speak the protocol. */
export class MalformedFrame extends Error {
  override readonly name = "MalformedFrame";
}

/** Reads frames from a descriptor, one after the other. The thread blocks in the read, which costs the least. */
export class WorkerFrameReader {
  readonly #fd: number;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #begin = 0;
  #end = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** The next frame; null if the other side ended between two frames. Throws `MalformedFrame`. */
  next(): WorkerFrame | null {
    if (!this.#has(LENGTHS)) {
      if (this.#begin === this.#end) return null;
      throw new MalformedFrame("it ends within the lengths");
    }
    const length = this.#buffer.readUInt32BE(this.#begin);
    const headerBytes = this.#buffer.readUInt32BE(this.#begin + 4);
    if (length < 4 || length > LARGEST_FRAME || headerBytes > length - 4)
      throw new MalformedFrame("its lengths are invalid");
    this.#begin += LENGTHS;
    const rest = this.#next(length - 4);
    return { header: rest.toString("utf8", 0, headerBytes), body: rest.subarray(headerBytes) };
  }

  #has(bytes: number): boolean {
    if (this.#begin === this.#end) [this.#begin, this.#end] = [0, 0];
    if (this.#begin + bytes > BUFFER_BYTES) {
      this.#buffer.copyWithin(0, this.#begin, this.#end);
      [this.#begin, this.#end] = [0, this.#end - this.#begin];
    }
    while (this.#end - this.#begin < bytes) {
      const got = readSome(this.#fd, this.#buffer, this.#end);
      if (got === 0) return false;
      this.#end += got;
    }
    return true;
  }

  #next(bytes: number): Buffer {
    if (bytes <= BUFFER_BYTES) {
      if (!this.#has(bytes)) throw new MalformedFrame("it is incomplete");
      this.#begin += bytes;
      return this.#buffer.subarray(this.#begin - bytes, this.#begin);
    }
    const whole = Buffer.allocUnsafe(bytes);
    let at = this.#buffer.copy(whole, 0, this.#begin, this.#end);
    [this.#begin, this.#end] = [0, 0];
    while (at < bytes) {
      const got = readSome(this.#fd, whole, at);
      if (got === 0) throw new MalformedFrame("it is incomplete");
      at += got;
    }
    return whole;
  }
}

/** True if an answer of that many bytes fits one frame. */
export function fitsFrame(headerBytes: number, bodyBytes: number): boolean {
  return 4 + headerBytes + bodyBytes <= LARGEST_FRAME;
}

/** Writes one whole frame. */
export function writeFrame(fd: number, header: Buffer, body: Buffer): void {
  const lengths = Buffer.allocUnsafe(LENGTHS);
  lengths.writeUInt32BE(4 + header.length + body.length, 0);
  lengths.writeUInt32BE(header.length, 4);
  writeWhole(fd, body.length === 0 ? [lengths, header] : [lengths, header, body]);
}

function writeWhole(fd: number, parts: readonly Buffer[]): void {
  let left = parts;
  for (let tries = 0; left.length > 0; ) {
    try {
      left = without(left, writevSync(fd, [...left]));
      tries = 0;
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      pause(tries);
      tries += 1;
    }
  }
}

function without(parts: readonly Buffer[], bytes: number): readonly Buffer[] {
  let gone = bytes;
  const left: Buffer[] = [];
  for (const part of parts) {
    if (gone < part.length) left.push(part.subarray(gone));
    gone = Math.max(0, gone - part.length);
  }
  return left;
}

function readSome(fd: number, into: Buffer, at: number): number {
  for (let tries = 0; ; tries += 1) {
    try {
      return readSync(fd, into, at, into.length - at, null);
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      pause(tries);
    }
  }
}

/** Only for non-blocking descriptors: a short wait, then longer ones, up to 10 ms. */
function pause(tries: number): void {
  Atomics.wait(
    new Int32Array(new SharedArrayBuffer(4)),
    0,
    0,
    Math.min(10, 0.05 * 1.5 ** Math.min(tries, 20)),
  );
}
