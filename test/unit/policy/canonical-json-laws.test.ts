import fc from "fast-check";
import { describe, expect } from "vitest";
import { asJson, canonicalJson, type Json, parseJson } from "../../../src/policy/canonical-json.ts";
import { law } from "../../laws/law.ts";
import { isList, json, reordered } from "../../support/generate-json.ts";

/** Another writer of the same text, which knows the order of keys as lists of UTF-16 code units. */
function oracle(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(oracle).join(",")}]`;
  const units = (key: string): string => Buffer.from(key, "utf16le").swap16().toString("latin1");
  const sorted = Object.entries(value).toSorted(([a], [b]) => (units(a) < units(b) ? -1 : 1));
  return `{${sorted.map(([key, member]) => `${JSON.stringify(key)}:${oracle(member)}`).join(",")}}`;
}

describe("canonical JSON", () => {
  law(
    "is what an independent writer makes",
    (write: (value: Json) => string) =>
      fc.property(json, (value) => {
        expect(write(value)).toBe(oracle(value));
      }),
    canonicalJson,
    {
      "leaves keys as they come": (value) => JSON.stringify(value),
      "sorts keys as people do": (value) =>
        isList(value) || value === null || typeof value !== "object"
          ? oracle(value)
          : `{${Object.entries(value)
              .toSorted(([a], [b]) => a.localeCompare(b))
              .map(([key, member]) => `${JSON.stringify(key)}:${oracle(member)}`)
              .join(",")}}`,
      "adds blanks": (value) => canonicalJson(value).replaceAll(",", ", "),
    },
  );

  law(
    "does not depend on the order of keys, at any depth (S1-29, S4-12)",
    (write: (value: Json) => string) =>
      fc.property(json, (value) => {
        expect(write(reordered(value))).toBe(write(value));
      }),
    canonicalJson,
    {
      "sorts the outermost keys only": (value) =>
        value !== null && typeof value === "object" && !Array.isArray(value)
          ? JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
          : JSON.stringify(value),
    },
  );

  law(
    "is JSON of the same value, read back",
    (read: (text: string) => Json) =>
      fc.property(json, (value) => {
        expect(read(canonicalJson(value))).toEqual(value);
      }),
    parseJson,
    {
      "lets the last key vanish": (text) => {
        const value = parseJson(text);
        return value !== null && typeof value === "object" && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).slice(0, -1))
          : value;
      },
    },
  );
});

describe("a value from outside", () => {
  law(
    "is copied whole, and nothing in the copy can be changed",
    (take: (value: unknown) => Json) =>
      fc.property(json, (value) => {
        const copy = take(value);
        expect(copy).toEqual(value);
        expect(everythingIn(copy).every((one) => Object.isFrozen(one))).toBe(true);
        expect(everythingIn(copy).some((one) => everythingIn(value).includes(one))).toBe(false);
      }),
    asJson,
    {
      "freezes the outside only": (value) => Object.freeze(JSON.parse(JSON.stringify(value))),
      "freezes what it was given": (value) => {
        const freeze = (one: Json): Json => {
          if (one !== null && typeof one === "object") Object.values(one).forEach(freeze);
          return Object.freeze(one);
        };
        return freeze(value as Json);
      },
    },
  );

  const nearlyJson = fc
    .tuple(
      json.map((value) => JSON.stringify(value)),
      fc.array(
        fc.tuple(fc.nat(60), fc.nat(3), fc.constantFrom(..."{}[]\",:01-.eE+ \n\t\\u\ud800tfn\u0001'")),
      ),
    )
    .map(([text, changes]) =>
      changes
        .slice(0, 2)
        .reduce((now, [at, gone, put]) => now.slice(0, at) + put + now.slice(at + gone), text),
    );

  law(
    "is refused as text exactly where the engine refuses it, or where a key comes twice or half a character (S0-28)",
    (read: (text: string) => Json) =>
      fc.property(nearlyJson, (text) => {
        const expected = attempt(() => JSON.parse(text));
        const got = attempt(() => read(text));
        if (expected === undefined) expect(got).toBe(undefined);
        else if (got === undefined) expect(refusalOf(text)).toMatch(/twice|half a character|too large/);
        else expect(got.value).toEqual(asJson(expected.value));
      }),
    parseJson,
    {
      "takes nothing for an empty object": (text) => attempt(() => parseJson(text))?.value ?? {},
      "forgives a comma too many": (text) => parseJson(text.replace(/,\s*([\]}])/, "$1")),
    },
  );
});

function refusalOf(text: string): string {
  try {
    parseJson(text);
    return "";
  } catch (error) {
    return String(error);
  }
}

function attempt(read: () => Json): { readonly value: Json } | undefined {
  try {
    return { value: read() };
  } catch {
    return undefined;
  }
}

function everythingIn(value: Json): readonly object[] {
  return value !== null && typeof value === "object"
    ? [value, ...Object.values(value).flatMap((one: Json) => everythingIn(one))]
    : [];
}
