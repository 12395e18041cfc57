import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { type Left, perl, repositories, stopsNoLaterCall } from "../support/planting/later-calls.ts";

sandboxMustWork("later calls");

/** The large ones are tried in `later-calls.long.test.ts`. */
const LEFT: readonly Left[] = [
  [
    "links under protected names in the root",
    perl('symlink "x", $_ for (".envrc", ".npmrc", ".mcp.json"); symlink ".", ".vscode"'),
  ],
  [
    "a link to a folder in which somebody makes such a name later",
    ["sh", "-c", "mkdir src; ln -s src .kiro; ln -s src .claude"],
    "mkdir src/agents; echo mine > src/agents/a; echo mine > src/settings.json",
  ],
  ["a link in the place of a folder that held one", ["sh", "-c", "mv .vscode aside; ln -s aside .vscode"]],
  [
    "hundreds of protected names in the root itself",
    perl('for (1..400) { open my $f, ">", "a$_.code-workspace" }'),
  ],
  [
    "folders that their owner closed",
    ["sh", "-c", "mkdir -p closed/in; : > closed/in/.envrc; chmod 000 closed/in; chmod 300 closed"],
  ],
  [
    "a tree that is deeper than a path can be long",
    perl('for (1..60) { mkdir "d" x 200; chdir "d" x 200 or last } open my $f, ">", ".envrc"'),
  ],
  ["a hundred repositories", repositories(100)],
  [
    "pipes and sockets under protected names",
    perl(
      'use Socket; use POSIX; mkfifo(".envrc", 0600); socket(my $s, AF_UNIX, SOCK_STREAM, 0); bind($s, pack_sockaddr_un(".npmrc"))',
    ),
  ],
];

describe.skipIf(unusable !== null).each(PEOPLE)(
  "planted: what a call leaves stops no later one, as $name",
  (person) => {
    stopsNoLaterCall(person, LEFT);
  },
);

describe.skipIf(unusable !== null)("more protected names than mounts can be made for", () => {
  let place: Place;
  beforeEach(() => {
    place = new Place(CALLER);
  });
  afterEach(() => place[Symbol.dispose]());

  it("a folder that was there is read-only then as a whole, and the receipt tells it", async () => {
    place.folder("ws/packages");
    for (let at = 0; at < 200; at += 1) {
      mkdirSync(join(place.ws, `packages/${at}`));
      writeFileSync(join(place.ws, `packages/${at}/.npmrc`), "");
    }
    place.ownAll();
    await using supervisor = await place.supervisor({ shell: { default: { approval: false } } });
    const run = (script: string) =>
      supervisor.session({ caller: "person" }).call("shell", { argv: ["sh", "-c", script] });
    expect(await run("echo x > beside")).toMatchObject({
      kind: "done",
      receipt: { approximations: [{ name: "mount-budget", path: join(place.ws, "packages") }] },
    });
    for (const path of ["packages/7/.npmrc", "packages/7/other", "packages/new"])
      expect([path, (await run(`echo x > ${path}`)).kind]).toEqual([path, "failed"]);
    // The twin: with fewer of them all but these can be written.
    place.plainly("cd packages && rm -r 5? 6? 7? 8? 9? 1??");
    expect(await run("echo x > packages/7/other")).toMatchObject({ kind: "done" });
    expect((await run("echo x > packages/7/.npmrc")).kind).toBe("failed");
  });

  it("folders of settings are read-only then as a whole, and all else can be worked on", async () => {
    for (let at = 0; at < 90; at += 1) {
      mkdirSync(join(place.ws, `packages/${at}/.vscode`), { recursive: true });
      writeFileSync(join(place.ws, `packages/${at}/.vscode/settings.json`), "{}");
    }
    place.ownAll();
    await using supervisor = await place.supervisor({ shell: { default: { approval: false } } });
    const run = (script: string) =>
      supervisor.session({ caller: "person" }).call("shell", { argv: ["sh", "-c", script] });
    const made = await run("for one in packages/*; do echo x > $one/new || exit 1; done");
    expect(made).toMatchObject({
      kind: "done",
      receipt: {
        approximations: expect.arrayContaining([
          {
            name: "mount-budget",
            path: join(place.ws, "packages/0/.vscode"),
            reason: `${place.ws}/packages/0/.vscode is read-only: it contains 1 protected file, and more than 256 mounts would be needed`,
          },
        ]),
      },
    });
    for (const path of ["packages/0/.vscode/other", "packages/89/.vscode/settings.json"])
      expect([path, (await run(`echo x > ${path}`)).kind]).toEqual([path, "failed"]);
  });

  it("of many repositories those can be changed that a call starts in or names, and the others say how", async () => {
    place.plainly("for at in $(seq 10 69); do git init -q r$at; done");
    await using supervisor = await place.supervisor({ shell: { default: { approval: false } } });
    await using session = supervisor.session({ caller: "person" });
    const run = (script: string, cwd = ".") => session.call("shell", { argv: ["sh", "-c", script], cwd });
    const commit = (at: string) => `git -C ${at} -c user.name=a -c user.email=a@b commit --allow-empty -qm x`;
    expect((await run(commit("."), "r45")).kind).toBe("done");
    expect((await run(commit("r46"))).kind).toBe("done");
    expect((await run(commit("r12"))).kind).toBe("done");
    const tree = join(place.ws, "r47");
    expect(await run(`cd "r$((40 + 7))" && ${commit(".")}`)).toMatchObject({
      kind: "failed",
      denials: [
        {
          target: `${tree}/.git`,
          because: `\`${tree}/.git\` is read-only: this call can change at most 16 of 60 repositories (repository)`,
          remedy: `start the call in \`${tree}\` or name that folder in it, or list it as a separate root under \`sandbox.paths\``,
        },
      ],
    });
    // Named or not, what git obeys can't be changed.
    for (const name of ["config", "hooks/pre-commit", "commondir"])
      expect([name, (await run(`echo x > .git/${name}`, "r45")).kind]).toEqual([name, "failed"]);
  });
});
