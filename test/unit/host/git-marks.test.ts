import { expect, test } from "vitest";
import { isWholeBy, markOf } from "../../../src/host/git/marks.ts";

const BARE = ["HEAD", "objects", "refs"];
const SPELLED = ["head", "Object\u017f", "refS"];

/** Whether names in a folder make it a repository's. */
function isRepository(names: readonly string[], platform: "darwin" | "linux"): boolean {
  return isWholeBy(names.reduce((marks, name) => marks | markOf(name, platform), 0));
}

test("a bare repository is one by its names; on macOS, whose disks may not tell case apart, by any spelling of them", () => {
  expect([isRepository(BARE, "linux"), isRepository(BARE, "darwin")]).toEqual([true, true]);
  expect([isRepository(SPELLED, "linux"), isRepository(SPELLED, "darwin")]).toEqual([false, true]);
  expect(isRepository(["header", "objects", "refs"], "darwin")).toBe(false);
});
