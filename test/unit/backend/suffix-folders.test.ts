import { describe, expect, test } from "vitest";
import { transitions } from "../../../src/backend/bubblewrap/transitions.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { parsePatterns } from "../../../src/profile/pattern.ts";
import { normalProfile } from "../../../src/profile/profile.ts";
import { fakedFacts } from "../../support/faked-facts.ts";

const FOLDER = absolutePath("/w/notes");
const NOTE = absolutePath("/w/notes/a.md");

/**
 * What stands at a folder with a suffix list whose files are too many to show, and what is said of it, below a mask of one
 * of them.
 */
function under(atMost: "none" | "read", hits: readonly (typeof NOTE)[], tree = [`${FOLDER}/`, NOTE]) {
  const profile = normalProfile({
    files: [
      { path: absolutePath("/w"), access: "write", suffixes: "any" },
      { path: FOLDER, access: "write", suffixes: [".md"] },
    ],
    masks: parsePatterns("/w/notes/a*").map((pattern) => ({ pattern, atMost, ignoreCase: false })),
  });
  const found = transitions(profile, fakedFacts(["/w/", ...tree], { hits }));
  if ("reason" in found) throw new Error(found.reason);
  return {
    passable: found.changes.find(({ path }) => path === FOLDER)?.passable,
    limit: found.limits.find(({ path }) => path === FOLDER)?.atMost,
    shown: found.changes.filter(({ kind }) => kind === "show").map(({ path }) => path),
  };
}

describe("a folder with a suffix list that shows none of its files", () => {
  test("is shut", () => {
    expect(under("read", [])).toEqual({ passable: false, limit: "none", shown: ["/w"] });
  });

  test("lets through to what a mask shows there, and to nothing else", () => {
    expect(under("read", [NOTE])).toEqual({ passable: true, limit: "none", shown: ["/w", NOTE] });
  });

  test("is shut where a mask only hides there", () => {
    expect(under("none", [NOTE])).toEqual({ passable: false, limit: "none", shown: ["/w"] });
  });
});

test("a path with a suffix list that does not exist is held, and said to be", () => {
  expect(under("read", [], [])).toEqual({ passable: false, limit: "none", shown: ["/w"] });
});
