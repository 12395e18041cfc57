import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LINUX_ONLY, leftOutOn } from "./support/linux-only.ts";

const root = join(import.meta.dirname, "..");

test.each(Object.entries(LINUX_ONLY))("%s is there, and %s", (pattern, reason) => {
  expect(filesOf(pattern)).not.toEqual([]);
  expect(reason).toMatch(/\/proc|\/dev\/shm|bubblewrap|cgroups/);
});

test("a name that nothing has is noticed", () => {
  expect(filesOf("test/kernels/*.test.ts")).toEqual([]);
});

test("no file is listed twice", () => {
  const files = Object.keys(LINUX_ONLY).flatMap(filesOf);
  expect(files.toSorted()).toEqual([...new Set(files)].toSorted());
});

test("Linux leaves out none of them, and macOS nothing else", () => {
  expect(leftOutOn("linux")).toEqual({});
  expect(leftOutOn("darwin")).toEqual(LINUX_ONLY);
});

function filesOf(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: root });
}
