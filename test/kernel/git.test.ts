import { beforeAll, describe, expect, it } from "vitest";
import { trialScript } from "../../src/host/launch/trial-script.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE, type Person } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("repositories");

/** Every kind of repository that git finds, and a folder that is none. */
const MADE = `
  export GIT_CONFIG_COUNT=3 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=n GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=e \
    GIT_CONFIG_KEY_2=protocol.file.allow GIT_CONFIG_VALUE_2=always HOME=/nonexistent
  set -e
  git init -q lib && (cd lib && echo l > l && git add l && git commit -qm l)
  git init -q repo && cd repo
  echo a > a && git add a && git commit -qm a
  git -c core.hooksPath=/dev/null submodule --quiet add "$PWD/../lib" sub && git commit -qm sub
  git worktree add -q ../linked -b linked
  rm -rf .git/hooks && rm .git/modules/sub/hooks/* && mkdir tools
  git config user.name n && git config user.email e
  git config core.hooksPath tools/hooks && git config include.path ../tools/shared.cfg
  printf '[core]\\n\\tpager = less\\n[include]\\n\\tpath = more.cfg\\n' > tools/shared.cfg
  cd .. && cp -r lib/.git bare && mkdir -p none/.x plain/tools plain/worktrees/w
  rm -rf none/.x && mkdir half half/.git && echo x > half/.git/HEAD
  git init -q ways && cd ways && rm -rf .git/hooks && mkdir .git/hooks scripts later deep
  echo x > scripts/pre-commit.sh && ln -s ../../scripts/pre-commit.sh .git/hooks/pre-commit
  ln -s ../../later/made.sh .git/hooks/post-commit
  mkdir -p cfg .vscode && ln -s ../cfg/tasks.json .vscode/tasks.json
  mkdir .git/remotes && echo 'URL: x' > .git/remotes/old && cd ..
  git init -q dangling && rm -rf dangling/.git/hooks && ln -s ../made dangling/.git/hooks
  mkdir led led/real led/sub && git init -q --separate-git-dir=led/real/store led/sub
  mkdir led/ways && ln -s ../real led/ways/link && echo "gitdir: ../ways/link/store" > led/sub/.git
  git init -q pruned && (cd pruned && git commit -q --allow-empty -m x && git worktree add -q ../gone -b gone)
  mv gone gone2 && (cd pruned && git worktree prune) && mv gone2 gone
`;

/**
 * What the host's git would run, or follow to something that it runs, by its path in the writable root, as a line that
 * makes, changes or moves it. The twin does the same to the second path.
 */
const ACTS: readonly (readonly [
  claim: string,
  path: string,
  twin: string,
  line: (path: string) => string,
])[] = [
  [
    "a hook of a repository, whose folder of hooks is missing",
    "repo/.git/hooks/pre-commit",
    "plain/hooks/a",
    write,
  ],
  [
    "the folder of hooks itself",
    "repo/.git/hooks",
    "plain/hooks2",
    (at) => `mkdir ${at} && echo x > ${at}/y`,
  ],
  ["the configuration", "repo/.git/config", "plain/config", write],
  ["the configuration, by another file renamed to it", "repo/.git/config", "plain/config", renamedTo],
  ["the configuration, by a link in its place", "repo/.git/config", "plain/config", linkedTo],
  ["a missing configuration of worktrees", "repo/.git/config.worktree", "plain/config.worktree", write],
  ["a missing pointer to another configuration", "repo/.git/commondir", "plain/commondir", write],
  ["that pointer, by another file renamed to it", "repo/.git/commondir", "plain/commondir", renamedTo],
  ["that pointer's placeholder", "repo/.git/commondir", "plain/removed", removed],
  ["the folder of the repository", "repo/.git", "plain/tools", movedAway],
  ["the folder that holds the repository", "repo", "plain/worktrees", movedAway],
  [
    "a folder of hooks elsewhere, which the configuration names and nobody made",
    "repo/tools/hooks/pre-push",
    "plain/tools2/pre-push",
    write,
  ],
  ["the folder that holds that one", "repo/tools", "plain/moved", movedAway],
  ["an included configuration", "repo/tools/shared.cfg", "plain/shared.cfg", write],
  ["one that is included by an included one, and missing", "repo/tools/more.cfg", "plain/more.cfg", write],
  ["a submodule's file that leads to its repository", "repo/sub/.git", "plain/file", write],
  ["that file, removed", "repo/sub/.git", "plain/removed2", removed],
  ["a submodule's configuration", "repo/.git/modules/sub/config", "plain/config2", write],
  ["a submodule's hook", "repo/.git/modules/sub/hooks/pre-commit", "plain/hooks/a", write],
  ["a submodule's missing pointer", "repo/.git/modules/sub/commondir", "plain/commondir", write],
  ["the folder of all submodules", "repo/.git/modules", "plain/modules", movedAway],
  ["a worktree's file that leads to its repository", "linked/.git", "plain/file", write],
  [
    "a worktree's pointer to the common folder",
    "repo/.git/worktrees/linked/commondir",
    "plain/commondir",
    write,
  ],
  ["a worktree's pointer back", "repo/.git/worktrees/linked/gitdir", "plain/gitdir", write],
  [
    "a worktree's missing configuration",
    "repo/.git/worktrees/linked/config.worktree",
    "plain/config.worktree",
    write,
  ],
  [
    "a hook of the folder that the configuration names, in a worktree",
    "linked/tools/hooks/pre-push",
    "plain/tools2/pre-push",
    write,
  ],
  ["a bare repository's configuration, whatever its name", "bare/config", "plain/config2", write],
  ["a bare repository's hook", "bare/hooks/post-update", "plain/hooks/a", write],
  ["a bare repository's missing pointer", "bare/commondir", "plain/commondir", write],
  ["a bare repository itself", "bare", "plain/bare", movedAway],
  ["what a link among the hooks leads to", "ways/scripts/pre-commit.sh", "plain/file", write],
  ["what such a link leads to and is missing", "ways/later/made.sh", "plain/file2", write],
  ["the folder that holds it", "ways/scripts", "plain/moved2", movedAway],
  [
    "what a link in the place of the hooks leads to and is missing",
    "dangling/made/pre-commit",
    "plain/made/a",
    write,
  ],
  [
    "what a link in the place of an editor's tasks leads to and is missing",
    "ways/cfg/tasks.json",
    "plain/t.json",
    write,
  ],
  ["a file of an old kind that says where a push goes", "ways/.git/remotes/old", "plain/old", write],
  ["a link on the way from a `.git` file to its repository", "led/ways/link", "plain/link", linkedTo],
  [
    "the place that a worktree's file leads to and that was pruned",
    "pruned/.git/worktrees/gone/HEAD",
    "plain/worktrees/gone/HEAD",
    write,
  ],
  ["what would make half a repository whole", "half/.git/config", "plain/config2", write],
  ["a pointer in half a repository", "half/.git/commondir", "plain/commondir", write],
];

