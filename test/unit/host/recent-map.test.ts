import { expect, test } from "vitest";
import { RecentMap } from "../../../src/host/recent-map.ts";

test("so many keys are held, and the one that was set longest ago is forgotten first", () => {
  const map = new RecentMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("a", 3);
  expect([...map]).toEqual([
    ["b", 2],
    ["a", 3],
  ]);
  map.set("c", 4);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
