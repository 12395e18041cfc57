import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { TestSession } from "../support/approval/test-session.ts";
import { endingOf } from "../support/battery/command.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { QUARANTINE } from "../support/planting/ground.ts";
import { fatesOf, heldIn, run, standingWith } from "../support/quarantine/planting.ts";

sandboxMustWork("what calls plant in build trees without a change to any file that hosts execute");

interface Attack {
  readonly how: string;
  /** By the person, first. */
  readonly before: string;
  /** Each by a call; what the last one does is what is seen to. */
  readonly lines: readonly string[];
  /** The name by which hosts would execute it, and what is away after the last call. */
  readonly name: string;
  readonly taken: string;
}

const TASKS = "mkdir -p dist/.vscode; echo mine > dist/.vscode/tasks.json";

const SWAPS: readonly Attack[] = [
  {
    how: "a folder of an earlier call in the place of another",
    before: TASKS,
    lines: ["mkdir dist/o; echo evil > dist/o/tasks.json", "mv dist/.vscode dist/q; mv dist/o dist/.vscode"],
    name: "dist/.vscode/tasks.json",
    taken: "dist/.vscode/tasks.json",
  },
  {
    how: "a folder of the person's in the place of another",
    before: `${TASKS}; mkdir -p vendor/app/x; echo evil > vendor/app/x/tasks.json`,
    lines: ["mv dist/.vscode dist/q; mv vendor/app/x dist/.vscode"],
    name: "dist/.vscode/tasks.json",
    taken: "dist/.vscode/tasks.json",
  },
  {
    how: "a link in the place of a folder",
    before: TASKS,
    lines: ["mkdir dist/o; echo evil > dist/o/tasks.json", "mv dist/.vscode dist/q; ln -s o dist/.vscode"],
    name: "dist/.vscode/tasks.json",
    taken: "dist/.vscode",
  },
  {
    how: "a build of an installed package in the place of the project's",
    before: "mkdir dist; echo mine > dist/.envrc",
    lines: [
      "mkdir -p node_modules/p/dist; echo evil > node_modules/p/dist/.envrc",
      "mv dist node_modules/old; mv node_modules/p/dist dist",
    ],
    name: "dist/.envrc",
    taken: "dist/.envrc",
  },
  {
    how: "a folder in an installed package that a link of the person's shows",
    before:
      "mkdir -p node_modules/pkg/.vscode; echo mine > node_modules/pkg/.vscode/tasks.json; ln -s node_modules/pkg pkg",
    lines: [
      "mkdir node_modules/pkg/z; echo evil > node_modules/pkg/z/tasks.json",
      "cd node_modules/pkg; mv .vscode q; mv z .vscode",
    ],
    name: "pkg/.vscode/tasks.json",
    taken: "node_modules/pkg/.vscode/tasks.json",
  },
];

const LINKS: readonly Attack[] = [
  {
    how: "the file that a link leads to",
    before: "mkdir dist src; echo mine > src/mcp.json; ln -s ../src/mcp.json dist/.mcp.json",
    lines: ["echo evil > src/mcp.json"],
    name: "dist/.mcp.json",
    taken: "dist/.mcp.json",
  },
  {
    how: "a folder above the file that a link leads to",
    before: "mkdir dist src; echo mine > src/mcp.json; ln -s ../src/mcp.json dist/.mcp.json",
    lines: ["mkdir o; echo evil > o/mcp.json", "mv src q; mv o src"],
    name: "dist/.mcp.json",
    taken: "dist/.mcp.json",
  },
  {
    how: "a file in the folder that a link leads to",
    before: "mkdir -p dist src/hooks; echo mine > src/hooks/pre-commit; ln -s ../src/hooks dist/.husky",
    lines: ["echo evil > src/hooks/pre-commit"],
    name: "dist/.husky/pre-commit",
    taken: "dist/.husky",
  },
  {
    how: "what a link leads to that led to nothing",
    before: "mkdir dist src; ln -s ../src/direnv dist/.envrc",
    lines: ["echo evil > src/direnv"],
    name: "dist/.envrc",
    taken: "dist/.envrc",
  },
];

const ATTACKS = [...SWAPS, ...LINKS];

/** Longer than the times of a file system may lag behind the clock. */
const GRAIN = 100;