function write(path: string): string {
  return `mkdir -p $(dirname ${path}); echo x > ${path}`;
}
function renamedTo(path: string): string {
  return `echo x > $(dirname ${path})/fresh && mv -f $(dirname ${path})/fresh ${path}`;
}
function linkedTo(path: string): string {
  return `ln -sfn /etc/passwd ${path}`;
}
function removed(path: string): string {
  return `mkdir -p $(dirname ${path}); [ -e ${path} ] || echo > ${path}; rm ${path}`;
}
function movedAway(path: string): string {
  return `mkdir -p ${path}; mv ${path} ${path}-away`;
}

/** What people do in a repository all day, and what fails by design. */
const WORK = {
  works: [
    "git status --short",
    "echo b > b && git add b && git commit -qm b",
    "git commit -q --amend -m bb",
    "git branch topic && git checkout -q topic && git checkout -q -",
    "git checkout -q -b other && git checkout -q -",
    "echo c >> b && git stash -q && git stash pop -q && git checkout -q b",
    "git checkout -q topic && echo d > d && git add d && git commit -qm d && git rebase -q -",
    "git merge -q other && git tag v1 && git log --oneline -1",
    "git gc -q && git fsck",
    "git reset -q --hard HEAD~0 && git clean -fdq -e tools",
    "git diff HEAD~1 && git show --stat && git reflog && git cherry-pick --abort || true",
    "git submodule status && git -C sub status --short && git -C sub log --oneline -1",
    "git worktree list && git worktree add -q ../wt2 && git worktree remove ../wt2",
    "git -C ../linked status --short && echo w > ../linked/w && git -C ../linked add w && git -C ../linked commit -qm w",
    "git init -q ../born && git -C ../born config core.editor vi && git clone -q . ../cloned && git -C ../cloned log -1",
  ],
  fails: [
    ["git config user.name x", "config"],
    ["git remote add origin /nowhere", "config"],
    ["git branch -m main2", "config"],
    ["git config --worktree a.b c", "config"],
  ],
} as const;

describe.skipIf(unusable !== null).each(PEOPLE)("git.exec: as $name, nobody changes", (person) => {
  let answers: readonly string[] = [];
  let [host, left] = ["", ""];
  beforeAll(async () => {
    using place = prepared(person);
    const before = place.plainly(STATE).stdout;
    const lines = ACTS.flatMap(([, path, twin, line]) => [line(path), line(twin)]);
    const [, reply] = await place.runServed({ job: { calls: [{ argv: ["sh", "-c", trialScript(lines)] }] } });
    answers = reply?.kind === "ran" ? reply.stdout.split("\n") : [];
    const after = place.plainly(STATE);
    host = after.stdout === before ? "as it was" : `${before} became ${after.stdout}${after.stderr}`;
    left = place.plainly("find . -name commondir -o -name '.cofferdam-*' -o -name config.worktree").stdout;
  });

  it.each(ACTS.map(([claim], at) => [claim, at] as const))("%s, but other files of that name", (_, at) => {
    expect([answers[2 * at], answers[2 * at + 1]]).toEqual(["n", "y"]);
  });

  it("and afterwards the host's git obeys what it obeyed before", () => {
    expect(host).toBe("as it was");
  });

  it("fs.residue: and no placeholder is left", () => {
    const own = ["./plain/commondir", "./plain/config.worktree", "./repo/.git/worktrees/linked/commondir"];
    expect(left.trim().split("\n").toSorted()).toEqual(own);
  });
});

