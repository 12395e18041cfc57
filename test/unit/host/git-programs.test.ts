import { describe, expect, it } from "vitest";
import { settingsThatRun } from "../../../src/host/git/programs.ts";

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
