import { expect, test } from "vitest";
import { z } from "zod";
import { keysAt } from "../../../src/policy/schema-keys.ts";

const [A, B] = [
  z.object({ a: z.number(), b: z.array(z.object({ c: z.string() })) }),
  z.object({ d: z.null() }),
];

test.each<readonly [what: string, schema: z.ZodType, path: readonly (string | number)[], keys: unknown]>([
  ["an object", A, [], ["a", "b"]],
  ["an object in a list in it", A, ["b", 0], ["c"]],
  ["a number in it", A, ["a"], []],
  ["all alternatives of a union that may be null", z.union([A, B]).nullable(), [], ["a", "b", "d"]],
  ["the input of a transformed object", A.transform(String), [], ["a", "b"]],
  ["nothing of what it can't look into", z.intersection(A, B), [], null],
  ["nothing of a union with such an alternative", z.union([A, z.lazy(() => B)]), [], null],
])("the keys are those of %s", (_what, schema, path, keys) => {
  expect(keysAt(schema, path)).toEqual(keys);
});
