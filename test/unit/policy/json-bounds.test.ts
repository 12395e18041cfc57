import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asJson, canonicalJson, MAX_JSON_BYTES, parseJson } from "../../../src/policy/canonical-json.ts";
import { jsonDigest } from "../../../src/policy/json-digest.ts";
import { holdsMoreThan, jsonSize } from "../../../src/policy/json-size.ts";
import { json } from "../../support/generate-json.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("the digest of a value", () => {
  test("is that of its canonical text where no text in it is long", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(jsonDigest(value)).toBe(sha256(canonicalJson(value)));
      }),
    );
    const long = "x".repeat(4_096);
    expect(jsonDigest([long])).toBe(sha256(JSON.stringify([long])));
  });

  test("tells long texts apart, also from what stands for them, wherever they are", () => {
    const [one, other] = ["a", "b"].map((end) => `${"x".repeat(4_096)}${end}`);
    expect(jsonDigest([one ?? ""])).toBe(sha256(`[#${sha256(one ?? "")}]`));
    const all = [one, other, `#${sha256(one ?? "")}`].flatMap((text) => [
      [text ?? ""],
      [[text ?? ""]],
      { a: text ?? "" },
    ]);
    expect(new Set(all.map((value) => jsonDigest(value))).size).toBe(all.length);
  });

  test("is refused for half a character, however long the text is", () => {
    for (const text of ["\ud800", `${"x".repeat(5_000)}\ud800`])
      expect(() => jsonDigest([text])).toThrow(expect.objectContaining({ code: "USAGE" }));
  });
});

describe("the size of a value as JSON", () => {
  test("is that of its text", () => {
    fc.assert(
      fc.property(json, (value) => {
        const bytes = Buffer.byteLength(JSON.stringify(value));
        expect(jsonSize(value, Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(bytes);
      }),
    );
    for (const text of ["a", "é", "中", "\u{1f600}", '"\\\n\u001b', "\u007f"])
      for (const times of [1, 1_000, 100_000]) {
        const bytes = Buffer.byteLength(JSON.stringify(text.repeat(times)));
        const found = jsonSize(text.repeat(times), Number.POSITIVE_INFINITY);
        // A pair that is cut in two counts for more.
        expect(found - bytes).toBeLessThan(100);
        expect(found).toBeGreaterThanOrEqual(bytes);
      }
  });

  test("of arguments is bounded: what is larger is refused, and what is nearly as large is not", () => {
    const max = MAX_JSON_BYTES - 100;
    for (const [unit, bytes] of [
      ["x", 1],
      ["\n", 2],
      ["\u001b", 6],
      ["é", 2],
    ] as const) {
      const text = unit.repeat(max / bytes);
      expect(asJson({ a: text })).toEqual({ a: text });
      expect(() => asJson({ a: text + unit.repeat(200) })).toThrow(
        "`arguments` have more than 32 MiB as JSON text",
      );
    }
    expect(() => parseJson(`"${"x".repeat(MAX_JSON_BYTES)}"`)).toThrow("`arguments` have more than 32 MiB");
  });
});

test("a long text is read in parts and says the same, wherever escapes and pairs of it are cut", () => {
  for (const unit of ["x", "\\\\", '\\"', "\\u001b", "\\n", "😀", "\\ud83d\\ude00", "\\\\u0041", "a\\\\\\n"])
    for (let before = 0; before < 7; before += 1) {
      const text = `"${"y".repeat(before)}${unit.repeat((2.1 * 1024 ** 2) / unit.length)}"`;
      expect(parseJson(text) === JSON.parse(text)).toBe(true);
    }
});

test("an argument's name has 4,096 characters at the most", () => {
  const name = "x".repeat(4_096);
  expect(asJson({ [name]: 1 })).toEqual({ [name]: 1 });
  expect(() => asJson({ [`${name}x`]: 1 })).toThrow("has a name of more than 4,096 characters");
});

test("names of members count as values, in a value and in a text", () => {
  const members = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));
  expect(asJson(members(49_999))).toEqual(members(49_999));
  expect(parseJson(JSON.stringify(members(49_999)))).toEqual(members(49_999));
  for (const read of [asJson, (value: unknown) => parseJson(JSON.stringify(value))])
    expect(() => read(members(50_001))).toThrow("more than 100,000 values");
});

test("values are counted to a number, however deep they stand, and also where one holds itself", () => {
  const list = Array.from({ length: 10 }, () => [1]);
  expect([holdsMoreThan(20, list), holdsMoreThan(19, list), holdsMoreThan(0, "text")]).toEqual([
    false,
    true,
    false,
  ]);
  const itself: unknown[] = [];
  itself.push(itself);
  expect(holdsMoreThan(1_000, itself)).toBe(true);
});
