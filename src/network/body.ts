import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** How a body is packed. */
export type Coding = "identity" | "gzip" | "deflate" | "br";

/** The coding that a `Content-Encoding` names; null for one that was not asked for, and for several. */
export function codingOf(header: string | undefined): Coding | null {
  switch ((header ?? "").trim().toLowerCase()) {
    case "":
    case "identity":
      return "identity";
    case "gzip":
    case "x-gzip":
      return "gzip";
    case "deflate":
      return "deflate";
    case "br":
      return "br";
    default:
      return null;
  }
}

/** How much of a body is taken, in bytes: as it comes, and unpacked. */
export interface BodyBounds {
  readonly maxEncodedBytes: number;
  readonly maxBytes: number;
  /** Nothing is an empty body also where a coding is named: its end was announced. Else it broke off before it began. */
  readonly mayBeEmpty: boolean;
}

/** A body, unpacked; `isCut` where there was more of it than is taken. */
export interface Body {
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

/**
 * Reads a body as far as its bounds reach, and never holds more: what is packed is unpacked piece by piece, and no piece
 * more than is wanted. Rejects with the stream's error, and with zlib's for what is no such coding.
 */
export async function readBody(
  response: AsyncIterable<Buffer>,
  coding: Coding,
  { maxEncodedBytes, maxBytes, mayBeEmpty }: BodyBounds,
): Promise<Body> {
  let isCut = false;
  const packed = firstBytes(response, maxEncodedBytes, () => {
    isCut = true;
  });
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of unpacked(packed, coding, mayBeEmpty)) {
      const taken = piece.subarray(0, maxBytes - size);
      parts.push(taken);
      size += taken.length;
      if (taken.length === piece.length) continue;
      isCut = true;
      break;
    }
  } catch (error) {
    // A packed body that was cut ends in the midst of things: what was unpacked of it stands.
    if (!isCut) throw error;
  }
  return { bytes: Buffer.concat(parts, size), isCut };
}

async function* firstBytes(
  from: AsyncIterable<Buffer>,
  most: number,
  cut: () => void,
): AsyncGenerator<Buffer, void> {
  let left = most;
  for await (const piece of from) {
    const taken = piece.subarray(0, left);
    left -= taken.length;
    if (taken.length < piece.length) cut();
    if (taken.length > 0) yield taken;
    if (taken.length < piece.length) return;
  }
}

async function* unpacked(
  packed: AsyncGenerator<Buffer, void>,
  coding: Coding,
  mayBeEmpty: boolean,
): AsyncGenerator<Buffer, void> {
  const next = await packed.next();
  const first = next.done === true ? Buffer.alloc(0) : next.value;
  if (first.length === 0 && mayBeEmpty) return;
  const whole = rejoined(first, packed);
  const unpacking = unpackerFor(coding, first);
  if (unpacking === null) {
    yield* whole;
    return;
  }
  // What goes wrong comes out where the pieces do.
  pipeline(Readable.from(whole, { objectMode: false, highWaterMark: 1 }), unpacking, () => undefined);
  for await (const piece of unpacking) yield Buffer.from(piece);
}

async function* rejoined(first: Buffer, rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  yield first;
  yield* rest;
}

/** Some servers say `deflate` and leave the zlib wrapping away (RFC 9110, section 8.4.1.2). */
function unpackerFor(coding: Coding, [first = 0]: Buffer): Transform | null {
  switch (coding) {
    case "identity":
      return null;
    case "gzip":
      return createGunzip();
    case "deflate":
      return (first & 0x0f) === 8 ? createInflate() : createInflateRaw();
    case "br":
      return createBrotliDecompress();
  }
}
