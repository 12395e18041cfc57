import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, type Json } from "../../../src/policy/canonical-json.ts";
import { jsonDigest } from "../../../src/policy/json-digest.ts";
import { spelledOut } from "../../../src/policy/spelled-out.ts";

test("the order of keys never matters, the order of items does", () => {
  expect(canonicalJson({ b: 1, a: [2, 1], "\u{1F600}": null })).toBe('{"a":[2,1],"b":1,"\u{1F600}":null}');
  expect(jsonDigest({ a: 1, b: 2 })).toBe(jsonDigest({ b: 2, a: 1 }));
  expect(jsonDigest([1, 2])).not.toBe(jsonDigest([2, 1]));
});

test("what it writes is JSON of the same value", () => {
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.string({ unit: "grapheme" }),
      fc.array(tie("value")),
      fc.dictionary(
        fc.string().filter((key) => key !== "__proto__"),
        tie("value"),
      ),
    ),
  }));
  fc.assert(
    fc.property(value, (json) => {
      expect(JSON.parse(canonicalJson(json))).toEqual(json);
    }),
  );
});

test("what it can't hold exactly is refused, its neighbours are not", () => {
  expect(() => canonicalJson(2 ** 53)).toThrow("too large");
  expect(canonicalJson(2 ** 53 - 1)).toBe("9007199254740991");
  expect(() => canonicalJson("\uD800")).toThrow("half a character");
  expect(() => canonicalJson(Number.NaN)).toThrow("too large");
});

test("different texts are spelled out differently, also where one looks like another spelled out", () => {
  const text = fc.string({
    unit: fc.constantFrom('"', "\\", "u", "dc80", "a", "\udc80", "\ud83d", "\ude00"),
    maxLength: 6,
  });
  const pair = fc.oneof(
    fc.tuple(text, text),
    text.map((one) => [one, JSON.stringify(one)] as const),
    text.map((one) => [one, spelledOut(one)] as const),
  );
  fc.assert(
    fc.property(pair, ([a, b]) => {
      expect(spelledOut(a) === spelledOut(b)).toBe(a === b);
      expect(JSON.parse(canonicalJson(spelledOut(a)))).toBe(spelledOut(a));
    }),
    { numRuns: 2_000 },
  );
  expect([spelledOut("plain"), spelledOut("\udc80"), spelledOut('"\\udc80"')]).toEqual([
    "plain",
    '"\\udc80"',
    '"\\"\\\\udc80\\""',
  ]);
});
