import { expect, test } from "vitest";
import { hazardOf } from "../../../src/shell/hazards.ts";

const does = (line: string): string | null => hazardOf(line.split(" "))?.does ?? null;

test.each([
  ...[
    "find . -exec x",
    "find . -okdir x",
    "sort --compress-program=x",
    "rg --pre x",
    "tar tf x --to-command=y",
  ],
  ...[
    "tar Itf x y",
    "man -Px y",
    "go test -exec x",
    "xargs x",
    "git -c a=b log",
    "git -p log",
    "git log --ext-diff",
  ],
  ...[
    "git clone -c a=b x",
    "git fetch --upload-pack x",
    "git grep -Ox y",
    "git --git-dir=x log",
    "/usr/bin/find . -exec x",
    "git rebase -qx x HEAD~1",
    "git -C y rebase -kx'x' HEAD~1",
    "git clone -qu x . y",
    "git send-email --sendmail-cmd=x",
  ],
  ...[
    "sed s/a/b/e x",
    "sed -f x y",
    "sed 1e x",
    "sed -e p -e e y",
    "gsed s/a/b/;e x",
    "awk {print|x}",
    "gawk -f x",
  ],
])("`%s` may run another program", (line) => {
  expect(does(line)).toBe("runs");
});

test.each([
  ...[
    "find . -delete",
    "find . -fprintf x y",
    "sort -o x y",
    "sort -ro x y",
    "sed -i s/a/b/ x",
    "sed -ni p x",
  ],
  ...[
    "tar xf x",
    "tar --extract -f x",
    "base64 -o x",
    "git log --output=x",
    "uniq a b",
    "tee x",
    "curl -o x y",
    "tree -o x",
  ],
])("`%s` writes or removes files", (line) => {
  expect(does(line)).toBe("writes");
});

test.each([
  ...[
    "find . -name x",
    "sort -k2 x",
    "rg -n x",
    "tar tf x",
    "tar -tvf x",
    "man x",
    "go test ./...",
    "git log -p",
  ],
  ...[
    "git commit -m x",
    "git push --force",
    "git -C x status",
    "sed s/a/b/g x",
    "sed -n 1,5p x",
    "sed -e p x e",
  ],
  ...["awk {print$1} x", "base64 -d x", "uniq -c a", "make test", "curl -s x", "findx -delete", "ls -o"],
])("`%s` does what its name says", (line) => {
  expect(does(line)).toBe(null);
});

test.each([
  ...["sed --e=1e x", "tar tf x --checkpoint-=exec=y", "tar --use=x -tf y", "make -E x", "git grep --op=x y"],
  ...["git clone --up=x y", "git rebase --exe=x y", "git rebase -xfalse y", "git rebase -ixfalse y"],
  ...[
    "git config alias.x !y",
    "gcc -wrapper x",
    "git submodule foreach x",
    "cc @x",
    "install --strip-program=x a b",
    "view -c x",
  ],
])("`%s` may run another program, cut short or joined", (line) => {
  expect(does(line)).toBe("runs");
});

test.each(["sort --out=x y", "git archive -ox HEAD", "curl --outp x y", "gcc -o x y"])(
  "`%s` writes, cut short or joined",
  (line) => {
    expect(does(line)).toBe("writes");
  },
);

test.each([
  ...[
    "tar --checkpoint -tf x",
    "git diff --text",
    "git --exec-path",
    "git config --get user.name",
    "gcc -c x.c",
  ],
  ...["git commit -mfix", "git clean -n", "install --strip a b", "git config --list"],
])("`%s` does what its name says, though it begins like another", (line) => {
  expect(does(line)).toBe(null);
});

test("a word that begins in a known way may still be what a program runs or writes", () => {
  const known = (program: string, ...words: readonly string[]): unknown =>
    hazardOf([program, ...words])?.does ?? null;
  expect(known("tee", "\0vict")).toBe("writes");
  expect(known("make", "\0CC=x")).toBe("runs");
  expect(known("awk", "\0BEGIN")).toBe("runs");
  expect(known("awk", "-F", ",", "\0x")).toBe("runs");
  expect(known("awk", "{print}", "\0src/")).toBe(null);
  expect(known("git", "\0bis", "run", "x")).toBe("runs");
  expect(known("git", "-C", "\0p", "log")).toBe("runs");
  expect(known("git", "log", "\0src/")).toBe(null);
  expect(known("less", "\0+")).toBe("runs");
});

test("a pattern for file names may bring an option, unless it says how they begin", () => {
  expect(hazardOf(["sort", "\0"])).toEqual({ word: "*", does: "runs" });
  expect(hazardOf(["sort", "\0-"])).toEqual({ word: "-*", does: "runs" });
  expect(hazardOf(["sort", "\0src/"])).toBe(null);
  expect(hazardOf(["ls", "\0"])).toBe(null);
});
