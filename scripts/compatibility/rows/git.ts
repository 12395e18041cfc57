import type { Group, Row } from "../row.ts";

/** The author of commits, set by the environment: the machine's settings are not needed. */
export const WHO =
  "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org";
export const ONE = ["git init -q -b main .", "echo one > a", "git add .", "git commit -qm one"];
const TWO = ["echo two > b", "git add b", "git commit -qm two"];
/** Repositories on disk may be submodules only where that is said (git-config(1), `protocol.allow`). */
const SUBMODULE = "git -c protocol.file.allow=always submodule";
const WITH_SUBMODULE = [
  "git init -q ~/lib",
  "git -C ~/lib commit -q --allow-empty -m one",
  ...ONE,
  `${SUBMODULE} --quiet add ~/lib sub`,
  "git commit -qm sub",
];

interface More extends Pick<Row, "setting" | "fails" | "isQuick"> {
  readonly needs?: Row["needs"];
  readonly before?: readonly string[];
}

/** In a repository that the person has: one commit on `main`. */
function git(name: string, does: string, line: readonly string[], more: More = {}): Row {
  const before = [WHO, ...(more.before ?? ONE)];
  return { name, does, needs: ["git"], ...more, before, line: [WHO, ...line] };
}

/** Files that the host's `git` obeys cannot be changed: the outcome says so and names the remedy. */
function refused(name: string, does: string, line: readonly string[], more: More = {}): Row {
  const says = /could not (write|lock) config file[^\n:]*|could not set[^\n]*|Read-only file system/;
  return git(name, does, line, { ...more, fails: { says, remedy: "told" } });
}

