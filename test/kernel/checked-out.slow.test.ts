import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { QUARANTINE } from "../support/planting/ground.ts";

sandboxMustWork("what a checkout brings");

const WHO = "-c user.name=n -c user.email=e";

/** `main` holds nothing that hosts execute; `side` does, and a stash. */
const REPOSITORY = `git init -q -b main r && cd r && echo x > a && git add a && git ${WHO} commit -q -m first
  git checkout -q -b side && mkdir -p .husky deep/.vscode && echo a > .envrc && echo b > .husky/pre-commit && echo c > deep/.vscode/tasks.json
  git add . && git ${WHO} commit -q -m side && git checkout -q main`;

const SIDE = [".envrc", ".husky", "deep/.vscode/tasks.json"];

describe.skipIf(unusable !== null)("planted: what was in a commit before the call", () => {
  let place: Place;
  beforeEach(() => {
    place = new Place(CALLER);
  });
  afterEach(() => place[Symbol.dispose]());

  /** What became of each path that a command brought, and whether it is there. */
  async function brought(
    line: string,
    settings: Parameters<Place["supervisor"]>[0] = QUARANTINE,
    before = REPOSITORY,
  ): Promise<Readonly<Record<string, readonly unknown[]>>> {
    const done = place.plainly(before);
    expect(done.stderr).toBe("");
    // Longer than the times of a file system may lag behind the clock.
    await pause(100);
    await using supervisor = await place.supervisor(settings);
    const session = supervisor.session({ caller: "person" });
    const outcome = await session.call("shell", { argv: ["sh", "-c", line] });
    if (outcome.kind !== "done") throw new Error(JSON.stringify(outcome));
    return Object.fromEntries(
      outcome.receipt.appeared.found
        .filter(({ kind }) => kind !== "repository")
        .map(({ path, fate }) => [
          path.replace(`${place.ws}/`, ""),
          [fate.kind, lstatSync(path, { throwIfNoEntry: false }) !== undefined],
        ]),
    );
  }

  const all = (folder: string, ...fate: readonly unknown[]) =>
    Object.fromEntries(SIDE.map((name) => [`${folder}/${name}`, fate]));

  it.each([
    ["a checkout", "cd r && git checkout -q side", "r"],
    ["a checkout of its paths", "cd r && git checkout -q side -- .", "r"],
    ["a merge without a commit", "cd r && git merge -q --ff-only side", "r"],
    ["a clone", "git clone -q -b side r clone", "clone"],
    ["a clone of another folder", "mkdir in && git clone -q --no-local -b side r in/clone", "in/clone"],
    ["a worktree", "cd r && git worktree add -q ../tree side", "tree"],
  ])("is reported and stays: brought by %s", async (_, line, folder) => {
    expect(await brought(line)).toEqual(all(folder, "reported", true));
  });

  it("is reported and stays: a config of ours, of which nothing applies before it is trusted; twin: another one is taken", async () => {
    const before = `${REPOSITORY} && git checkout -q side && echo d > cofferdam.yaml && git add . && git ${WHO} commit -q -m config && git checkout -q main`;
    const line = "cd r && git worktree add -q ../tree side && mkdir ../new && echo e > ../new/cofferdam.yaml";
    expect(await brought(line, QUARANTINE, before)).toEqual({
      ...all("tree", "reported", true),
      "tree/cofferdam.yaml": ["reported", true],
      "new/cofferdam.yaml": ["quarantined", false],
    });
  });

  describe("by a clone of what lies elsewhere", () => {
    const clone = (of: string, more = "") => `git clone -q -b side ${of} c ${more}`;
    /** The repository lies beside the root, in a folder that calls may read, or in one that they may write. */
    function elsewhere(mode: "ro" | "rw", line: (up: string) => string) {
      const up = place.folder("up");
      const paths = {
        ws: { root: place.ws, mode: "rw", write_approval: false },
        up: { root: up, mode, write_approval: false },
      };
      const settings = { ...QUARANTINE, sandbox: { ...QUARANTINE.sandbox, paths } };
      return brought(line(up), settings, `cd ${up} && ${REPOSITORY}`);
    }

    it("is reported and stays where the call could only read the other", async () => {
      expect(await elsewhere("ro", (up) => clone(`${up}/r`))).toEqual(all("c", "reported", true));
    });

    it("is reported and stays where it could write the other, in which nothing changed", async () => {
      expect(await elsewhere("rw", (up) => clone(`file://${up}/r`))).toEqual(all("c", "reported", true));
    });

    it.each([
      [
        "that was changed then",
        (up: string) =>
          clone(
            `${up}/r`,
            "&& for f in c/.envrc c/.husky/pre-commit c/deep/.vscode/tasks.json; do echo evil > $f; done",
          ),
      ],
      ["that is named by nothing", (up: string) => clone(`${up}/r`, "&& git -C c remote remove origin")],
      ["that the call made itself", (up: string) => `cp -r ${up}/r /tmp/r; ${clone("/tmp/r")}`],
    ])("is taken away from one %s", async (_, line) => {
      expect(await elsewhere("ro", line)).toEqual(all("c", "quarantined", false));
    });
  });

  it.each([
    [
      "without git",
      "mkdir -p r/.husky r/deep/.vscode && cd r && for f in .envrc .husky/pre-commit deep/.vscode/tasks.json; do git show side:$f > $f; done",
      "reported",
    ],
    [
      "and changed",
      "cd r && git checkout -q side && for f in .envrc .husky/pre-commit deep/.vscode/tasks.json; do echo evil > $f; done",
      "quarantined",
    ],
    [
      "from a commit of the call itself",
      `cd r && git checkout -q side && for f in .envrc .husky/pre-commit deep/.vscode/tasks.json; do echo evil > $f; done && git ${WHO} commit -q -a -m evil`,
      "quarantined",
    ],
    [
      "from a commit of the call that is packed, with its branch",
      `cd r && git checkout -q side && for f in .envrc .husky/pre-commit deep/.vscode/tasks.json; do echo evil > $f; done && git ${WHO} commit -q -a -m evil && git gc -q --prune=now`,
      "quarantined",
    ],
  ])("counts by what it is: %s", async (_, line, fate) => {
    expect(await brought(line)).toEqual(all("r", fate, fate === "reported"));
  });

  it.each([
    [
      "copied to the top of another",
      "mkdir .husky deep; cp -r lib/deep/.vscode deep; cp lib/.husky/* .husky; cp lib/.envrc .",
      ".",
    ],
    [
      "copied to where only a `.git` says so",
      "mkdir -p s/.git s/deep && cp -r lib/.husky lib/.envrc s && cp -r lib/deep/.vscode s/deep",
      "s",
    ],
  ])("is taken where another repository holds it: %s", async (_, line, folder) => {
    const before = `git init -q -b main . && git ${WHO} commit -q --allow-empty -m x && ${REPOSITORY.replace("main r && cd r", "main lib && cd lib")} && git checkout -q side`;
    const found = await brought(line, QUARANTINE, before);
    const paths = [`${folder}/.envrc`, `${folder}/.husky`, `${folder}/deep/.vscode/tasks.json`];
    expect(found).toEqual(
      Object.fromEntries(paths.map((path) => [path.replace(/^\.\//, ""), ["quarantined", false]])),
    );
    expect(existsSync(join(place.ws, "lib/.envrc"))).toBe(true);
  });

  it("is taken from a repository that the call itself brought", async () => {
    place.folder("ws/in");
    const inner = `cd in && ${REPOSITORY.replaceAll("\n", ";").replaceAll(/echo [abc]/g, "echo evil")} && git checkout -q side`;
    expect(await brought(inner)).toEqual(all("in/r", "quarantined", false));
    expect(existsSync(join(place.ws, "in/r/a"))).toBe(true);
  });
});
