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
])("`%s` is read", (line) => {
  expect(unread(line)).toBe(false);
});

test("a pattern names what is unread by its program, and by its option where it takes one", () => {
  expect(
    ["bash", "bash -c", "timeout 5 make", "find . -exec grep", "git -c a=b status"].map(namesUnread),
  ).toEqual(Array.from({ length: 5 }, () => true));
  expect(["*", "ba* -c", "find", "git", "python3 *"].map(namesUnread)).toEqual(
    Array.from({ length: 5 }, () => false),
  );
});
