import { describe, expect, it } from "vitest";
import { isInDependencyTree } from "../../../src/profile/dependency-trees.ts";
import { executedFinder, executedNames } from "../../../src/profile/executed.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { parsePatterns } from "../../../src/profile/pattern.ts";

const row = (names: string, by: string, runs: "unasked" | "started" = "unasked") =>
  executedNames({ by, when: "it starts", runs }, parsePatterns(names));

describe("which row names a path", () => {
  const find = executedFinder([
    ...row("**/{mcp,MCP2}.json", "one"),
    ...row("**/.warp/mcp.json", "two"),
    ...row("**/*.json", "three", "started"),
    ...row("**/a/b/*.json", "four", "started"),
  ]);
  it.each([
    ["a row that runs unasked", "/a/b/mcp.json", "one"],
    ["of those the one with most names", "/w/.warp/mcp.json", "two"],
    ["the one that a person starts, where there is no other", "/w/a.json", "three"],
    ["of those, too, the one with most names", "/w/A/b/c.JSON", "four"],
    ["none, where none does", "/w/mcp.json/a", null],
  ])("is %s", (_, path, by) => {
    expect(find(knownPath(path))?.by ?? null).toBe(by);
  });
});

describe("what lies below a folder of installed packages", () => {
  it.each([
    ["/w/node_modules/a/.envrc", "**/.envrc", true],
    ["/w/node_modules/.envrc", "**/.envrc", true],
    ["/v/lib/python3/site-packages/a/Makefile", "**/Makefile", true],
    ["/usr/lib/python3/dist-packages/Makefile", "**/Makefile", true],
    ["/w/.envrc", "**/.envrc", false],
    ["/w/my_node_modules/.envrc", "**/.envrc", false],
    ["/w/node_modules", "**/node_modules", false],
    // A row may name such a folder itself: then only what lies above it counts.
    ["/w/node_modules/.bin", "**/node_modules/.bin", false],
    ["/w/node_modules/a/node_modules/.bin", "**/node_modules/.bin", true],
    ["/v/lib/site-packages/a.pth", "**/site-packages/*.pth", false],
    ["/w/node_modules/.bin/x", "/w/node_modules/.bin/x", false],
    ["/w/node_modules/a/b", "**/a/**", true],
  ])("%s by %s: %s", (path, names, is) => {
    const [pattern] = parsePatterns(names);
    expect(pattern === undefined ? null : isInDependencyTree(knownPath(path), { pattern }, [])).toBe(is);
  });
});
