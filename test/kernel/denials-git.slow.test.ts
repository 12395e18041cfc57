import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Denial, Outcome } from "../../src/index.ts";
import { Asked } from "../support/approval/asked.ts";
import { type Standing, standingIn } from "../support/approval/standing.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";
import { GIT_SETTINGS, History } from "../support/git/history.ts";

sandboxMustWork("what git could not change");

/** What each branch of the repository has in files that hosts obey, and in others. */
const PROTECTED = [".vscode/settings.json", ".npmrc", ".husky/pre-commit", "cofferdam.yaml"];

/** What is done outside first, and what a call does then: moves over a commit that changes protected files. */
const ACTS: readonly (readonly [act: string, before: string])[] = [
  ["git checkout side", ""],
  ["git switch side", ""],
  ["git checkout side -- .", ""],
  ["git stash", "edit"],
  ["git stash pop", "edit; git stash -q"],
  ["git merge --no-edit side", ""],
  ["git rebase main", "git checkout -q side"],
  ["git pull --no-edit --no-rebase . side", ""],
  ["git pull --rebase . main", "git checkout -q side"],
  ["git cherry-pick side", ""],
  ["git reset --hard side", ""],
  ["git restore --source side .", ""],
];

function git(folder: string, line: string): string {
  const edit = PROTECTED.slice(0, 2)
    .map((file) => `echo edited >${file}; `)
    .join("");
  const { status, stdout, stderr } = spawnSync(
    "sh",
    ["-c", line.replace("edit", `${edit}echo edited >plain`)],
    {
      cwd: folder,
      env: { ...GIT_SETTINGS, PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder },
      encoding: "utf8",
    },
  );
  expect([line, status, stderr]).toEqual([line, 0, stderr]);
  return stdout;
}

/** A repository whose branch `side` changes what hosts obey, and `main` something else. */
function repositoryIn(history: History): string {
  history.git("", "init -q -b main r");
  history.git("r", "config user.name n");
  history.git("r", "config user.email e@example.org");
  const commit = (text: string): void => {
    for (const file of [...PROTECTED, "plain"]) history.write(`r/${file}`, text);
    history.git("r", "add -A");
    history.git("r", `commit -q -m ${text}`);
  };
  commit("one");
  history.git("r", "checkout -q -b side");
  history.write("r/new", "new");
  commit("two");
  history.git("r", "checkout -q main");
  history.write("r/other", "other");
  history.git("r", "add -A");
  history.git("r", "commit -q -m other");
  return join(history.top, "r");
}

const folderOf = (act: string): string => act.replaceAll(/[^a-z]+/g, "-");

function standing(repository: string): Promise<Standing> {
  return standingIn(
    (place) => {
      for (const [act, before] of ACTS)
        for (const top of [join(place.ws, folderOf(act)), join(place.outside, folderOf(act))]) {
          cpSync(repository, top, { recursive: true });
          if (before !== "") git(top, before);
        }
    },
    { settings: { shell: { default: { approval: false } } }, handler: new Asked() },
  );
}

const denialsOf = (outcome: Outcome): readonly Denial[] =>
  "denials" in outcome ? (outcome.denials ?? []) : [];

/** What a person has in the end: what is committed, what differs from it, and what stands in the files. */
function stateOf(top: string): unknown {
  const files = [...PROTECTED, "plain", "new", "other"].map((file) => {
    try {
      return readFileSync(join(top, file), "utf8");
    } catch {
      return null;
    }
  });
  return { tree: git(top, "git rev-parse HEAD^{tree}"), status: git(top, "git status --porcelain"), files };
}

describe.skipIf(unusable !== null)("git, where it can't change a protected file", () => {
  it("is told which, and by what commands a person finishes it, also where it ended well", async () => {
    using history = new History();
    await using at = await standing(repositoryIn(history));
    const { ws, outside } = at.place;
    for (const [act] of ACTS) {
      const [here, there] = [join(ws, folderOf(act)), join(outside, folderOf(act))];
      const outcome = await at.session.call("shell", { argv: act.split(" "), cwd: here });
      const denials = denialsOf(outcome);
      const isStash = act.startsWith("git stash");
      const isAll = /checkout|switch|reset|restore/.test(act);
      expect([
        act,
        denials.map(({ operation, certainty, target }) => `${certainty} ${operation} ${target}`).sort(),
      ]).toEqual([
        act,
        ["cofferdam.yaml", ".husky", ".npmrc", ".vscode/settings.json"]
          .filter((name) => !isStash || [".npmrc", ".vscode/settings.json"].includes(name))
          .map((name) => `certain write ${here}/${name}`)
          .sort(),
      ]);
      expect(isAll || denials.length > 0).toBe(true);
      const [remedy = ""] = denials.map((one) => one.remedy);
      const commands = [...remedy.matchAll(/`(git [^`]+)`/g)].map(([, line = ""]) => line);
      expect([act, commands.length > 0]).toEqual([act, true]);
      for (const line of commands) git(here, line);
      git(there, act);
      expect([act, stateOf(here)]).toEqual([act, stateOf(there)]);
    }
  });

  it("is told nothing where it changes what is not protected, or prints what looks like it", async () => {
    using history = new History();
    await using at = await standing(repositoryIn(history));
    const cwd = join(at.place.ws, folderOf("git stash"));
    const script = "git checkout -q -b mine && git -c user.name=n -c user.email=e commit -qm x --allow-empty";
    const outcome = await at.session.call("shell", { script, cwd });
    expect([outcome.kind, denialsOf(outcome)]).toEqual(["done", []]);
    const said = "error: unable to unlink old '/etc/passwd': Device or resource busy";
    const printed = await at.session.call("shell", { argv: ["sh", "-c", `echo "${said}" >&2`], cwd });
    expect([printed.kind, denialsOf(printed)]).toEqual(["done", []]);
  });

  it("is told of a program that a hook starts and that is not inside, and of none that only its output names", async () => {
    using history = new History();
    const top = repositoryIn(history);
    history.write("r/.git/hooks/pre-commit", "#!/bin/sh\nexec no-such-linter --all\n", 0o755);
    history.write("r/.git/hooks/commit-msg", "#!/opt/none/bin/no-interpreter\n", 0o755);
    await using at = await standing(top);
    const cwd = join(at.place.ws, folderOf("git stash"));
    const denied = async (script: string) =>
      denialsOf(await at.session.call("shell", { script, cwd })).map(
        ({ operation, target }) => `${operation} ${target}`,
      );
    expect(await denied("git commit --allow-empty -m x")).toEqual(["run `no-such-linter`"]);
    expect(await denied("git commit --allow-empty -m x --no-verify; exit 1")).toEqual([]);
    expect(await denied("echo 'other-linter: not found' >&2; exit 1")).toEqual([]);
    expect(await denied("git hook run commit-msg -- x")).toEqual(["run `/opt/none/bin/no-interpreter`"]);
  });
});
