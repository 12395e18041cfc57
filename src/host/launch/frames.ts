/** One message of a framed pipe: a header as JSON text, and bytes. */
export interface PipeFrame {
  readonly header: string;
  readonly body: Uint8Array;
}

/** The number of bytes before the header: the length of all that follows, and that of the header. */
const LENGTHS = 8;

/** A frame as bytes: 4 of the length of what follows, 4 of the header's, both big-endian; the header; the body. */
export function encodeFrame(header: string, body: Uint8Array = new Uint8Array()): Buffer {
  const headerBytes = Buffer.byteLength(header);
  const frame = Buffer.allocUnsafe(LENGTHS + headerBytes + body.length);
  frame.writeUInt32BE(frame.length - 4, 0);
  frame.writeUInt32BE(headerBytes, 4);
  frame.write(header, LENGTHS);
  frame.set(body, LENGTHS + headerBytes);
  return frame;
}

/** Assembles frames from the pieces of a stream. */
export class PipeFrameReader {
  readonly #largest: number;
  #pieces: Buffer[] = [];
  #length = 0;
  #wanted = 4;

  constructor(largest: number) {
    this.#largest = largest;
  }

  /** The frames that are complete by now. Throws a `RangeError` for invalid lengths. */
  parse(piece: Buffer): readonly PipeFrame[] {
    this.#pieces.push(piece);
    this.#length += piece.length;
    const frames: PipeFrame[] = [];
    while (this.#length >= this.#wanted) {
      const bytes = joined(this.#pieces);
      const whole = 4 + bytes.readUInt32BE(0);
      if (whole < LENGTHS || whole > this.#largest) throw new RangeError(`a frame can't have ${whole} bytes`);
      this.#wanted = whole;
      this.#pieces = [bytes];
      if (bytes.length < whole) break;
      frames.push(frameOf(bytes.subarray(0, whole)));
      this.#pieces = [bytes.subarray(whole)];
      this.#length = bytes.length - whole;
      this.#wanted = 4;
    }
    return frames;
  }
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only, ...others] = pieces;
  return only !== undefined && others.length === 0 ? only : Buffer.concat(pieces);
}

function frameOf(bytes: Buffer): PipeFrame {
  const end = LENGTHS + bytes.readUInt32BE(4);
  if (end > bytes.length) throw new RangeError("a header can't be longer than its frame");
  return { header: bytes.toString("utf8", LENGTHS, end), body: bytes.subarray(end) };
}
