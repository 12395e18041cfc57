import { describe, expect, it } from "vitest";
import { settingsThatRun, unnamedSettings } from "../../../src/host/look/git/programs.ts";

const told = (name: string, value: string | null): readonly string[] => settingsThatRun([{ name, value }]);

describe("git.exec: settings that name a program are told, those beside them are not", () => {
  it.each([
    ["gc.recentobjectshook", "./x", "gc.auto", "0"],
    ["gc.Any.recentobjectshook", "./x", "gc.refs/heads/*.reflogexpire", "never"],
    ["pull.twohead", "x", "pull.rebase", "true"],
    ["pull.octopus", "x", "pull.ff", "only"],
    ["fetch.bundleuri", "x::y", "fetch.prune", "true"],
    ["extensions.partialclone", "x::y", "extensions.partialclone", "origin"],
    ["branch.m.remote", "x::y", "branch.m.remote", "origin"],
    ["branch.m.pushremote", "-x", "branch.m.pushremote", "https://example.org/a"],
    ["remote.o.url", "x::y", "remote.o.url", "/srv/a.git"],
    ["core.fsmonitor", "./x", "core.fsmonitor", null],
  ])("%s = %s, not %s = %s", (name, value, plain, plainValue) => {
    expect(told(name, value)).toEqual([name]);
    expect(told(plain, plainValue)).toEqual([]);
  });
});

describe("git.exec: of more settings than anybody reads", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `filter.f${index}.clean`, value: "x" }));

  it("a hundred are named, and how many more there are", () => {
    expect(settingsThatRun(many(100))).toEqual(many(100).map(({ name }) => name));
    const told = settingsThatRun([...many(3_500), ...many(5)]);
    expect([told.length, told[99], told[100]]).toEqual([101, "filter.f99.clean", "3400 more settings"]);
    expect(told.map(unnamedSettings).filter((count) => count > 0)).toEqual([3_400]);
  });

  it("that git writes in another folder is always among them", () => {
    const told = settingsThatRun([...many(200), { name: "core.worktree", value: "../x" }]);
    expect([told.length, told[0], told[99], told[100]]).toEqual([
      101,
      "core.worktree",
      "filter.f98.clean",
      "101 more settings",
    ]);
  });

  it("the beginning of a long name is told", () => {
    const name = `filter.${"x".repeat(5_000)}.clean`;
    expect(told(name, "x")).toEqual([`${name.slice(0, 200)}…`]);
    expect(told(name.slice(0, 200), "x")).toEqual([name.slice(0, 200)]);
  });
});
