import { expect, test } from "vitest";
import { isBelowTree, isNamedByTree } from "../../../src/profile/dependency-trees.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { literalPattern } from "../../../src/profile/pattern.ts";

test.each([
  ["/w/p/dist/.npmrc", ["/w/p"], true],
  ["/w/p/a/node_modules/b/.npmrc", ["/w/p"], true],
  ["/w/p/dist", ["/w/p"], false],
  ["/w/p/.npmrc", ["/w/p"], false],
  ["/w/dist/p/.npmrc", ["/w/dist/p"], false],
  ["/w/dist/p/.npmrc", ["/w"], true],
  ["/w/dist/p/.npmrc", ["/w", "/w/dist/p"], false],
  ["/w/dist/p/out/.npmrc", ["/w", "/w/dist/p"], true],
  ["/w/dist/p", ["/w/dist/p"], false],
  ["/w/dist/.npmrc", [], true],
  ["/w/distant/.npmrc", ["/w"], false],
])("%s lies below a tree of the nearest of %j: %s", (path, roots, isBelow) => {
  expect(isBelowTree(knownPath(path), roots.map(knownPath))).toBe(isBelow);
});

test("a name with a tree in it is meant there", () => {
  const named = (path: string): boolean => isNamedByTree(literalPattern(knownPath(path)));
  expect(["/node_modules/.bin/sh", "/a/dist", "/.npmrc", "/distant/x"].map(named)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
