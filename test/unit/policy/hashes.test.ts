import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, type Json } from "../../../src/policy/canonical-json.ts";
import { argsHashOf, cacheKeyOf } from "../../../src/policy/hashes.ts";
import { redact } from "../../../src/policy/redact.ts";
import { law } from "../../laws/law.ts";
import { json, reordered } from "../../support/generate-json.ts";

type CacheKey = (tool: string, payload: Json) => string;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const tool = fc.constantFrom("a", "b", "", "a,", '"');
const call = fc.tuple(tool, json);

/** A secret twice: under its name, and where a text is cut. */
function argumentsOf(rest: Json, secret: string): Json {
  return { rest, password: secret, long: "x".repeat(2_000) + secret };
}

describe("the cache key", () => {
  law(
    "is the same in whatever order keys come, however deep (S1-29, S4-12)",
    (keyOf: CacheKey) =>
      fc.property(call, ([name, payload]) => {
        expect(keyOf(name, reordered(payload))).toBe(keyOf(name, payload));
      }),
    cacheKeyOf,
    { "hashes the text as it came": (name, payload) => sha256(JSON.stringify([name, payload])) },
  );

  law(
    "differs for different tools and for different payloads, nested as they may be (S1-29, S4-12)",
    (keyOf: CacheKey) =>
      fc.property(call, call, ([name, payload], [other, different]) => {
        const isSame = name === other && canonicalJson(payload) === canonicalJson(different);
        expect(keyOf(name, payload) === keyOf(other, different)).toBe(isSame);
      }),
    cacheKeyOf,
    {
      "is of the payload alone": (_, payload) => sha256(canonicalJson(payload)),
      "is of the tool alone": (name) => sha256(name),
      "takes keys and not what they hold": (name, payload) =>
        cacheKeyOf(name, payload !== null && typeof payload === "object" ? Object.keys(payload) : payload),
      "does not tell a list from an object": (name, payload) =>
        cacheKeyOf(name, payload !== null && typeof payload === "object" ? { ...payload } : payload),
    },
  );

  const secret = fc.stringMatching(/^[a-z]{1,2}$/);
  law(
    "tells apart what looks the same once secrets are hidden and texts are cut (S4-12)",
    (keyOf: CacheKey) =>
      fc.property(json, secret, secret, (rest, one, other) => {
        fc.pre(one !== other && one.length === other.length);
        const [a, b] = [argumentsOf(rest, one), argumentsOf(rest, other)];
        expect(redact(a)).toEqual(redact(b));
        expect(keyOf("a", a)).not.toBe(keyOf("a", b));
      }),
    cacheKeyOf,
    { "is of what is shown": (name, payload) => cacheKeyOf(name, redact(payload).safeArgs) },
  );
});

test("both hashes are SHA-256 of the canonical text", () => {
  expect(cacheKeyOf("shell", { b: 1, a: [] })).toBe(sha256('["shell",{"a":[],"b":1}]'));
  expect(argsHashOf({ b: 1, a: [] })).toBe(sha256('{"a":[],"b":1}'));
  expect(argsHashOf({ b: 1, a: [0] })).not.toBe(argsHashOf({ b: 1, a: [] }));
});
