import { appendFileSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Appearances, Appeared } from "../../src/host/launch/appeared.ts";
import type { Outcome } from "../../src/index.ts";
import { type TestSession, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Place } from "../support/battery/place.ts";

sandboxMustWork("what appeared");

const standing = (
  prepare: Parameters<typeof testSession>[0] = () => undefined,
  sandbox: Readonly<Record<string, unknown>> = {},
): Promise<TestSession> =>
  testSession(prepare, {
    settings: { sandbox: { appeared: "report", ...sandbox }, shell: { default: { approval: false } } },
  });

type Told = Pick<Appearances, "unknown"> & {
  readonly found: readonly Pick<Appeared, "path" | "kind" | "runs">[];
};

function appeared(outcome: Outcome, { place }: TestSession): Told {
  if (!("receipt" in outcome) || outcome.receipt === null) throw new Error(JSON.stringify(outcome));
  const { found, unknown } = outcome.receipt.appeared;
  return {
    found: found.map(({ path, kind, runs }) => ({
      path: path.replace(`${place.ws}/`, "") as typeof path,
      kind,
      runs,
    })),
    unknown,
  };
}

describe.skipIf(unusable !== null)("fs.missing: what a call makes that only a wildcard protects", () => {
  it.each([
    ["nothing where nothing of the kind was made", "mkdir -p a/b; echo x > a/b/envrc", []],
    ["a file that other programs obey", "mkdir a; echo x > a/.envrc", [["a/.envrc", "protected", []]]],
    ["a repository, once", "git init -q n", [["n/.git", "repository", []]]],
    [
      "a repository in which git may run something",
      "git init -q n; printf x > n/.git/hooks/pre-push; chmod +x n/.git/hooks/pre-push; git -C n config core.fsmonitor ./x",
      [["n/.git", "repository", ["hooks/pre-push", "core.fsmonitor"]]],
    ],
    ["a bare repository of any name", "git init -q --bare n/x", [["n/x", "repository", []]]],
    [
      "one that was put together by hand",
      "mkdir -p n/objects n/refs; echo ref: refs/heads/x > n/HEAD",
      [["n", "repository", []]],
    ],
    [
      "a worktree of a repository that was there, by the file that leads to it",
      "cd repo && git worktree add -q ../w",
      [["w/.git", "repository", []]],
    ],
    [
      "a file that leads to a repository",
      "mkdir n; echo gitdir: ../repo/.git > n/.git",
      [["n/.git", "repository", []]],
    ],
    ["a link in the place of one", "mkdir n; ln -s ../repo/.git n/.git", [["n/.git", "repository", []]]],
    [
      "what is named like a worktree's part and names its own common folder",
      "mkdir -p repo/.git/worktrees/x; cd repo/.git/worktrees/x; echo ref: refs/heads/m > HEAD; echo ../../refs > commondir",
      [["repo/.git/worktrees/x", "repository", []]],
    ],
    [
      "one that hangs below a worktree, of which git would obey what nothing protects",
      "cd repo/.git/worktrees/old && mkdir -p worktrees/x && cp HEAD commondir worktrees/x",
      [["repo/.git/worktrees/old/worktrees/x", "repository", []]],
    ],
    [
      "one with a configuration that git would obey if it were no worktree's part any more",
      "cd repo && git worktree add -q ../w && cp .git/config .git/worktrees/w",
      [
        ["repo/.git/worktrees/w", "repository", []],
        ["w/.git", "repository", []],
      ],
    ],
    [
      "one whose own configuration names a program",
      "cd repo && git worktree add -q ../w && printf '[core]\n\tfsmonitor = ./x\n' > .git/worktrees/w/config.worktree",
      [
        ["repo/.git/worktrees/w", "repository", ["core.fsmonitor"]],
        ["w/.git", "repository", ["core.fsmonitor"]],
      ],
    ],
    [
      "what others obey in a folder that became a repository, and not the repository's own files",
      "mkdir -p n/objects n/refs n/.vscode; cd n; echo ref: refs/heads/m > HEAD; echo x | tee .envrc .mcp.json > .vscode/tasks.json; git init -q x; git init -q --bare y.git; mkdir x/.git/hooks/z; echo x > x/.git/hooks/z/.envrc",
      [
        ["n", "repository", []],
        ["n/.envrc", "protected", []],
        ["n/.mcp.json", "protected", []],
        ["n/.vscode/tasks.json", "protected", []],
        ["n/x/.git", "repository", []],
        ["n/x/.git/hooks/z/.envrc", "protected", []],
        ["n/y.git", "repository", []],
      ],
    ],
    [
      "what git would obey in a folder that is no repository yet",
      "mkdir -p n.git m.git/hooks; echo x > n.git/config",
      [
        ["m.git/hooks", "protected", []],
        ["n.git/config", "protected", []],
      ],
    ],
    [
      "links in a repository, which git on the host writes through, and no other links",
      "ln -s /etc/hostname l; cd repo; ln -s l m; ln -sf config .git/COMMIT_EDITMSG; rm .git/logs/HEAD; ln -s ../hooks/x .git/logs/HEAD",
      [
        ["repo/.git/COMMIT_EDITMSG", "link", []],
        ["repo/.git/logs/HEAD", "link", []],
      ],
    ],
    ["nothing of a repository that was there and is none any more", "rm repo/.git/HEAD", []],
    [
      "a link in a new repository",
      "git init -q n; ln -s /etc/hostname n/.git/FETCH_HEAD",
      [
        ["n/.git", "repository", []],
        ["n/.git/FETCH_HEAD", "link", []],
      ],
    ],
    [
      "a new repository with those of submodules in it, and none of their own files",
      "git init -q n; mkdir n/.git/modules; git init -q --separate-git-dir=n/.git/modules/a n/a",
      [
        ["n/.git", "repository", []],
        ["n/.git/modules/a", "repository", []],
        ["n/a/.git", "repository", []],
      ],
    ],
  ] as const)("is told: %s", async (_, line, found) => {
    await using at = await standing((place) => {
      place.plainly(
        "git init -q repo && cd repo && git -c user.name=n -c user.email=e commit -q --allow-empty -m a && git worktree add -q ../old",
      );
      place.ownAll();
    });
    const outcome = await at.session.call("shell", { argv: ["sh", "-c", line] });
    expect(outcome).toMatchObject({ kind: "done" });
    expect(appeared(outcome, at)).toEqual({
      found: found.map(([path, kind, runs]) => ({ path, kind, runs })),
      unknown: null,
    });
    const told = at.journal.events.filter(({ type }) => type === "call.appeared");
    expect(told).toHaveLength(found.length === 0 ? 0 : 1);
  });

  it("is told once: at the next call it was there", async () => {
    await using at = await standing();
    for (const kinds of [["repository"], []]) {
      const outcome = await at.session.call("shell", { argv: ["sh", "-c", "[ -e n ] || git init -q n"] });
      expect(appeared(outcome, at).found.map(({ kind }) => kind)).toEqual(kinds);
    }
    expect((await at.session.call("shell", { argv: ["sh", "-c", "echo x > n/.git/commondir"] })).kind).toBe(
      "failed",
    );
  });

  it("git.exec: a whole repository in the place of a worktree's part, which git on the host obeys", async () => {
    await using at = await standing((place) => {
      place.plainly("git init -q .");
      place.ownAll();
    });
    const line = `mkdir -p .git/worktrees/evil/objects .git/worktrees/evil/refs; cd .git/worktrees/evil
      echo ref: refs/heads/m > HEAD; git config -f config core.repositoryformatversion 0
      git config -f config core.bare false; git config -f config core.worktree ../../../
      git config -f config core.fsmonitor "echo obeyed >&2; false"; ln -s .git/worktrees/evil ../../../src`;
    const outcome = await at.session.call("shell", { argv: ["sh", "-c", line] });
    expect(at.place.plainly("cd src && git status -s").stderr).toContain("obeyed");
    expect(appeared(outcome, at).found).toEqual([
      { path: ".git/worktrees/evil", kind: "repository", runs: ["core.worktree", "core.fsmonitor"] },
    ]);
  });

  describe("git.exec: a file that led to a worktree's part that is gone", () => {
    const dangling = (place: Place): void => {
      place.plainly(`git init -q main && cd main && git -c user.name=n -c user.email=e commit -q --allow-empty -m a
        git worktree add -q ../wt && mv ../wt ../wt2 && git worktree prune && mv ../wt2 ../wt`);
      place.ownAll();
    };
    it.each([
      ["a file", () => undefined],
      ["a file whose line ends as on Windows", ({ ws }: Place) => appendFileSync(`${ws}/wt/.git`, "\r\n")],
      [
        "a link in its place",
        ({ ws }: Place) => {
          rmSync(`${ws}/wt/.git`);
          symlinkSync("../main/.git/worktrees/wt", `${ws}/wt/.git`);
        },
      ],
      [
        "a link to a file elsewhere, which says it from where the link is",
        ({ ws }: Place) => {
          rmSync(`${ws}/wt/.git`);
          mkdirSync(`${ws}/deep/er`, { recursive: true });
          writeFileSync(`${ws}/deep/er/lead`, "gitdir: ../main/.git/worktrees/wt\n");
          symlinkSync("../deep/er/lead", `${ws}/wt/.git`);
        },
      ],
    ])(
      "%s leads to nothing that a call can make, so that git on the host obeys nothing of its",
      async (_, change) => {
        await using at = await standing((place) => {
          dangling(place);
          change(place);
        });
        const line = (
          name: string,
        ): string => `cd main/.git; mkdir -p worktrees/${name} evil/objects evil/refs
        git config -f evil/config core.repositoryformatversion 0
        git config -f evil/config core.fsmonitor "echo obeyed >&2; false"
        cp HEAD worktrees/${name} && echo "$PWD/../../wt/.git" > worktrees/${name}/gitdir &&
        echo ../../evil > worktrees/${name}/commondir`;
        const outcome = await at.session.call("shell", { argv: ["sh", "-c", line("wt")] });
        expect(outcome).toMatchObject({ kind: "failed" });
        expect(at.place.plainly("cd wt && git status -s").stderr).not.toContain("obeyed");
        at.place.plainly(line("wt"));
        expect(at.place.plainly("cd wt && git status -s").stderr).toContain("obeyed");
      },
    );
  });

  it("is told where a mask hides it from calls: by a wildcard, or in any spelling", async () => {
    await using at = await testSession(() => undefined, {
      settings: { shell: { default: { approval: false } } },
      profile: {
        masks: [
          { pattern: "${workspace}/**/*.key", at_most: "none" },
          { pattern: "${workspace}/ws/secret", at_most: "none", ignore_case: true },
        ],
      },
    });
    const outcome = await at.session.call("shell", {
      argv: ["sh", "-c", "echo x | tee a.key a.keys > SECRET"],
    });
    expect(appeared(outcome, at).found).toEqual(
      ["SECRET", "a.key"].map((path) => ({ path, kind: "protected", runs: [] })),
    );
  });

  it("git.exec: half a repository counts: no call can take it apart for the next one to use", async () => {
    await using at = await standing((place) => void place.plainly("git init -q ."));
    const run = (line: string) => at.session.call("shell", { argv: ["sh", "-c", line] });
    expect((await run("mv .git/HEAD .git/HEAD2")).kind).toBe("done");
    expect((await run("echo x > .git/commondir")).kind).toBe("failed");
    const restored = await run("mv .git/HEAD2 .git/HEAD");
    expect(appeared(restored, at).found.map(({ path, kind }) => [path, kind])).toEqual([
      [".git", "repository"],
    ]);
  });
});

