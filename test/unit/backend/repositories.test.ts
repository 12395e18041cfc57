import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  closedRepositories,
  MAX_OPEN_REPOSITORIES,
  type Repository,
  repositoryLayer,
  repositoryMasks,
  repositoryProfile,
  withNear,
} from "../../../src/backend/repositories.ts";
import { isAtMost } from "../../../src/profile/access.ts";
import { accessTo } from "../../../src/profile/access-to.ts";
import { compare } from "../../../src/profile/compare.ts";
import { absolutePath, isInside, joinPath } from "../../../src/profile/path.ts";
import { OPEN } from "../../../src/profile/profile.ts";

const repository = (path: string, more: Partial<Repository> = {}): Repository => ({
  kind: "folder",
  path: absolutePath(path),
  isWhole: true,
  hooks: [],
  configs: [],
  parts: [],
  detours: [],
  ...more,
});

const masked = (...repositories: readonly Repository[]): readonly string[] =>
  repositoryMasks(repositories).map(({ pattern }) => pattern.text);

describe("the masks over repositories", () => {
  it.each([
    [
      "a repository",
      [repository("/w/.git")],
      ["/w/.git/hooks", "/w/.git/config", "/w/.git/config.worktree", "/w/.git/commondir"],
    ],
    [
      "a bare one",
      [repository("/w/b")],
      ["/w/b/hooks", "/w/b/config", "/w/b/config.worktree", "/w/b/commondir"],
    ],
    [
      "half of one named `.git`",
      [repository("/w/.git", { isWhole: false })],
      ["/w/.git/hooks", "/w/.git/config", "/w/.git/config.worktree", "/w/.git/commondir"],
    ],
    ["half of one of another name", [repository("/w/b", { isWhole: false })], []],
    ["a file that leads to one", [repository("/w/.git", { kind: "file" })], ["/w/.git"]],
    ["a link", [repository("/w/.git", { kind: "link" })], ["/w/.git"]],
    [
      "a folder of worktrees without its repository",
      [repository("/w/worktrees/x")],
      [
        "/w/worktrees/x/hooks",
        "/w/worktrees/x/config",
        "/w/worktrees/x/config.worktree",
        "/w/worktrees/x/commondir",
      ],
    ],
  ])("name what git obeys in %s", (_, repositories, paths) => {
    expect(masked(...repositories)).toEqual(paths);
  });

  it("name the parts of a worktree in its repository", () => {
    expect(masked(repository("/w/.git"), repository("/w/.git/worktrees/x")).slice(4)).toEqual([
      "/w/.git/worktrees/x/gitdir",
      "/w/.git/worktrees/x/commondir",
      "/w/.git/worktrees/x/config.worktree",
    ]);
  });

  it("name what the configuration names", () => {
    expect(masked(repository("/w/.git", { kind: "file", hooks: [absolutePath("/w/h")] }))).toEqual([
      "/w/.git",
      "/w/h",
    ]);
  });

  it("close the deepest of many as a whole, so that the shallow ones can be worked in", () => {
    const many = Array.from({ length: MAX_OPEN_REPOSITORIES + 2 }, (_, at) =>
      repository(`/w/${"d/".repeat(at)}.git`),
    );
    const masks = masked(...many.toReversed());
    expect(masks).toHaveLength(4 * MAX_OPEN_REPOSITORIES + 2);
    expect(masks.slice(-2)).toEqual(many.slice(-2).map(({ path }) => path));
  });

  describe("of many", () => {
    const many = Array.from({ length: MAX_OPEN_REPOSITORIES + 20 }, (_, at) =>
      repository(`/w/r${String(at).padStart(2, "0")}/.git`),
    );
    const closedOf = (
      repositories: readonly Repository[],
      named: readonly string[],
      roots: readonly string[] = ["/w"],
    ): readonly string[] =>
      closedRepositories(withNear(repositories, named.map(absolutePath), roots.map(absolutePath))).map(
        ({ tree }) => tree,
      );
    const usual = many.slice(MAX_OPEN_REPOSITORIES).map(({ path }) => path.replace("/.git", ""));
    const without = (...paths: readonly string[]) => usual.filter((path) => !paths.includes(path));

    it("leave those open besides that the call starts in, or names, and those that are a root", () => {
      expect(closedOf(many, [])).toEqual(usual);
      expect(closedOf(many, ["/w"])).toEqual(usual);
      expect(closedOf(many, ["/w/r30/src/deep"])).toEqual(without("/w/r30"));
      expect(closedOf(many, ["/w", "/w/r30", "/w/r31/.git/index"])).toEqual(without("/w/r30", "/w/r31"));
      expect(closedOf(many, ["/w"], ["/w", "/w/r33"])).toEqual(without("/w/r33"));
      expect(closedOf(many, ["/w/r3"], ["/w/r33/src"])).toEqual(usual);
      expect(closedOf(many.toReversed(), ["/w/r30"])).toEqual(without("/w/r30"));
    });

    it("leave the repository of a worktree and of a submodule open with these", () => {
      const parts = ["config", "hooks"].map((name) => absolutePath(`/w/r34/.git/${name}`));
      const tree = repository("/w/tree/.git", { kind: "file", parts });
      expect(closedOf([...many, tree], ["/w/tree/src"])).toEqual(without("/w/r34"));
      const module = repository("/w/r35/.git/modules/m");
      const sub = repository("/w/r35/m/.git", { kind: "file", parts: [joinPath(module.path, "config")] });
      expect(closedOf([...many, module, sub], ["/w/r35/m"])).toEqual(without("/w/r35"));
    });

    it("tell with each that is closed how many there are, and what opens it", () => {
      const { reasons, remedies } = repositoryLayer(many);
      const [key, reason] = [...(reasons ?? [])].at(-1) ?? [""];
      expect(reason).toBe("`/w/r35/.git` is read-only: this call can change at most 16 of 36 repositories");
      expect(remedies?.get(key)).toBe(
        "start the call in `/w/r35` or name that folder in it, or list it as a separate root under `sandbox.paths`",
      );
      expect(repositoryLayer(many.slice(0, MAX_OPEN_REPOSITORIES)).reasons).toEqual(new Map());
    });
  });

  it("are the same in any order, and only ever take away", () => {
    const some = fc.array(
      fc.record({
        kind: fc.constantFrom("folder" as const, "file" as const, "link" as const),
        path: fc
          .constantFrom("/w/.git", "/w/a/.git", "/w/a/b", "/w/.git/worktrees/x", "/w/.git/modules/y")
          .map(absolutePath),
        isWhole: fc.boolean(),
        hooks: fc.subarray(["/w/h", "/w/a/h", "/x"]).map((paths) => paths.map(absolutePath)),
        configs: fc.subarray(["/w/c"]).map((paths) => paths.map(absolutePath)),
        parts: fc.subarray(["/w/p/config", "/w/p/hooks"]).map((paths) => paths.map(absolutePath)),
        detours: fc.subarray(["/w/d"]).map((paths) => paths.map(absolutePath)),
      }),
    );
    fc.assert(
      fc.property(
        some,
        fc.constantFrom("hooks/x", "config", "commondir", "HEAD", "objects/a"),
        (given, name) => {
          const repositories = [...new Map(given.map((one) => [one.path, one])).values()];
          expect(masked(...repositories.toReversed())).toEqual(masked(...repositories));
          const profile = repositoryProfile(repositories);
          expect(compare(profile, OPEN).kind).toBe("within");
          for (const { path, kind, isWhole } of repositories) {
            const inside = joinPath(path, name);
            const access = accessTo(profile, inside, { kind: "file", bornInside: true });
            expect(isAtMost(access, "write")).toBe(true);
            const isPart = kind === "folder" && isWhole && !path.includes("worktrees");
            if (isPart && /hooks|config|commondir/.test(name)) expect(access).toBe("read");
            const isCovered = repositories.some(
              (one) => (one.kind !== "folder" && isInside(path, one.path)) || one.hooks.includes(path),
            );
            if (isPart && /HEAD|objects/.test(name) && !isCovered) expect(access).toBe("write");
          }
        },
      ),
    );
  });
});