describe.skipIf(unusable !== null).each(PEOPLE)("planted: by swaps in build trees, as $name", (person) => {
  const reads = (place: Place, name: string): string => place.plainly(`cat ${name} 2> /dev/null`).stdout;

  it.each(ATTACKS)("$how: it is taken", async ({ before, lines, name, taken }) => {
    using place = new Place(person);
    expect(place.plainly(before)).toMatchObject({ status: 0, stderr: "" });
    await pause(GRAIN);
    const calls = lines.map((line) => ({
      argv: ["sh", "-c", `${line}; sleep 0.1`] as [string, ...string[]],
    }));
    const [, ...replies] = await place.runServed({ job: { calls }, settings: QUARANTINE });
    expect(replies).toEqual(lines.map(() => expect.objectContaining({ kind: "ran", code: 0 })));
    expect(heldIn(place)).toContain(taken);
    expect(reads(place, name)).not.toBe("evil\n");
  });

  it.each(ATTACKS)("$how: outside it would be live", ({ before, lines, name }) => {
    using place = new Place(person);
    const script = [before, ...lines.map((line) => `(${line})`)].join("\n");
    expect(place.plainly(script)).toMatchObject({ status: 0, stderr: "" });
    expect(reads(place, name)).toBe("evil\n");
  });

  it("a supervisor that is killed leaves it to the next one", async () => {
    using place = new Place(person);
    const before = `${TASKS}; mkdir dist/o dist/.idea; echo evil > dist/o/tasks.json; echo mine > dist/.envrc`;
    expect(place.plainly(before)).toMatchObject({ status: 0, stderr: "" });
    await pause(GRAIN);
    const line = "mv dist/.vscode dist/q; mv dist/o dist/.vscode; echo x > ready; sleep 30";
    const child = place.start({ job: { calls: [{ argv: ["sh", "-c", line] }] }, settings: QUARANTINE });
    while (!existsSync(join(place.ws, "ready"))) await pause(10);
    const ending = endingOf(child);
    child.kill("SIGKILL");
    await ending;
    await pause(GRAIN);
    expect(reads(place, "dist/.vscode/tasks.json")).toBe("evil\n");
    await place.run({ job: { calls: [{ argv: ["true"] }] }, settings: QUARANTINE });
    expect([heldIn(place), reads(place, "dist/.envrc")]).toEqual([["dist/.vscode/tasks.json"], "mine\n"]);
  });

  it("what stands beside other changes stays: in the same folder, and beside what a link leads to", async () => {
    using place = new Place(person);
    const ofLinks = new Set(LINKS.map((one) => one.before.replace(/mkdir (?:-p )?/, "mkdir -p ")));
    const before = [TASKS, ...ofLinks].join("\n");
    expect(place.plainly(`${before}\nln -s /etc dist/.idea`)).toMatchObject({ status: 0, stderr: "" });
    await pause(GRAIN);
    const line = "echo x | tee dist/x dist/.vscode/x src/x > x; mkdir dist/a; mv dist/a dist/b; rm dist/x";
    const calls = [{ argv: ["sh", "-c", line] as [string, ...string[]] }];
    const [, ...replies] = await place.runServed({ job: { calls }, settings: QUARANTINE });
    expect([replies, heldIn(place)]).toEqual([[expect.objectContaining({ code: 0 })], []]);
    expect(reads(place, "dist/.vscode/tasks.json dist/.mcp.json dist/.husky/pre-commit")).toBe(
      "mine\n".repeat(3),
    );
  });
});

describe.skipIf(unusable !== null)("planted: by a swap in a build tree while two calls go on", () => {
  const SWAP = "mv dist/.vscode dist/q; mv dist/o dist/.vscode";
  const scene = async (): Promise<TestSession> => {
    const at = await standingWith("ask", { handler: null });
    const before = `${TASKS}; mkdir dist/o; echo evil > dist/o/tasks.json`;
    expect(at.place.plainly(before)).toMatchObject({ status: 0, stderr: "" });
    await pause(GRAIN);
    return at;
  };
  const there = async ({ place }: TestSession, name: string): Promise<void> => {
    while (!existsSync(join(place.ws, name))) await pause(10);
  };
  const TAKEN = { "dist/.vscode/tasks.json": "quarantined" };

  it("it is taken where another call begins after it and ends first", async () => {
    await using at = await scene();
    const long = run(at, `${SWAP}; echo x > ready; until [ -e go ]; do sleep 0.05; done`);
    await there(at, "ready");
    const short = fatesOf(await run(at, "true"), at);
    writeFileSync(join(at.place.ws, "go"), "");
    const both = [short, fatesOf(await long, at)];
    expect(both).toContainEqual(TAKEN);
    expect(both.filter((fates) => Object.keys(fates).length > 0)).toHaveLength(1);
    expect(heldIn(at.place)).toEqual(["dist/.vscode/tasks.json"]);
  });

  it("it is taken where the call that makes it ends first, and the other goes on", async () => {
    await using at = await scene();
    const long = run(at, "echo x > ready; until [ -e go ]; do sleep 0.05; done");
    await there(at, "ready");
    expect(fatesOf(await run(at, SWAP), at)).toEqual(TAKEN);
    writeFileSync(join(at.place.ws, "go"), "");
    expect(fatesOf(await long, at)).toEqual({});
    expect(heldIn(at.place)).toEqual(["dist/.vscode/tasks.json"]);
  });

  it("nothing is taken where two calls go on and change nothing of it", async () => {
    await using at = await scene();
    const long = run(at, "echo x > ready; until [ -e go ]; do sleep 0.05; done; echo x > dist/x");
    await there(at, "ready");
    expect(fatesOf(await run(at, "echo y > dist/y"), at)).toEqual({});
    writeFileSync(join(at.place.ws, "go"), "");
    expect([fatesOf(await long, at), heldIn(at.place)]).toEqual([{}, []]);
  });
});
