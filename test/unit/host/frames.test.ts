import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeFrame, PipeFrameReader } from "../../../src/host/launch/frames.ts";

const LARGEST = 4096;

function readAll(pieces: readonly Buffer[]): readonly { header: string; body: string }[] {
  const reader = new PipeFrameReader(LARGEST);
  return pieces
    .flatMap((piece) => reader.parse(piece))
    .map(({ header, body }) => ({ header, body: Buffer.from(body).toString("latin1") }));
}

describe("frames", () => {
  it("come out as they went in, wherever the pipe cuts them", () => {
    const Frame = fc.record({
      header: fc.string({ maxLength: 40 }),
      body: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
    });
    fc.assert(
      fc.property(fc.array(Frame, { maxLength: 5 }), fc.array(fc.nat(200)), (frames, cuts) => {
        const bytes = Buffer.concat(
          frames.map(({ header, body }) => encodeFrame(header, Buffer.from(body, "latin1"))),
        );
        const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b);
        const pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        expect(readAll(pieces)).toEqual(
          frames.map((frame) => ({ ...frame, header: frame.header.toWellFormed() })),
        );
      }),
    );
  });

  it.each([
    ["longer than any", Buffer.from([0xff, 0xff, 0xff, 0xff])],
    ["too short for its own lengths", Buffer.from([0, 0, 0, 3, 0, 0, 0])],
    ["with a header that is longer than it", Buffer.from([0, 0, 0, 5, 0, 0, 0, 9, 0])],
  ])("are refused when they are %s", (_, bytes) => {
    expect(() => readAll([bytes])).toThrow(RangeError);
    expect(readAll([Buffer.from([0, 0, 0, 5, 0, 0, 0, 1, 0x61])])).toEqual([{ header: "a", body: "" }]);
  });
});