describe.skipIf(unusable !== null)("git.exec: a repository that is reached by a link", () => {
  it("right in a writable root stays what it is, with what git obeys behind it, while all else is worked in", async () => {
    await using at = await standing((place) => {
      place.plainly("git init -q --separate-git-dir=real .");
      place.remove("ws/.git");
      symlinkSync("real", `${place.ws}/.git`);
    });
    const run = (line: string) => at.session.call("shell", { argv: ["sh", "-c", line] });
    for (const line of ["rm .git", "mv .git away", "ln -sfn evil .git", "echo x > real/config"])
      expect([line, (await run(line)).kind]).toEqual([line, "failed"]);
    expect((await run("echo x > a && mkdir evil && mv evil other")).kind).toBe("done");
    expect(readlinkSync(`${at.place.ws}/.git`)).toBe("real");
  });

  it("deeper in one stays what it is, and what lies beside it can be changed", async () => {
    await using at = await standing((place) => {
      place.plainly("mkdir sub other && git init -q --bare real");
      symlinkSync("../real", `${place.ws}/sub/.git`);
    });
    const run = (line: string) => at.session.call("shell", { argv: ["sh", "-c", line] });
    expect((await run("rm sub/.git")).kind).toBe("failed");
    expect((await run("echo x > real/config")).kind).toBe("failed");
    expect((await run("echo x > other/a && echo x > sub/a")).kind).toBe("done");
  });
});

describe.skipIf(unusable !== null)("git.exec: file tools", () => {
  it("change nothing that git obeys, and say why; beside it they may", async () => {
    await using at = await standing((place) => {
      place.plainly("git init -q r && git init -q --bare bare && mkdir w && echo gitdir: ../r/.git > w/.git");
      place.plainly("git -C r config core.hooksPath tools");
      place.ownAll();
    });
    const write = (path: string) => at.session.call("write_file", { path, content: "x\n" });
    for (const path of [
      "r/.git/commondir",
      "r/.git/config",
      "bare/commondir",
      "bare/config",
      "w/.git",
      "r/tools/pre-push",
    ]) {
      const outcome = await write(`ws:${path}`);
      expect([path, outcome.kind]).toEqual([path, "denied"]);
      expect([path, JSON.stringify(outcome)]).toEqual([
        path,
        expect.stringContaining("git outside the sandbox obeys it too"),
      ]);
    }
    for (const path of ["r/.git/HEAD2", "bare/other", "w/git", "r/tools2", "r/commondir"])
      expect([path, (await write(`ws:${path}`)).kind]).toEqual([path, "done"]);
  });
});
