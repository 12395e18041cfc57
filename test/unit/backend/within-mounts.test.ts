import { expect, test } from "vitest";
import { withinMounts } from "../../../src/backend/bubblewrap/within-mounts.ts";
import { absolutePath, upwards } from "../../../src/profile/path.ts";
import { parsePatterns } from "../../../src/profile/pattern.ts";
import { normalProfile } from "../../../src/profile/profile.ts";
import { fakedFacts } from "../../support/faked-facts.ts";

const PROJECTS = Array.from({ length: 12 }, (_, at) => `p${String(at).padStart(2, "0")}`);

/** What is closed where each of these stands in every project. */
function closed(names: readonly string[], max: number, start = "/w"): readonly string[] {
  const hits = PROJECTS.flatMap((project) => names.map((name) => absolutePath(`/w/${project}/${name}`)));
  const folders = new Set(hits.flatMap((path) => [...upwards(path)].slice(1, -1)).map((path) => `${path}/`));
  const profile = normalProfile({
    files: [{ path: absolutePath("/w"), access: "write", suffixes: "any" }],
    masks: ["**/.vscode/settings.json", "**/.npmrc", "**/.envrc"]
      .flatMap((text) => parsePatterns(text))
      .map((pattern) => ({ pattern, atMost: "read", ignoreCase: false })),
  });
  const facts = fakedFacts([...folders, ...hits], { hits, start: absolutePath(start) });
  const within = withinMounts(profile, facts, max);
  if ("reason" in within) throw new Error(within.reason);
  expect(within.found.changes.length).toBeLessThanOrEqual(max);
  return within.limits.map(({ path }) => path.slice("/w/".length));
}

test("folders of settings are closed first, no more than it takes", () => {
  // In each project four mounts: itself, `.npmrc`, `.vscode`, and what lies in that.
  const names = [".npmrc", ".vscode/settings.json"];
  expect(closed(names, 49)).toEqual([]);
  expect(closed(names, 46)).toEqual(["p00/.vscode", "p01/.vscode", "p02/.vscode"]);
  expect(closed(names, 37)).toEqual(PROJECTS.map((project) => `${project}/.vscode`));
});

test("where these are not enough, as many folders as it takes, and where the call starts stays open", () => {
  const names = [".npmrc", ".envrc"];
  expect(closed(names, 33)).toEqual(["p00", "p01"]);
  expect(closed(names, 33, "/w/p00/src")).toEqual(["p01", "p02"]);
  expect(closed(names, 13, "/w/p05")).toEqual([...PROJECTS.filter((one) => one !== "p05"), "p05"]);
});

test("a folder is closed for a single name in it where it is a mount anyway", () => {
  expect(closed([".envrc"], 20)).toEqual(PROJECTS.slice(0, 5));
});
