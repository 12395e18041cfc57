import { expect, test } from "vitest";
import { isMadeByGit, isWholeBy, markOf } from "../../../src/host/look/git/marks.ts";

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

test.each([
  [
    true,
    "HEAD FETCH_HEAD ORIG_HEAD COMMIT_EDITMSG MERGE_MSG MERGE_RR EDIT_DESCRIPTION AUTO_MERGE index index.lock config config.worktree packed-refs objects refs logs hooks info rebase-merge gc.log",
  ],
  [false, "node_modules src latest README Makefile package.json heads .git MSG config.yaml indexes"],
])("a name that git makes in a repository's folder (%s)", (isGits, names) => {
  for (const name of names.split(" ")) expect([name, isMadeByGit(name)]).toEqual([name, isGits]);
});
