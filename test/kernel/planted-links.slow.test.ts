import { lstatSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE, type Person } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { QUARANTINE } from "../support/planting/ground.ts";

sandboxMustWork("links to what calls plant");

/** A root that holds these folders of the person's, where each line was run by a call of its own; `before`: by the person, first. */
async function planted(person: Person, lines: readonly string[], before: string | null): Promise<Place> {
  const place = new Place(person);
  for (const folder of FOLDERS) place.folder(`ws/${folder}`);
  expect(place.plainly(before ?? "true").status).toBe(0);
  for (const line of lines) {
    const [made, ran] = await place.runServed({
      job: { calls: [{ argv: ["sh", "-c", line] }] },
      settings: QUARANTINE,
    });
    expect([made?.kind, ran]).toEqual(["made", expect.objectContaining({ kind: "ran", code: 0 })]);
  }
  return place;
}

const FOLDERS = ["sub", "sub/docs", "node_modules", "node_modules/a", "app", "shared"];
const EVIL = "echo evil >";

type Attack = readonly [how: string, lines: readonly string[], reads: string, before: string | null];

/** What calls do, and the command by which a person's program then comes to what was planted. */
const ATTACKS: readonly Attack[] = [
  [
    "a link that leads elsewhere for whoever asks",
    [`${EVIL} sub/docs/settings.json; ln -s /proc/self/cwd/docs sub/.claude`],
    "cd sub && cat .claude/settings.json",
    null,
  ],
  [
    "such a link behind a link",
    [`cd sub; ln -s docs .claude; ln -s /proc/self/cwd/e docs/settings.json; ${EVIL} e`],
    "cd sub && cat .claude/settings.json",
    null,
  ],
  [
    "a link of the person's to a folder that is replaced by such a link",
    [`cd sub; rmdir docs; mkdir d; ${EVIL} d/settings.json; ln -s /proc/self/cwd/d docs`],
    "cd sub && cat .claude/settings.json",
    "ln -s docs sub/.claude",
  ],
  [
    "a link to a folder that is closed",
    [`${EVIL} sub/docs/settings.json; ln -s docs sub/.claude; chmod 0 sub/docs`],
    "chmod 700 sub/docs && cat sub/.claude/settings.json",
    null,
  ],
  [
    "a link to nothing, which another call makes",
    ["ln -s later sub/.claude", `mkdir sub/later; ${EVIL} sub/later/settings.json`],
    "cat sub/.claude/settings.json",
    null,
  ],
  [
    "a link out of the root",
    ["ln -s ../../outside/x sub/.claude"],
    `mkdir -p ../outside/x && ${EVIL} ../outside/x/settings.json && cat sub/.claude/settings.json`,
    null,
  ],
  [
    "a link into packages that are installed later",
    ["ln -s ../node_modules/b/vs sub/.vscode"],
    `mkdir -p node_modules/b/vs && ${EVIL} node_modules/b/vs/tasks.json && cat sub/.vscode/tasks.json`,
    null,
  ],
  [
    "a link in the place of node_modules",
    [`mkdir -p shared/.bin; ${EVIL} shared/.bin/cofferdam; ln -s ../shared sub/node_modules`],
    "cat sub/node_modules/.bin/cofferdam",
    null,
  ],
  [
    "a link in the place of the folder of commands, and what it leads to in another call",
    ["ln -s ../shared node_modules/.bin", `${EVIL} shared/cofferdam`],
    "cat node_modules/.bin/cofferdam",
    null,
  ],
  [
    "a folder that is moved among installed packages",
    [`mv app node_modules/.app; ln -s node_modules/.app app; ${EVIL} app/.envrc`],
    "cat app/.envrc",
    null,
  ],
  [
    "a link to a package that has such a file since another call",
    [`${EVIL} node_modules/a/.envrc`, "ln -s node_modules/a b"],
    "cat b/.envrc",
    null,
  ],
  [
    "two links to such a package",
    [`${EVIL} node_modules/a/.envrc`, "ln -s node_modules/a b; ln -s node_modules/a c"],
    "cat b/.envrc || cat c/.envrc",
    null,
  ],
  [
    "a link of the person's to such a package, beside one that the call only touched",
    [`touch -h b; ${EVIL} node_modules/a/.envrc`],
    "cat c/.envrc",
    "ln -s node_modules/a b; ln -s node_modules/a c",
  ],
  [
    "a link that came to lead to such a package as its folder was moved",
    [`${EVIL} node_modules/a/.envrc; cp node_modules/a/.envrc node_modules/a/.mcp.json`, "mv app/x moved"],
    "cat moved/l/.mcp.json || cat moved/l/.envrc",
    "mkdir app/x; ln -s ../node_modules/a app/x/l",
  ],
  [
    "a link that comes to lead to such a package by one among packages",
    ["ln -s node_modules/x b", `${EVIL} node_modules/a/.envrc`, "ln -s a node_modules/x"],
    "cat b/.envrc",
    null,
  ],
  [
    "a link of the person's that comes to do so, by one of a name that hosts execute",
    [`${EVIL} node_modules/a/.envrc`, "ln -s a node_modules/.vscode; ln -s .vscode node_modules/y"],
    "cat b/.envrc",
    "ln -s node_modules/y b",
  ],
  [
    "a folder among packages of the call's own",
    [`mkdir -p site-packages/x; ln -s site-packages/x y; ${EVIL} y/.envrc`],
    "cat y/.envrc",
    null,
  ],
];