describe.skipIf(unusable !== null).each(PEOPLE)("git.exec: as $name, in a part of a repository", (person) => {
  it.each([
    [
      "a folder of hooks in it that the configuration names",
      "part/tools/hooks/pre-commit",
      "part/other/pre-commit",
    ],
    ["a configuration in it that is included", "part/more.cfg", "part/other.cfg"],
  ])("nobody changes %s, but other files", async (_, path, twin) => {
    using place = new Place(person);
    place.plainly(
      "git init -q . && mkdir part && git config core.hooksPath part/tools/hooks && git config include.path ../part/more.cfg",
    );
    const paths = {
      all: { root: place.ws, mode: "ro" },
      part: { root: `${place.ws}/part`, mode: "rw", write_approval: false },
    };
    const lines = [write(`${place.ws}/${path}`), write(`${place.ws}/${twin}`)];
    const [, reply] = await place.runServed({
      settings: { sandbox: { paths } },
      job: { calls: [{ argv: ["sh", "-c", trialScript(lines)] }] },
    });
    expect(reply).toMatchObject({ kind: "ran", stdout: "n\ny\n" });
    expect(place.plainly(`ls ${path} ${twin}`).stdout).toBe(`${twin}\n`);
  });

  it("nobody changes a hook of a bare one that is a root itself", async () => {
    using place = new Place(person);
    place.plainly("git init -q --bare bare && rm -rf bare/hooks/*");
    const paths = { hooks: { root: `${place.ws}/bare/hooks`, mode: "rw", write_approval: false } };
    const settings = { sandbox: { paths } };
    const calls = [{ argv: ["sh", "-c", trialScript([write("post-update")])] }];
    const job = { cwd: `${place.ws}/bare/hooks`, calls };
    const [, reply] = await place.runServed({ settings, job });
    expect(reply).toMatchObject({ kind: "ran", stdout: "n\n" });
    place.plainly("mkdir -p plain/hooks");
    const other = { hooks: { root: `${place.ws}/plain/hooks`, mode: "rw", write_approval: false } };
    const [, twin] = await place.runServed({
      settings: { sandbox: { paths: other } },
      job: { cwd: `${place.ws}/plain/hooks`, calls },
    });
    expect(twin).toMatchObject({ kind: "ran", stdout: "y\n" });
  });
});

/** What the host's git obeys in each repository. */
const STATE = `for r in repo repo/sub linked bare lib; do git -C $r config --list --show-origin --includes
  find $r/.git/hooks $r/hooks $r/tools/hooks -type f ! -name '*.sample' 2>/dev/null; git -C $r rev-parse --git-common-dir; done`;

function prepared(person: Person): Place {
  const place = new Place(person);
  const made = place.plainly(MADE);
  if (made.status !== 0) throw new Error(`no repositories could be made: ${made.stderr}`);
  return place;
}

describe.skipIf(unusable !== null).each(PEOPLE)("git.exec: as $name, in a repository", (person) => {
  let replies: readonly (readonly [code: number, said: string])[] = [];
  let status = "";
  beforeAll(async () => {
    using place = prepared(person);
    const lines = [...WORK.works, ...WORK.fails.map(([line]) => line)];
    const [, ...all] = await place.runServed({
      job: { calls: lines.map((line) => ({ argv: ["sh", "-c", `cd repo && { ${line}\n}`] })) },
    });
    replies = all.map((reply) =>
      reply.kind === "ran" ? [reply.code, reply.stderr] : [-1, JSON.stringify(reply)],
    );
    status = place.plainly(
      "git -C repo status --short; git -C repo fsck 2>&1; git -C linked status --short",
    ).stdout;
  });

  it.each(WORK.works.map((line, at) => [line, at] as const))("%s", (_, at) => {
    expect(replies[at]).toEqual([0, expect.any(String)]);
  });

  it.each(WORK.fails.map(([line], at) => [line, at] as const))("%s fails, by design", (_, at) => {
    expect(replies[WORK.works.length + at]?.[0]).toBeGreaterThan(0);
    expect(replies[WORK.works.length + at]?.[1]).toMatch(
      /could not write config file|could not lock config file|--worktree/,
    );
  });

  it("leaves the host a repository that it can go on with", () => {
    expect(status).not.toMatch(/error|fatal|broken|missing/);
  });
});
