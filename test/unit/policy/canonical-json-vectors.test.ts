import { expect, test } from "vitest";
import { canonicalJson, parseJson } from "../../../src/policy/canonical-json.ts";

/** The number whose 64 bits these are. */
function numberOf(bits: string): number {
  return new Float64Array(BigUint64Array.of(BigInt(`0x${bits}`)).buffer)[0] ?? 0;
}

// RFC 8785, appendix B.
test.each([
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
  ["433fffffffffffff", "9007199254740991"],
])("the number of the bits %s is written %s", (bits, text) => {
  expect(canonicalJson(numberOf(bits))).toBe(text);
});

test.each([
  ["4340000000000000", "2^53"],
  ["c340000000000000", "-2^53"],
  ["7fefffffffffffff", "the largest number"],
  ["ffefffffffffffff", "the smallest"],
  ["4430000000000000", "2^68"],
  ["44b52d02c7e14af5", "just below 1e23"],
  ["44b52d02c7e14af6", "1e23"],
  ["444b1ae4d6e2ef4f", "just below 1e21"],
  ["444b1ae4d6e2ef50", "1e21"],
  ["7fffffffffffffff", "no number"],
  ["7ff0000000000000", "infinity"],
])("the number of the bits %s, %s, is refused though RFC 8785 may have a text for it", (bits) => {
  expect(() => canonicalJson(numberOf(bits))).toThrow(expect.objectContaining({ code: "USAGE" }));
});

// The samples that come with RFC 8785.
test.each([
  ["arrays", '[56,{"d":true,"10":null,"1":[ ]}]', '[56,{"1":[],"10":null,"d":true}]'],
  [
    "french",
    '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
    '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
  ],
  [
    "structures",
    '{"1":{"f":{"f":"hi","F":5} ,"\\n":56.0},"10":{ },"":"empty","a":{ },"111":[{"e":"yes","E":"no"}],"A":{ }}',
    '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
  ],
  ["unicode", '{"Unnormalized Unicode":"A\\u030a"}', '{"Unnormalized Unicode":"A\u030a"}'],
  [
    "values, without 1E30",
    '{"numbers":[333333333.33333329, 4.50, 2e-3, 0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    '{"literals":[null,true,false],"numbers":[333333333.3333333,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  ],
  [
    "weird",
    '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\u000a":"Newline","1":"One","\\u0080":"Control\\u007f","\\ud83d\\ude02":"Smiley","\\u00f6":"Latin Small Letter O With Diaeresis","\\ufb33":"Hebrew Letter Dalet With Dagesh","</script>":"Browser Challenge"}',
    '{"\\n":"Newline","\\r":"Carriage Return","1":"One","</script>":"Browser Challenge","\u0080":"Control\u007f","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","\u{1F602}":"Smiley","\uFB33":"Hebrew Letter Dalet With Dagesh"}',
  ],
])("the sample `%s` has the text that the RFC gives it", (_, text, canonical) => {
  expect(canonicalJson(parseJson(text))).toBe(canonical);
});

test("the sample `values` is refused for its 1E30, with the place", () => {
  expect(() => parseJson('{"numbers":[333333333.33333329,1E30]}')).toThrow("`arguments.numbers[1]`");
});
