import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { contentIdOf } from "../../../src/host/look/content.ts";
import { absolutePath } from "../../../src/profile/path.ts";

const folder = mkdtempSync(join(tmpdir(), "cofferdam-content-"));
afterAll(() => rmSync(folder, { recursive: true }));

const place = (name: string) => absolutePath(join(folder, name));
const idOf = (path: string): string => `${statSync(path).dev}:${statSync(path).ino}`;

test("a small file is told by what it holds, whenever it was written", () => {
  const path = place("small");
  writeFileSync(path, "one");
  const first = contentIdOf(path, idOf(path));
  writeFileSync(path, "two");
  expect(contentIdOf(path, idOf(path))).not.toBe(first);
  writeFileSync(path, "one");
  expect(contentIdOf(path, idOf(path))).toBe(first);
});

test("a large file that is written in place is another, also when its times are put back", () => {
  const path = place("large");
  writeFileSync(path, "one");
  truncateSync(path, 65 * 1024 ** 2);
  const { atime, mtime } = lstatSync(path);
  const first = contentIdOf(path, idOf(path));
  expect(contentIdOf(path, idOf(path))).toBe(first);
  writeSync(openSync(path, "r+"), "two");
  utimesSync(path, atime, mtime);
  expect(contentIdOf(path, idOf(path))).not.toBe(first);
});

test("something else in the place of the file is found out, and a pipe there keeps nobody waiting", () => {
  const path = place("swapped");
  writeFileSync(path, "one");
  const id = idOf(path);
  rmSync(path);
  execFileSync("/usr/bin/mkfifo", [path]);
  expect(() => contentIdOf(path, id)).toThrow(expect.objectContaining({ code: "FACTS_UNSTABLE" }));
  expect(() => contentIdOf(path, idOf(path))).toThrow(expect.objectContaining({ code: "FACTS_UNSTABLE" }));
  rmSync(path);
  expect(() => contentIdOf(path, id)).toThrow(expect.objectContaining({ code: "FACTS_UNSTABLE" }));
});