/** Work that makes links and plants nothing, and what must be there after it. */
const WORK: readonly (readonly [what: string, line: string, there: string])[] = [
  [
    "settings that several folders share",
    "echo x > shared/notes; ln -s ../shared sub/.vscode",
    "sub/.vscode",
  ],
  ["packages that a member shares", "ln -s ../node_modules sub/node_modules", "sub/node_modules"],
  ["a package under another name", "ln -s node_modules/a b", "b"],
  [
    "installed packages that bring settings",
    `mkdir node_modules/a/.vscode; ${EVIL} node_modules/a/.vscode/tasks.json; ln -s sub b`,
    "node_modules/a/.vscode/tasks.json",
  ],
  [
    "packages that lead to each other, beside a link to another one",
    `mkdir -p node_modules/.store/c; ${EVIL} node_modules/.store/c/.envrc; ln -s .store/c node_modules/c; ln -s node_modules/a b`,
    "node_modules/c",
  ],
];

describe.skipIf(unusable !== null).each(PEOPLE)("planted: by links, as $name", (person) => {
  it.each<Attack>(ATTACKS)(
    "%s leads to nothing that is live after the call; outside it does",
    async (_, lines, reads, before) => {
      using place = await planted(person, lines, before);
      expect(place.plainly(reads).stdout).toBe("");
      using twin = await planted(person, [], before);
      expect(twin.plainly(lines.join("\n")).status).toBe(0);
      expect(twin.plainly(reads)).toMatchObject({ stdout: "evil\n", status: 0 });
    },
  );

  it.each(WORK)("%s: stays", async (_, line, there) => {
    using place = await planted(person, [line], null);
    expect(lstatSync(join(place.ws, there), { throwIfNoEntry: false })).toBeDefined();
  });

  it("a root that lies among installed packages is a root like any other", async () => {
    using place = new Place(person);
    const root = place.folder("site-packages/pkg");
    place.folder("site-packages");
    const settings = {
      ...QUARANTINE,
      sandbox: { ...QUARANTINE.sandbox, paths: { ws: { root, mode: "rw", write_approval: false } } },
    };
    await place.runServed({
      job: { cwd: root, calls: [{ argv: ["sh", "-c", `${EVIL} .envrc; ${EVIL} plain`] }] },
      settings,
    });
    expect(place.plainly("ls -A ../site-packages/pkg").stdout).toBe("plain\n");
  });
});
