import { expect, test } from "vitest";
import { pathWords } from "../../../src/shell/path-words.ts";

test("a word of names and slashes is one path, and the program's own word is none", () => {
  expect([...pathWords(["/usr/bin/pytest", "tests/unit", "a-b_c.py", "..", "/etc", "ümlaut"])]).toEqual([
    "tests/unit",
    "a-b_c.py",
    "..",
    "/etc",
    "ümlaut",
  ]);
});

test.each([
  ["-cf/other/x.tar", "/other/x.tar"],
  ["-cf../other/y", "../other/y"],
  ["-f/etc/x", "/etc/x"],
  ["-I../x", "../x"],
  ["-C..", ".."],
  ["-Clink", "link"],
  ["-xvflink", "link"],
  ["-o=/x", "/x"],
  ["--file=/x", "/x"],
  ["--file=-f/x", "/x"],
  ["--file=a:/x", "/x"],
  ["if=/x", "/x"],
  ["of=x", "x"],
  ["@file", "file"],
  ["-d@/etc/x", "/etc/x"],
  ["host:/etc/x", "/etc/x"],
  ["file:///etc/x", "///etc/x"],
  ["r /etc/x", "/etc/x"],
  ["~/x", "~/x"],
  ["a~", "~"],
  ["-f~ann/x", "~ann/x"],
  ["-/etc/x", "/etc/x"],
])("in `%s` lies `%s`", (word, path) => {
  expect([...pathWords(["program", word])]).toContain(path);
});

test("an option without a value names no path, and a value with a slash is taken whole", () => {
  expect([...pathWords(["pytest", "-q", "--no-header", "--", "-", ""])]).toEqual([]);
  expect([...pathWords(["pytest", "--rootdir=tests/unit"])]).toEqual(["tests/unit"]);
});

test("a word too long for a path is not cut up", () => {
  const word = `-${"a/".repeat(3_000)}`;
  expect([...pathWords(["program", word])]).toEqual([word]);
});
