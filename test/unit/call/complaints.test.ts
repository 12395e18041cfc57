import { expect, test } from "vitest";
import { complainedPaths } from "../../../src/call/denials/complaints.ts";

test.each([
  ["of the C library", "cat: /w/a: No such file or directory", ["/w/a"]],
  ["in quotes", "cp: '/w/a': Permission denied", ["/w/a"]],
  ["of Rust", "Error: ‘/w/a’: Permission denied (os error 13)", ["/w/a"]],
  ["of Python", "PermissionError: [Errno 13] Permission denied: '/w/a b'.txt", []],
  ["of Python, whole", "PermissionError: [Errno 13] Permission denied: '/w/a'", ["/w/a"]],
  ["of Node", "Error: EACCES: permission denied, open '/w/a'", ["/w/a"]],
  // Each quote begins a path anew, so that a line of quotes takes time in proportion to its length.
  ["behind more than one quote", "‘/w/a‘/w/b: Permission denied", ["/w/b"]],
  ["with an escape sequence in the path", "cat: /w/a\u001B[2Jb: Permission denied", []],
  ["with a mark of the reading direction in the path", "cat: /w/a\u202Eb: Permission denied", []],
  ["in more than one line", "cat: /w/a: Permission denied\ncat: /w/b: Permission denied", ["/w/a", "/w/b"]],
])("the paths of a program's own error are found: %s", (_what, said, paths) => {
  expect(complainedPaths(said)).toEqual(paths);
});
