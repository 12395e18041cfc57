import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Duration, printDuration, printSize, Size } from "../../../src/profile/quantity.ts";

describe("a quantity", () => {
  it("is a whole number and a unit", () => {
    const read = (text: string): number | null => Duration.safeParse(text).data ?? null;
    expect([
      read("500ms"),
      read("60s"),
      read("2m"),
      read("1h"),
      read("1 h"),
      read("0s"),
      read("577h"),
    ]).toEqual([500, 60_000, 120_000, 3_600_000, 3_600_000, null, null]);
    expect(
      ["5", "m", "1.5h", "-1s", "1M", "1d", "1 h", "1  h", "", "9007199254740993ms", "1h2m", "1toString"]
        .map(read)
        .filter((one) => one !== null),
    ).toEqual([3_600_000]);
    expect([Size.parse("512KiB"), Size.parse("2GiB"), Size.parse("1TiB"), Size.parse("7B")]).toEqual([
      524_288, 2_147_483_648, 1_099_511_627_776, 7,
    ]);
    expect(Size.safeParse("2GB").error?.issues.map((issue) => issue.message)).toEqual([
      "a size is a number and a unit: `64KiB`, `256MiB`, `2GiB`",
    ]);
    expect(Duration.safeParse("2min").error?.issues.map((issue) => issue.message)).toEqual([
      "a time is a number and a unit: `500ms`, `60s`, `2m`, `1h`",
    ]);
  });

  it("is printed in the largest unit that says it exactly, and read back", () => {
    expect([
      printDuration(0),
      printDuration(90_000),
      printDuration(3_600_000),
      printSize(0),
      printSize(1536),
      printSize(2 * 1024 ** 3),
    ]).toEqual(["0ms", "90s", "1h", "0B", "1536B", "2GiB"]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_073_600_000 }), (value) => {
        expect([Duration.parse(printDuration(value)), Size.parse(printSize(value))]).toEqual([value, value]);
      }),
    );
  });
});
