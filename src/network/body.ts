import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** The compression of a body. */
export type Coding = "identity" | "gzip" | "deflate" | "br";

/** The coding that a `Content-Encoding` names; null for several codings and for one that was not requested. */
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

/** Maximum sizes of a body in bytes: as received, and unpacked. */
export interface BodyBounds {
  readonly maxEncodedBytes: number;
  readonly maxBytes: number;
  /** An empty body is accepted even with a coding: its end was announced. Otherwise it broke off before it began. */
  readonly mayBeEmpty: boolean;
}

/** A body, unpacked; `isCut` if it was longer than the maximum. */
export interface Body {
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

/**
 * Reads a body and holds no more than its bounds: unpacks piece by piece. Rejects with the stream's or zlib's error.
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
    // A packed body that was cut ends in the middle: the part that was unpacked is valid.
    if (!isCut) throw error;
  }
  return { bytes: Buffer.concat(parts, size), isCut };
}

async function* firstBytes(
  from: AsyncIterable<Buffer>,
  max: number,
  cut: () => void,
): AsyncGenerator<Buffer, void> {
  let left = max;
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
  // Errors are reported where the pieces come out.
  pipeline(Readable.from(whole, { objectMode: false, highWaterMark: 1 }), unpacking, () => undefined);
  for await (const piece of unpacking) yield Buffer.from(piece);
}

async function* rejoined(first: Buffer, rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  yield first;
  yield* rest;
}

/** Some servers say `deflate` but omit the zlib wrapper (RFC 9110, section 8.4.1.2). */
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
