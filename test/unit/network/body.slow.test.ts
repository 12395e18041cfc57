import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BodyBounds, type Coding, codingOf, readBody } from "../../../src/network/body.ts";

const PLENTY: BodyBounds = { maxEncodedBytes: 1_000_000, maxBytes: 1_000_000, mayBeEmpty: false };

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const PACKERS: readonly (readonly [name: string, coding: Coding, pack: (bytes: Buffer) => Buffer])[] = [
  ["as it is", "identity", (bytes) => bytes],
  ["by gzip", "gzip", (bytes) => gzipSync(bytes)],
  ["by deflate", "deflate", (bytes) => deflateSync(bytes)],
  ["by deflate without its wrapping", "deflate", (bytes) => deflateRawSync(bytes)],
  ["by brotli", "br", (bytes) => brotliCompressSync(bytes)],
];

describe.each(PACKERS)("a body that comes %s", (_, coding, pack) => {
  test("is read whole, or as far as its bounds reach, in whatever pieces it comes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 5_000 }),
        fc.integer({ min: 1, max: 700 }),
        fc.integer({ min: 0, max: 6_000 }),
        async (given, size, maxBytes) => {
          const whole = Buffer.from(given);
          const body = await readBody(pieces(pack(whole), size), coding, { ...PLENTY, maxBytes });
          expect(body.bytes.equals(whole.subarray(0, maxBytes))).toBe(true);
          expect(body.isCut).toBe(whole.length > maxBytes);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("is cut where too much of it comes, and what was unpacked until then stands", async () => {
    const whole = Buffer.from(Array.from({ length: 50_000 }, (_one, at) => (at * 7_919) % 251));
    const packed = pack(whole);
    const bounds = { ...PLENTY, maxEncodedBytes: Math.floor(packed.length / 2) };
    const body = await readBody(pieces(packed, 1_000), coding, bounds);
    expect(body.isCut).toBe(true);
    expect(whole.subarray(0, body.bytes.length).equals(body.bytes)).toBe(true);
    expect(body.bytes.length).toBeLessThan(whole.length);
    expect((await readBody(pieces(packed, 1_000), coding, PLENTY)).isCut).toBe(false);
  });

  test("that ends too early, or is none, is refused", async () => {
    if (coding === "identity") return;
    const packed = pack(Buffer.from("something that is long enough to be cut"));
    for (const length of packed.keys())
      await expect(readBody(pieces(packed.subarray(0, length), 9), coding, PLENTY)).rejects.toThrow(
        /unexpected end of file/,
      );
    const nothing = await readBody(pieces(Buffer.alloc(0), 9), coding, { ...PLENTY, mayBeEmpty: true });
    expect([nothing.bytes.length, nothing.isCut]).toEqual([0, false]);
    const noise = Buffer.from([0xff, 0xff, ...Buffer.from("no such coding at all, whichever is meant")]);
    await expect(readBody(pieces(noise, 9), coding, PLENTY)).rejects.toThrow(
      /header check|invalid|Decompression failed/,
    );
  });
});

test.each(PACKERS.slice(1))("a bomb %s is left at the bound, and never held", async (_, coding, pack) => {
  const bomb = pack(Buffer.alloc(200 * 1024 * 1024));
  const taken: number[] = [];
  async function* counted(): AsyncGenerator<Buffer, void> {
    for await (const piece of pieces(bomb, 1_024)) {
      taken.push(piece.length);
      yield piece;
    }
  }
  const before = process.memoryUsage().rss;
  const body = await readBody(counted(), coding, { ...PLENTY, maxEncodedBytes: bomb.length });
  expect([body.bytes.length, body.isCut]).toEqual([1_000_000, true]);
  expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
  // Of a bomb in several pieces most are never asked for.
  if (bomb.length > 100_000) expect(taken.length).toBeLessThan(100);
});

test("a body without end is left at the bound", async () => {
  let given = 0;
  async function* endless(): AsyncGenerator<Buffer, void> {
    for (;;) {
      given += 1_000;
      yield Buffer.alloc(1_000, "a");
    }
  }
  const body = await readBody(endless(), "identity", { ...PLENTY, maxBytes: 5_500 });
  expect([body.bytes.length, body.isCut]).toEqual([5_500, true]);
  expect(given).toBeLessThan(10_000);
});

test("a body that is packed into nothing, over and over, is left at the bound of what comes", async () => {
  const empty = gzipSync(Buffer.alloc(0));
  async function* endless(): AsyncGenerator<Buffer, void> {
    for (;;) yield empty;
  }
  const body = await readBody(endless(), "gzip", { ...PLENTY, maxEncodedBytes: 10_000, maxBytes: 10_000 });
  expect(body.bytes.length).toBe(0);
});

test("a stream that breaks is told, and nothing of its body counts", async () => {
  async function* broken(): AsyncGenerator<Buffer, void> {
    yield gzipSync("abc").subarray(0, 12);
    throw new Error("reset");
  }
  for (const coding of ["identity", "gzip"] as const)
    await expect(readBody(broken(), coding, PLENTY)).rejects.toThrow("reset");
});

test.each([
  [undefined, "identity"],
  [" GZIP ", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["br", "br"],
  ["gzip, gzip", null],
  ["zstd", null],
  ["compress", null],
])("the coding %j is %s", (header, coding) => {
  expect(codingOf(header)).toBe(coding);
});
