import { realpathSync } from "node:fs";
import { expect, test } from "vitest";
import { loadedByMaps, loadedByReport } from "../../../src/host/look/loaded.ts";
import { knownPath, parentOf } from "../../../src/profile/path.ts";

const NODE = knownPath(realpathSync.native(process.execPath));
const isLinux = process.platform === "linux";

test.skipIf(!isLinux)("the report names every library that the kernel has mapped, and no more", () => {
  expect(loadedByReport(NODE, []).libraries.toSorted()).toEqual(loadedByMaps(NODE).libraries.toSorted());
});

test("a library is named by its real path, and the links by which the loader finds it are told", () => {
  const { libraries, links } = loadedByReport(NODE, []);
  expect(libraries.map((path) => realpathSync.native(path))).toEqual(libraries);
  expect(libraries).not.toContain(NODE);
  expect(new Set(links.map(({ path }) => path)).size).toBe(links.length);
});

test("what lies in the system's own folders is left out, and so are links there", ({ skip }) => {
  const { libraries } = loadedByReport(NODE, []);
  const [first] = libraries;
  if (first === undefined && process.platform === "darwin")
    return skip("this Node has loaded nothing but what macOS keeps in its cache of libraries");
  if (first === undefined) throw new Error("Node has loaded no library");
  const left = loadedByReport(NODE, [parentOf(first)]);
  expect(left.libraries).not.toContain(first);
  expect(left.links.filter(({ path }) => parentOf(path) === parentOf(first))).toEqual([]);
});

test("the report's own setting stays as it was", () => {
  const before: unknown = Reflect.get(process.report, "excludeNetwork");
  loadedByReport(NODE);
  expect(Reflect.get(process.report, "excludeNetwork")).toBe(before);
});
