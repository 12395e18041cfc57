import { expect, test } from "vitest";
import { isMadeByGit } from "../../../src/host/git/marks.ts";

test.each([
  [
    true,
    "HEAD FETCH_HEAD ORIG_HEAD COMMIT_EDITMSG MERGE_MSG MERGE_RR EDIT_DESCRIPTION AUTO_MERGE index index.lock config config.worktree packed-refs objects refs logs hooks info rebase-merge gc.log",
  ],
  [false, "node_modules src latest README Makefile package.json heads .git MSG config.yaml indexes"],
])("a name that git makes in a repository's folder (%s)", (isGits, names) => {
  for (const name of names.split(" ")) expect([name, isMadeByGit(name)]).toEqual([name, isGits]);
});
