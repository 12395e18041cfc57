import { expect, test } from "vitest";
import { absolutePath } from "../../../../src/profile/path.ts";
import type { Root } from "../../../../src/tool/facts.ts";
import type { TouchedPath } from "../../../../src/tool/files/file-tool.ts";
import { gather, startsOf } from "../../../../src/tool/files/walk-roots.ts";

function root(name: string, path: string, readApproval = false): Root {
  return {
    name,
    path: absolutePath(path),
    mode: "rw",
    suffixes: "any",
    readApproval,
    writeApproval: false,
    at: null,
  };
}

test("without a path every root that asks nobody is walked, once, and none that asks", () => {
  const roots = [root("notes", "/w/notes"), root("inner", "/w/notes/inner"), root("diary", "/w/diary", true)];
  expect(startsOf(undefined, roots).map(({ written, argument }) => [written, argument])).toEqual([
    ["notes:", null],
  ]);
  expect(startsOf("diary:x", roots).map(({ written, argument }) => [written, argument])).toEqual([
    ["diary:x", "path"],
  ]);
});

test("of several roots together no more is told than was wanted, and a walk that ended early is the last", async () => {
  const target: TouchedPath = {
    written: "notes:",
    argument: null,
    need: "read",
    end: "followed",
    path: absolutePath("/w/notes"),
    root: null,
    shown: "notes:",
    looked: {
      target: "/w/notes",
      kind: "folder",
      version: "",
      bytes: 0,
      mode: 0,
      folder: "/w",
      leadsTo: null,
    },
  };
  const wanted: number[] = [];
  const walk = (stopped: "time" | null) => async (_: TouchedPath, max: number) => {
    wanted.push(max);
    return { found: Array.from({ length: Math.min(2, max) }, () => "x"), stopped };
  };
  expect(await gather([target, target, target], 3, walk(null))).toEqual({
    found: ["x", "x", "x"],
    stopped: null,
  });
  expect(wanted).toEqual([3, 1, 0]);
  expect(await gather([target, target], 3, walk("time"))).toEqual({ found: ["x", "x"], stopped: "time" });
  expect(wanted).toEqual([3, 1, 0, 3]);
});
