import { expect, test } from "vitest";
import { localeOf } from "../../../src/shell/locale.ts";

test("the locale is the first of three variables that is set and not empty", () => {
  expect(localeOf({})).toBe("");
  expect(localeOf({ LANG: "a" })).toBe("a");
  expect(localeOf({ LANG: "a", LC_CTYPE: "b", LC_TIME: "c" })).toBe("b");
  expect(localeOf({ LANG: "a", LC_CTYPE: "b", LC_ALL: "" })).toBe("b");
  expect(localeOf({ LANG: "a", LC_ALL: "d" })).toBe("d");
});
