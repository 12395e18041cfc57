import { expect, test } from "vitest";
import { isUnread, namesUnread } from "../../../src/shell/unread.ts";

const unread = (line: string): boolean => {
  const [program = "", ...rest] = line.split(" ");
  return isUnread(program, rest);
};

test.each([
  "bash -c x",
  "/bin/sh x.sh",
  "bash-5.2 -c x",
  "env x",
  "timeout 5 x",
  "sudo x",
  "busybox sh",
  "find . -exec x",
  "find . -okdir x",
  "python3 -c x",
  "python3.11 -Ic x",
  "perl -ne x",
  "perl5.36.0 -0777ne x",
  "ruby -e x",
  "node -pe x",
  "node --eval=x",
  "php -r x",
  "awk x",
  "git -c alias.p=push p",
  "git -C . --config-env=alias.p=X p",
  "/usr/lib/git-core/git-push origin",
  "/lib64/ld-linux-x86-64.so.2 /usr/bin/git push",
  "perl",
  "python3 -",
  "python3 -v",
  "node --no-warnings",
  "ed -s",
  "sqlite3 x",
  "capsh -- -c x",
  "linux64 x",
  "i386 x",
  "/usr/bin/x86_64 x",
  "uname26 x",
])("`%s` runs what its words say", (line) => {
  expect(unread(line)).toBe(true);
});

test.each([
  "find . -name x",
  "python3 -m pytest",
  "python3 x.py",
  "node x.js",
  "git push",
  "git commit -c HEAD",
  "shfmt x",
  "environment x",
  "node -v",
  "python3 --version",
  "perl -v",
])("`%s` is read", (line) => {
  expect(unread(line)).toBe(false);
});

test("a pattern for file names may be the option by which a program runs its words", () => {
  expect(isUnread("perl", ["\0-"])).toBe(true);
  expect(isUnread("python3", ["\0"])).toBe(true);
  expect(isUnread("python3", ["\0src/"])).toBe(false);
  expect(isUnread("git", ["-C", "\0p", "log"])).toBe(true);
  expect(isUnread("git", ["log", "\0p"])).toBe(false);
});

test("a pattern names what is unread by its program, and by its option where it takes one", () => {
  expect(
    ["bash", "bash -c", "timeout 5 make", "find . -exec grep", "git -c a=b status"].map(namesUnread),
  ).toEqual(Array.from({ length: 5 }, () => true));
  expect(["*", "ba* -c", "find", "git", "python3 *", "python3"].map(namesUnread)).toEqual(
    Array.from({ length: 6 }, () => false),
  );
});