/** Work in a repository, and changes that are only possible outside the sandbox. */
export const GIT: Group = {
  title: "git",
  rows: [
    git(
      "git status, diff, log",
      "and `show`, `blame`, `grep`, `tag`, `describe`, `reflog`",
      [
        "git status",
        "git diff HEAD",
        "git log --oneline",
        "git show --stat",
        "git blame a",
        "git grep one",
        "git tag v1",
        "git describe --tags",
        "git reflog",
      ],
      { isQuick: true },
    ),
    git(
      "git add, commit",
      "and `--amend`, `mv`, `rm`, `restore`, `reset`, `clean`",
      [
        ...TWO,
        "git commit -q --amend -m 'two, again'",
        "git mv b c",
        "git restore --staged .",
        "git reset -q --hard",
        "git rm -q b",
        "git commit -qm three",
        "touch d",
        "git clean -fdq",
        "[ ! -e d ]",
      ],
      { isQuick: true },
    ),
    git("git branch, switch, merge", "and `checkout -b`, `cherry-pick`, a conflict that is solved", [
      "git switch -q -c side",
      "echo two > a",
      "git commit -qam two",
      "git switch -q main",
      "git checkout -q -b other",
      "echo three > a",
      "git commit -qam three",
      "git merge -q side || echo both > a",
      "git commit -qam both",
      "git switch -q main",
      "git cherry-pick side",
      "git merge -q -X theirs other",
      "git branch -d side other",
    ]),
    git("git stash", "pushed and popped", [
      "echo two > a",
      "git stash -q",
      "git stash list | grep -q main",
      "git stash pop -q",
      "grep -q two a",
    ]),
    git("git rebase", "interactive, with an editor that is a program, and `--autosquash`", [
      "git switch -q -c side",
      ...TWO,
      "echo bb > b",
      "git commit -qam 'fixup! two'",
      "git switch -q main",
      "echo c > c",
      "git add c",
      "git commit -qm c",
      "git switch -q side",
      "GIT_SEQUENCE_EDITOR=true git rebase -q -i --autosquash main",
      '[ "$(git rev-list --count HEAD)" = 3 ]',
    ]),
    git("git bisect, apply, archive, bundle", "each once", [
      "for n in 1 2 3 4; do echo $n > a; git commit -qam $n; done",
      "git bisect start HEAD HEAD~4",
      "git bisect run sh -c 'grep -q [012o] a'",
      "git bisect reset",
      "git diff HEAD~1 > p",
      "git apply -R p",
      "git checkout -q .",
      "git archive HEAD | tar t",
      "git bundle create b.bundle main",
    ]),
    git("git gc, fsck", "and `repack`, `pack-refs`, `prune`", [
      "git gc -q",
      "git repack -adq",
      "git pack-refs --all",
      "git prune",
      "git fsck",
    ]),
    git("git worktree", "made, used and removed inside the project", [
      "git worktree add -q wt -b topic",
      "cd wt",
      ...TWO,
      "git rebase -q main",
      "cd ..",
      "git worktree list",
      "git worktree remove wt",
    ]),
    git(
      "git in a worktree",
      "the project is a worktree of a repository elsewhere",
      [
        ...TWO,
        "echo three > b",
        "git stash -q",
        "git stash pop -q",
        "git commit -qam three",
        "git rebase -q main",
      ],
      {
        before: [
          "git init -q -b main ~/main",
          "git -C ~/main commit -q --allow-empty -m one",
          "git -C ~/main worktree add -q ~/wt -b topic",
          "mv ~/wt/.git .",
          "git -C ~/main worktree repair $PWD",
        ],
        setting: "sandbox: { paths: { main: { root: /home/you/main, mode: rw, write_approval: false } } }",
      },
    ),
    git(
      "git commit -S",
      "signed by GnuPG, with a key in a folder of its own",
      [
        "export GNUPGHOME=${GNUPGHOME:-$HOME/keys}",
        "git config --global user.signingkey a@example.org",
        "git commit -q -S --allow-empty -m two",
        "gpgconf --kill all",
        "git cat-file -p HEAD | grep -q PGP",
      ],
      {
        needs: ["git", "gpg"],
        before: [
          ...ONE,
          "mkdir -m 700 ~/keys",
          "GNUPGHOME=~/keys gpg --batch --quiet --passphrase '' --quick-gen-key 'a <a@example.org>' ed25519 sign never",
          "GNUPGHOME=~/keys gpgconf --kill all",
        ],
        setting:
          "sandbox: { paths: { keys: { root: /home/you/keys, mode: rw, write_approval: false } }, env: { set: { GNUPGHOME: /home/you/keys } } }",
      },
    ),
    git("git init", "and everything in the new repository: `config`, `remote add`, `branch -m`, a hook", [
      "git init -q -b main new",
      "cd new",
      "git config user.name x",
      "git remote add origin ..",
      "git fetch -q",
      "git checkout -q -B main --track origin/main",
      "git push -q origin HEAD:refs/heads/pushed",
      "printf '#!/bin/sh\\ntouch ran\\n' > .git/hooks/pre-commit",
      "chmod +x .git/hooks/pre-commit",
      "git commit -q --allow-empty -m two",
      "[ -e ran ]",
      "git branch -m trunk",
    ]),
    git("git clone", "from a path, also `--bare`, and `pull` in the new one", [
      "git clone -q . copy",
      "git -C copy log --oneline",
      "git -C copy pull -q",
      "git clone -q --bare . bare.git",
    ]),
    git(
      "git fetch, pull, push",
      "with a remote on disk that was added before",
      [...TWO, "git push -q origin main", "git fetch -q", "git pull -q --ff-only", "git status -sb"],
      {
        before: [
          ...ONE,
          "git clone -q --bare . bare.git",
          'git remote add origin "$PWD/bare.git"',
          "git fetch -q",
          "git branch -q -u origin/main",
        ],
      },
    ),
    git(
      "git in a submodule",
      "that was added before: `status`, `foreach`, a commit in it and of it",
      [
        "git submodule status",
        "git submodule --quiet foreach 'git status --short'",
        "cd sub",
        ...TWO,
        "cd ..",
        "git commit -qam 'a newer sub'",
      ],
      { before: WITH_SUBMODULE },
    ),
    git(
      "git commit, with a hook",
      "a hook that the person installed runs, in the sandbox",
      [...TWO, "[ -e ran ]"],
      {
        before: [
          ...ONE,
          "mkdir -p .git/hooks",
          "printf '#!/bin/sh\\ntouch ran\\n' > .git/hooks/pre-commit",
          "chmod +x .git/hooks/pre-commit",
        ],
      },
    ),
    refused("git config", "`git config core.pager less`", ["git config core.pager less"], { isQuick: true }),
    refused("git remote add", "`git remote add origin ..`", ["git remote add origin .."]),
    refused("git branch -m", "`git branch -m trunk`", ["git branch -m trunk"]),
    refused(
      "git branch -u",
      "`git branch --set-upstream-to other`; git ends with 0 and says that it was done",
      ["git branch --set-upstream-to other", "git rev-parse '@{upstream}'"],
      { before: [...ONE, "git branch other"] },
    ),
    refused(
      "git push -u",
      "to a repository of the project; it is pushed, and git ends with 0 and says that it was done",
      ["git push -q -u origin HEAD:new", "git rev-parse '@{upstream}'"],
      { before: [...ONE, "git init -q --bare there.git", "git remote add origin there.git"] },
    ),
    refused(
      "git checkout -b, to follow a remote's branch",
      "the branch is made and checked out; git ends with 0 and says that it follows the other",
      ["git checkout -q -b mine origin/other", "git rev-parse '@{upstream}'"],
      {
        before: [
          ...ONE,
          "git init -q --bare there.git",
          "git remote add origin there.git",
          "git push -q origin HEAD:other",
          "git fetch -q",
        ],
      },
    ),
    refused("git remote set-url", "`git remote set-url origin ..`", ["git remote set-url origin .."], {
      before: [...ONE, "git remote add origin there.git"],
    }),
    refused("git sparse-checkout", "`git sparse-checkout set one`", ["git sparse-checkout set one"]),
    refused(
      "git submodule add",
      "a repository of the project; git ends with 0",
      [`${SUBMODULE} add ./lib sub`, "git config submodule.sub.url"],
      { before: [...ONE, "git clone -q . lib"] },
    ),
    refused("git submodule update", "of a submodule that was added before", [`${SUBMODULE} update`], {
      before: WITH_SUBMODULE,
    }),
    refused("git hooks", "a hook is added", ["mkdir -p .git/hooks", "echo x > .git/hooks/pre-commit"]),
  ],
};
