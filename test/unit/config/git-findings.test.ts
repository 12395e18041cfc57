import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withGitRoots } from "../../../src/cli/starter-git.ts";
import { gitFindings, gitLines } from "../../../src/config/git-findings.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import type { Root } from "../../../src/tool/facts.ts";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-elsewhere-")));
  sh("git init -q lib && cd lib && echo a >a && git add a && git commit -qm a && cp -r . ../main");
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const SETTINGS = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_COUNT: "3",
  GIT_CONFIG_KEY_0: "user.name",
  GIT_CONFIG_VALUE_0: "n",
  GIT_CONFIG_KEY_1: "user.email",
  GIT_CONFIG_VALUE_1: "e",
  GIT_CONFIG_KEY_2: "protocol.file.allow",
  GIT_CONFIG_VALUE_2: "always",
};

function sh(script: string): void {
  const env = { ...SETTINGS, PATH: "/usr/local/bin:/usr/bin:/bin", HOME: top };
  const { status, stderr } = spawnSync("/bin/sh", ["-ec", script], { cwd: top, env, encoding: "utf8" });
  expect(`${status} ${status === 0 ? "" : stderr}`).toBe("0 ");
}

function root(name: string, folder: string, more: Partial<Root> = {}): Root {
  const path = absolutePath(join(top, folder));
  return {
    name,
    path,
    mode: "rw",
    suffixes: "any",
    writeApproval: false,
    readApproval: false,
    at: null,
    ...more,
  };
}

const linesOf = (...roots: readonly Root[]) => gitLines(roots).map(({ line }) => line.replaceAll(top, ""));

describe("git of a root that needs what lies elsewhere", () => {
  const cases: readonly (readonly [
    what: string,
    make: string,
    folder: string,
    line: string,
    isMutual: boolean,
  ])[] = [
    [
      "a linked worktree",
      "cd main && git worktree add -q ../wt",
      "wt",
      'main: { root: "/main/.git", mode: rw, write_approval: false }',
      true,
    ],
    [
      "a submodule",
      "cd main && git submodule --quiet add $PWD/../lib sub",
      "main/sub",
      'main: { root: "/main/.git/modules/sub", mode: rw, write_approval: false }',
      true,
    ],
    [
      "a repository with its folder elsewhere",
      "git init -q --separate-git-dir=store apart",
      "apart",
      'main: { root: "/store", mode: rw, write_approval: false }',
      false,
    ],
    [
      "a repository that borrows objects",
      "git clone -q -s lib borrows",
      "borrows",
      'objects: { root: "/lib/.git/objects", mode: ro }',
      false,
    ],
    [
      "one that borrows from one that borrows",
      "git clone -q -s lib one; git clone -q -s one two; rm -rf one/.git/objects/pack; mkdir one/.git/objects/pack",
      "two",
      'objects: { root: "/one/.git/objects", mode: ro }',
      false,
    ],
    [
      "a link in the place of its folder",
      "mkdir linked; mv main/.git store; ln -s ../store linked/.git",
      "linked",
      'main: { root: "/store", mode: rw, write_approval: false }',
      false,
    ],
  ];

  test.each(cases)(
    "%s is found, with the line to add; with that line nothing is",
    (_what, make, folder, line, isMutual) => {
      sh(make);
      const work = root("workspace", folder);
      const [first] = gitLines([work]);
      expect(linesOf(work)[0]).toBe(line);
      expect(first?.elsewhere.isMutual).toBe(isMutual);
      const added = gitLines([work]).map(({ elsewhere }, at) => ({
        ...root(`a${at}`, ""),
        path: elsewhere.path,
      }));
      expect(linesOf(work, ...added)).toEqual([]);
      expect(linesOf(work, root("all", ""))).toEqual([]);
    },
  );

  test.each(["main", "lib"])("of a plain repository, %s, or of none, nothing is found", (folder) => {
    mkdirSync(join(top, "none"));
    expect(linesOf(root("workspace", folder), root("none", "none"))).toEqual([]);
  });

  test("two roots need one repository once, and names that are taken are not given again", () => {
    sh("cd main && git worktree add -q ../a && git worktree add -q ../b");
    expect(linesOf(root("main", "a"), root("b", "b", { mode: "ro" }))).toEqual([
      'main2: { root: "/main/.git", mode: rw, write_approval: false }',
    ]);
  });

  test.each([
    ["a folder that is no repository", 'mkdir -p x secret; echo "gitdir: $PWD/secret" > x/.git'],
    ["a file", 'mkdir x; echo key > secret; echo "gitdir: $PWD/secret" > x/.git'],
    ["nothing", "mkdir x; echo 'gitdir: ../gone' > x/.git"],
    [
      "objects that are none",
      'git init -q x; mkdir secret; echo "$PWD/secret" > x/.git/objects/info/alternates',
    ],
  ])("a repository can't propose to grant %s", (_what, make) => {
    sh(make);
    expect(linesOf(root("workspace", "x"))).toEqual([]);
  });

  test("another repository that knows nothing of the root is proposed as a comment alone", () => {
    sh("mkdir x; echo 'gitdir: ../lib/.git' > x/.git");
    const text = "paths:\n    workspace: { root: . }\n  runtimes: []\n";
    const written = withGitRoots(text, absolutePath(join(top, "x")));
    expect(written.split("\n").filter((line) => /\bmain:/.test(line))).toEqual([
      `    # main: { root: "${top}/lib/.git", mode: rw, write_approval: false }`,
    ]);
    sh("cd main && git worktree add -q ../wt");
    expect(withGitRoots(text, absolutePath(join(top, "wt"))).split("\n")[3]).toBe(
      `    main: { root: "${top}/main/.git", mode: rw, write_approval: false }`,
    );
  });

  test.each([
    ["`.git`", "mkdir x; echo 'gitdir: ../lib/.git' > x/.git", ".git"],
    [
      "the list of borrowed objects",
      'git init -q x; echo "$PWD/lib/.git/objects" > x/.git/objects/info/alternates',
      ".git/objects/info/alternates",
    ],
  ])("what %s alone names is told as what a call may have written", (_what, make, from) => {
    sh(make);
    expect(gitFindings({ roots: [root("workspace", "x")] }).map(({ hint }) => hint)).toEqual([
      expect.stringContaining(`calls may have written \`${top}/x/${from}\`; if you know that folder`),
    ]);
  });

  test("`check` tells it, with the line", () => {
    sh("cd main && git worktree add -q ../wt");
    writeFileSync(join(top, "wt/x"), "");
    const [finding] = gitFindings({ roots: [root("workspace", "wt")] });
    expect(finding).toMatchObject({
      severity: "warning",
      message: `git in the root \`workspace\` needs \`${top}/main/.git\`, which is in no root; \`${top}/wt/.git\` names it`,
      hint: `if that is your repository, add under \`sandbox.paths\` of the config: main: { root: "${top}/main/.git", mode: rw, write_approval: false }`,
    });
  });
});
