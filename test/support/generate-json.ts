import fc from "fast-check";
import type { Json } from "../../src/policy/canonical-json.ts";

/** Keys that meet often, that sort differently by locale, by code point and by code unit, and that objects treat apart. */
const key = fc.oneof(
  fc.constantFrom("a", "b", "A", "10", "2", "", "é", "\u{1F600}", "\uFB33", "constructor", "toJSON"),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);
const leaf = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, 1, "", "a", "\n", "\u2028", '"'),
  fc.maxSafeInteger(),
  // Adding makes 0 of -0, which JSON doesn't tell apart.
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -(2 ** 53 - 1), max: 2 ** 53 - 1 })
    .map((number) => number + 0),
  fc.string({ unit: "grapheme", maxLength: 6 }),
);

/** Any value that canonical JSON can hold, small enough that two of them are sometimes nearly alike. */
export const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  ),
})).value;

/** The same value with the keys of every object in the opposite order. */
export function reordered(value: Json): Json {
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map(reordered);
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, reordered(member)] as const)
      .toReversed(),
  );
}

/** True for a list, of which `Array.isArray` would forget what it holds. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
