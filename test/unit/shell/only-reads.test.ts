import { expect, test } from "vitest";
import { isHarmlessBuiltin } from "../../../src/shell/builtins.ts";
import { onlyReads } from "../../../src/shell/only-reads.ts";
import { parseLine } from "../../../src/shell/parse.ts";

const judged = (line: string, judge: (words: readonly string[]) => boolean) => {
  const [command] = parseLine(line).commands;
  return command !== undefined && judge(command.words);
};

test.each([
  ...[
    "ls -la src",
    "cat $x",
    "head -5 a",
    "tail -f a",
    "grep -rn 'a' src",
    "rg -n a",
    "wc -l",
    "cut -d, -f2",
    "uniq -c a",
  ],
  ...[
    "diff -u a b",
    "cmp a b",
    "stat a",
    "file a",
    "du -sh .",
    "df -h",
    "which a",
    "basename $x",
    "date +%F",
    "date -u",
  ],
  ...[
    "ps aux",
    "tree -L 2",
    "nl a",
    "sha256sum -c a",
    "[ -f a ]",
    "sort -n a",
    "find . -name '*.ts' -not -path './x/*'",
  ],
  ...["sed -n '1,20p' a", "sed 's/a/b/g' a", "jq .a b", "find src -name x", 'sort "src/$x"', "tree src/*"],
  ...["git status --short", "git log --oneline -5", "git diff HEAD~1 -- a", "git show HEAD:a", "git blame a"],
  ...[
    "git ls-files",
    "git rev-parse HEAD",
    "git branch -a",
    "git branch",
    "git remote -v",
    "git tag",
    "git tag -l 'v*'",
  ],
  ...["git stash list", "git --no-pager log", "git config --get user.name", "git reflog"],
])("surely writes nothing and runs nothing: %s", (line) => {
  expect(judged(line, onlyReads)).toBe(true);
});

test.each([
  ...[
    "rm a",
    "tee a",
    "python3 a",
    "make",
    "./ls",
    "/bin/ls",
    "$x",
    "sed -i s/a/b/ c",
    "sed 'w a' b",
    "sed -n $x a",
  ],
  ...[
    "sort -o a b",
    "sort $x",
    "uniq a b",
    "uniq $x",
    "find . -delete",
    "find . -exec a {} +",
    "find $x",
    "find . -fprint a",
  ],
  ...[
    "find . -ok a",
    "rg --pre a b",
    "rg $x",
    "diff -l a b",
    "diff -ul a b",
    "diff --paginate a b",
    "diff $x",
  ],
  ...[
    "file -C -m a",
    "file -z a",
    "file --compile",
    "tree -o a",
    "tree -R",
    "tree $x",
    "date -s a",
    "date 0101",
    "date $x",
  ],
  ...[
    "date --set=a",
    "hostname a",
    "xxd -r a b",
    "env",
    "xargs ls",
    "awk '{print}'",
    "less a",
    "tar tf a",
    "curl a",
  ],
  ...[
    "git",
    "git -C a status",
    "git -c a=b log",
    "git -p log",
    "git push",
    "git commit",
    "git diff --output=a",
    "git $x",
  ],
  ...[
    "git log $x",
    "git log --ext-diff",
    "git diff --textconv",
    "git grep -Oa b",
    "git branch a",
    "git branch -D a",
  ],
  ...[
    "git tag a",
    "git tag -l -d a",
    "git remote add a b",
    "git remote show a",
    "git stash",
    "git stash pop",
    "git config a b",
  ],
  ...[
    "git config --get --unset a",
    "git reflog expire",
    "git checkout a",
    "git fetch",
    "git worktree add a",
    "git-log",
  ],
])("may write or run something: %s", (line) => {
  expect(judged(line, onlyReads)).toBe(false);
});

test.each([
  ...[
    "cd a",
    "export CI=1",
    "set -e",
    "test -f a",
    "[ a ]",
    "printf a",
    "read x",
    "wait",
    "true",
    "echo a",
    ": a",
    "exit 1",
  ],
  ...[
    "break",
    "command -v a",
    "type a",
    "hash -r",
    "umask 022",
    "unset x",
    "shift",
    "pwd",
    "popd",
    "jobs",
    "disown",
  ],
])("is bash's own, and does nothing beside: %s", (line) => {
  expect(parseLine(line).unread).toEqual([]);
  expect(judged(line, isHarmlessBuiltin)).toBe(true);
});

test.each([
  "ls",
  "kill 1",
  "eval a",
  "exec a",
  "command a",
  "source a",
  "trap a EXIT",
  "./cd a",
  "/bin/echo a",
  "if",
  "declare x",
])("is a program, or does more: %s", (line) => {
  expect(judged(line, isHarmlessBuiltin)).toBe(false);
});
