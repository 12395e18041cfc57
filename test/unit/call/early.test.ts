import { describe, expect, it } from "vitest";
import { askEarly, earlyLines } from "../../../src/call/files/early.ts";
import type { Files, LinesRequest } from "../../../src/tool/files/file-tool.ts";

const wanted: LinesRequest = { path: "/ws/a", first: 1, maxLines: 2, maxBytes: 3 };

/** What a worker would answer for lines that were read of one file. */
function filesReading(target: string): Pick<Files, "readLines"> {
  const answer = { target, version: "1", bytes: 1, lines: 1, isLineCut: false, isEnd: true };
  return { readLines: async () => ({ answer, body: Buffer.from("x") }) };
}

describe("lines that were asked for early", () => {
  it("are those of the file that was looked at, by whatever name they were asked for", async () => {
    const early = askEarly(filesReading("/ws/a"), { ...wanted, path: "/ws/link" });
    expect(await earlyLines(early, wanted)).toMatchObject({ answer: { target: "/ws/a" } });
  });

  it("are none where the name led elsewhere meanwhile", async () => {
    const early = askEarly(filesReading("/root/secret"), wanted);
    expect(await earlyLines(early, wanted)).toBeNull();
  });

  it.each([{ first: 2 }, { maxLines: 1 }, { maxBytes: 1 }])(
    "are none where others are wanted: %o",
    async (other) => {
      const early = askEarly(filesReading("/ws/a"), wanted);
      expect(await earlyLines(early, { ...wanted, ...other })).toBeNull();
    },
  );

  it("are none where they could not be read, or were not asked for", async () => {
    const failing = { readLines: () => Promise.reject(new Error("no")) };
    expect(await earlyLines(askEarly(failing, wanted), wanted)).toBeNull();
    expect(await earlyLines(null, wanted)).toBeNull();
  });
});
