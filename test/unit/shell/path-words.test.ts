import { expect, test } from "vitest";
import { pathWords, possiblePathWords } from "../../../src/shell/path-words.ts";

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

test("any word may be the name of a file, and each piece of it, an option too", () => {
  const words = ["-q", "--no-header", "--", "-"];
  expect([...possiblePathWords(["pytest", ...words, ""])]).toEqual(words);
  expect([...possiblePathWords(["file", "link:y"])]).toEqual(["link:y", "y", "link"]);
  expect([...possiblePathWords(["gcc", "-Wp,-include,link,-DX"])]).toContain("link");
});

test.each([
  "--files0-from=-",
  "--files-from",
  "-files0-from",
  "--files0",
  "--exclude-from=x",
  "--pathspec-from-file=x",
])("`%s` may name whatever stands in a file", (word) => {
  expect([...possiblePathWords(["program", word])]).toContain("~");
  expect([...possiblePathWords(["program", `${word.slice(0, 4)}x`])]).not.toContain("~");
});

test("a word too long for a path is not cut up", () => {
  const word = `-${"a/".repeat(3_000)}`;
  expect([...pathWords(["program", word])]).toEqual([word]);
});
