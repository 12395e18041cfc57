import { describe, expect, test } from "vitest";
import { CofferdamError } from "../../../src/errors.ts";
import { asJson, canonicalJson, type Json, parseJson } from "../../../src/policy/canonical-json.ts";

class Point {
  x = 1;
}
class Numbers extends Array<number> {}

function refusal(of: () => unknown): { code: string; message: string } {
  try {
    of();
  } catch (error) {
    if (error instanceof CofferdamError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("nothing was refused");
}

/** Lists in one another. */
function nested(depth: number): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

describe("a value from outside", () => {
  const itself: { me?: unknown } = {};
  itself.me = itself;
  const gaps = [1];
  gaps[2] = 3;
  const named = Object.assign([1], { more: 2 });

  test.each<[string, unknown, string]>([
    ["undefined", { b: [0, 0, 0, undefined] }, "`arguments.a.b[3]` is undefined"],
    ["a function", { toJSON: () => 1 }, "`arguments.a.toJSON` is a function"],
    ["a symbol", Symbol("x"), "`arguments.a` is a symbol"],
    ["a bigint", 1n, "`arguments.a` is a bigint"],
    ["no number", Number.NaN, "`arguments.a` is a number that is not finite, or too large"],
    ["infinity", -Infinity, "`arguments.a` is a number that is not finite, or too large"],
    ["2^53", 2 ** 53, "`arguments.a` is a number that is not finite, or too large"],
    ["1.5e300", 1.5e300, "`arguments.a` is a number that is not finite, or too large"],
    ["half a character", "x\ud83d", "`arguments.a` contains half a character (a lone surrogate)"],
    [
      "half a character in a key",
      { "\ude00": 1 },
      '`arguments.a["\\ude00"]` has half a character (a lone surrogate)',
    ],
    ["an object of a class", new Point(), "`arguments.a` is an instance of a class"],
    ["a date", new Date(0), "`arguments.a` is an instance of a class"],
    ["a map", new Map(), "`arguments.a` is an instance of a class"],
    ["a boxed text", Object("x"), "`arguments.a` is an instance of a class"],
    ["a list of a class", new Numbers(), "`arguments.a` is an instance of a subclass of Array"],
    ["a list with gaps", gaps, "`arguments.a` is a list with gaps"],
    ["a list with names", named, "`arguments.a` is a list with gaps or extra properties"],
    [
      "a property that is computed",
      {
        get b() {
          return 1;
        },
      },
      "`arguments.a.b` is computed",
    ],
    [
      "a property that hides",
      Object.defineProperty({}, "b", { value: 1 }),
      "`arguments.a.b` is computed or not enumerable",
    ],
    ["a symbol for a key", { [Symbol("x")]: 1 }, "`arguments.a` is an object with a symbol as a key"],
    ["what holds itself", itself, "`arguments.a.me` contains itself"],
    ["a key that needs quotes", { "b c": undefined }, '`arguments.a["b c"]` is undefined'],
  ])("is refused with its place when it holds %s", (_, a, message) => {
    expect(refusal(() => asJson({ a }))).toEqual({
      code: "USAGE",
      message: expect.stringContaining(message),
    });
  });

  test("may hold all that JSON holds", () => {
    const value = {
      a: [null, true, 0.5, "é\u{1F600}", 2 ** 53 - 1, -(2 ** 53 - 1)],
      "": {},
      constructor: [],
    };
    expect(asJson(value)).toEqual(value);
    expect(asJson(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 });
  });

  test("may hold one object twice, side by side", () => {
    const shared = { x: 1 };
    expect(asJson([shared, shared])).toEqual([{ x: 1 }, { x: 1 }]);
  });

  test("has no key __proto__, at any depth: some readers drop it, and others take it for more than data", () => {
    for (const text of ['{"__proto__":{"admin":true}}', '{"a":[{"__proto__":1}]}'])
      expect(() => parseJson(text)).toThrow(/__proto__` is a reserved name/);
    expect(parseJson('{"_proto_":1,"constructor":2}')).toEqual({ _proto_: 1, constructor: 2 });
  });

  test("has 0 for -0", () => {
    expect([asJson(-0), parseJson("-0")]).toEqual([0, 0]);
  });

  test("may stand 128 levels deep and not 129", () => {
    expect(asJson(nested(128))).toEqual(nested(128));
    expect(refusal(() => asJson(nested(129))).message).toContain("more than 128 levels deep");
    expect(refusal(() => parseJson("[".repeat(1_000_000) + "]".repeat(1_000_000))).message).toContain(
      "128 levels deep",
    );
  });

  test("may hold 100,000 values and not one more", () => {
    const list = (count: number): readonly number[] => Array.from({ length: count - 1 }, () => 1);
    expect(asJson(list(100_000))).toEqual(list(100_000));
    expect(refusal(() => asJson(list(100_001)))).toEqual({
      code: "USAGE",
      message: "`arguments` have more than 100,000 values",
    });
    expect(refusal(() => asJson([list(50_000), list(50_000)])).message).toContain("100,000 values");
  });

  test("can't be changed by who sent it", () => {
    const sent = { command: ["ls"] };
    const taken = asJson(sent);
    sent.command.push("/");
    expect(taken).toEqual({ command: ["ls"] });
  });
});

describe("JSON text from a model", () => {
  test.each([
    ['{"a":1,}', "line 1, column 8"],
    ["", "the text ends too early"],
    ['{"a":\n  nul}', "line 2, column 3"],
    ["[1 2]", "line 1, column 4"],
    ["01", "line 1, column 1"],
    ['"\\x"', "line 1, column 1"],
    ['"a\nb"', "line 1, column 1"],
    ["{'a':1}", "line 1, column 2"],
    ["[1]]", "line 1, column 4"],
    ["\uFEFF{}", "line 1, column 1"],
  ])("is refused with its place when malformed, not taken for {}: %j (S0-28)", (text, place) => {
    expect(refusal(() => parseJson(text))).toEqual({
      code: "USAGE",
      message: expect.stringContaining(place),
    });
  });

  test.each([
    ['{"a":1,"b":2,"a":3}', '"a" occurs twice` (line 1, column 14)'],
    ['{"a":1,"\\u0061":3}', '"a" occurs twice` (line 1, column 8)'],
    ['[{},{"x":{"k":1,\n"k":1}}]', '"k" occurs twice` (line 2, column 1)'],
  ])("is refused when an object has a key twice, however deep: %s", (text, message) => {
    expect(refusal(() => parseJson(text)).message).toContain(message);
  });

  test("may have a key once in each of several objects, and as a value", () => {
    expect(parseJson('[{"a":{"a":"a"}},{"a":["a","a"]}]')).toEqual([{ a: { a: "a" } }, { a: ["a", "a"] }]);
  });

  test("is refused for numbers that are no longer themselves once they are read", () => {
    expect(refusal(() => parseJson('{"id":9007199254740993}')).message).toContain("`arguments.id`");
    expect(refusal(() => parseJson("1e999")).message).toContain("not finite");
    expect(parseJson('{"id":9007199254740991}')).toEqual({ id: 9007199254740991 });
  });
});

test("canonical JSON of a value nested a million deep is made, with no stack to overflow", () => {
  expect(canonicalJson(nested(1_000_000)).length).toBe(2_000_001);
});
