import { expect, it } from "vitest";
import { Access, isAtMost, lesser } from "../../../src/profile/access.ts";
import { neededAccess } from "../../support/kernel/needed-access.ts";

it("none is less than read, and read less than write", () => {
  const pairs = Access.options.flatMap((a) => Access.options.map((b) => [a, b] as const));
  expect(pairs.filter(([a, b]) => isAtMost(a, b)).map((pair) => pair.join("≤"))).toEqual([
    "none≤none",
    "none≤read",
    "none≤write",
    "read≤read",
    "read≤write",
    "write≤write",
  ]);
  for (const [a, b] of pairs) expect(lesser(a, b)).toBe(isAtMost(a, b) ? a : b);
});

it("making or removing a name needs write on the folder too, changing content does not", () => {
  const needs = (["read", "list", "write", "create", "remove", "rename", "link"] as const).map(
    (operation) => {
      const { path, parent } = neededAccess(operation);
      return `${operation}: ${path}, ${parent}`;
    },
  );
  expect(needs).toEqual([
    "read: read, none",
    "list: read, none",
    "write: write, none",
    "create: write, write",
    "remove: write, write",
    "rename: write, write",
    "link: write, write",
  ]);
});
