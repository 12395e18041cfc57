import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { QUARANTINE } from "../support/planting/ground.ts";
import { heldIn, isThere } from "../support/quarantine/planting.ts";

sandboxMustWork("what calls plant by moving folders, and by links that keep their names");

interface Attack {
  readonly how: string;
  /** By the person, first. */
  readonly before: string;
  readonly lines: readonly string[];
  /** What is away after the last call. */
  readonly taken: readonly string[];
  /** What is the person's, and stays. */
  readonly stays: readonly string[];
}

const OF_PACKAGE = "mkdir -p node_modules/a; echo evil > node_modules/a/.envrc";

const ATTACKS: readonly Attack[] = [
  {
    how: "a way to settings that were there, by a folder that is moved",
    before: "mkdir .claude; echo mine > .claude/settings.json",
    lines: ["mkdir -p q/x q/.claude; ln -s ../.claude q/x/.claude", "mv q/x x"],
    taken: ["x/.claude"],
    stays: [".claude/settings.json"],
  },
  {
    how: "a way to a file of the person's that has no such name",
    before: "mkdir d; echo mine > d/tasks.json",
    lines: ["mkdir -p q/x q/d; ln -s ../d q/x/.vscode", "mv q/x x"],
    taken: ["x/.vscode"],
    stays: ["d/tasks.json"],
  },
  {
    how: "a link of the person's that comes to lead to settings that were there",
    before: "mkdir -p .claude p d; echo mine > .claude/settings.json; ln -s ../d/q p/.claude",
    lines: ["mkdir -p z/d; ln -s ../.claude z/d/q", "rmdir d; mv z/d d"],
    taken: ["d/q"],
    stays: [".claude/settings.json", "p/.claude"],
  },
  {
    how: "a link into packages that keeps its name",
    before: "mkdir d",
    lines: [`${OF_PACKAGE}; ln -s d l`, "ln -sfn node_modules/a l"],
    taken: ["l"],
    stays: ["d"],
  },
  {
    how: "a folder in the place of another, with a link into packages of the same name in it",
    before: "mkdir -p a/b d; ln -s ../../d a/b/l",
    lines: [`${OF_PACKAGE}; mkdir -p q/r/b; ln -s ../../node_modules/a q/r/b/l`, "mv a a.old; mv q/r a"],
    taken: ["a/b/l"],
    stays: ["a.old/b/l", "d"],
  },
  {
    how: "a folder of commands in the place of another",
    before: "mkdir -p node_modules/.bin; echo mine > node_modules/.bin/x",
    lines: ["mkdir -p q/.bin; echo evil > q/.bin/sh", "mv node_modules n.old; mv q node_modules"],
    taken: ["node_modules/.bin/sh"],
    stays: ["n.old/.bin/x"],
  },
];

describe.skipIf(unusable !== null).each(PEOPLE)("planted: by what is moved, as $name", (person) => {
  it.each(ATTACKS)("$how: only what the call made is taken", async ({ before, lines, taken, stays }) => {
    using place = new Place(person);
    expect(place.plainly(before)).toMatchObject({ status: 0, stderr: "" });
    // Longer than the times of a file system may lag behind the clock.
    await pause(100);
    const calls = lines.map((line) => ({
      argv: ["sh", "-c", `${line}; sleep 0.1`] as [string, ...string[]],
    }));
    const [, ...replies] = await place.runServed({ job: { calls }, settings: QUARANTINE });
    expect(replies).toEqual(lines.map(() => expect.objectContaining({ kind: "ran", code: 0 })));
    expect(heldIn(place)).toEqual(taken);
    expect(taken.filter((path) => isThere(place, path))).toEqual([]);
    expect(stays.filter((path) => isThere(place, path))).toEqual(stays);
  });

  it.each(ATTACKS)("$how: outside all of it would stand", ({ before, lines, taken }) => {
    using place = new Place(person);
    expect(place.plainly([before, ...lines].join("\n"))).toMatchObject({ status: 0, stderr: "" });
    expect(taken.filter((path) => isThere(place, path))).toEqual(taken);
  });

  it("a way into a root that is only read: that stays as it is", async () => {
    using place = new Place(person);
    const read = place.folder("ws/keep/ro");
    place.file("ws/keep/ro/settings.json", "mine");
    const paths = {
      ws: { root: place.ws, mode: "rw", write_approval: false },
      keep: { root: read, mode: "ro" },
    };
    const settings = { ...QUARANTINE, sandbox: { ...QUARANTINE.sandbox, paths } };
    expect(place.plainly("mkdir -p q/x q/keep/ro; ln -s ../keep/ro q/x/.claude").status).toBe(0);
    await pause(100);
    const lines = ["echo evil > keep/ro/settings.json", "mv q/x x"];
    const calls = lines.map((line) => ({ argv: ["sh", "-c", line] as [string, ...string[]] }));
    const [, ...replies] = await place.runServed({ job: { calls }, settings });
    expect(replies).toMatchObject([{ code: 2 }, { code: 0 }]);
    expect([heldIn(place), place.read("ws/keep/ro/settings.json")]).toEqual([["x/.claude"], "mine"]);
  });

  it("links and folders that keep their names and lead to nothing that hosts execute stay", async () => {
    using place = new Place(person);
    expect(place.plainly("mkdir -p a node_modules/b d e; ln -s ../d a/l; ln -s d l").status).toBe(0);
    const line = "ln -sfn node_modules/b l; mkdir -p q; ln -s ../e q/l; mv a a.old; mv q a";
    const job = { calls: [{ argv: ["sh", "-c", line] as [string, ...string[]] }] };
    const [, ran] = await place.runServed({ job, settings: QUARANTINE });
    expect([ran, heldIn(place)]).toEqual([expect.objectContaining({ kind: "ran", code: 0 }), []]);
    expect(place.plainly("readlink l a/l").stdout).toBe("node_modules/b\n../e\n");
  });
});
