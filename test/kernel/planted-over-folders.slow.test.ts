import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Place } from "../support/battery/place.ts";
import { fatesOf, heldIn, isThere, namesIn, run, standingWith } from "../support/quarantine/planting.ts";

sandboxMustWork("repositories that calls make of folders");

/** What makes a folder a repository in which it can't be told what git runs. */
const UNCLEAR = `mkdir -p objects refs; echo "ref: refs/heads/m" > HEAD; printf '[core]\\n pager = x\\n\\0' > config`;
/** One that runs a hook that stands there. */
const BY_A_HOOK = `mkdir -p objects refs; echo "ref: refs/heads/m" > HEAD; printf '[core]\\n hooksPath = scripts\\n' > config`;

const FILES = [
  "mine",
  "scripts/pre-commit",
  ".vscode/tasks.json",
  "ro/mine",
  "node_modules/.bin/tool",
  "latest",
];

function prepared(place: Place, folder: string): void {
  for (const name of ["scripts", ".vscode", "ro", "node_modules/.bin"]) place.folder(`ws/${folder}/${name}`);
  for (const name of FILES.slice(0, 4)) place.file(`ws/${folder}/${name}`, "mine", 0o755);
  for (const name of FILES.slice(4)) symlinkSync("mine", join(place.ws, folder, name));
}

describe.skipIf(unusable !== null)("of a folder of the person's that a call makes a repository", () => {
  it.each([
    ["the root itself", ".", UNCLEAR, ["HEAD", "config"]],
    [
      "one that holds protected files, and a root that is read-only",
      "sub",
      UNCLEAR,
      ["sub/HEAD", "sub/config"],
    ],
    ["one in which there is a hook", "sub", BY_A_HOOK, ["sub/HEAD", "sub/config"]],
    [
      "one whose configuration can't be read",
      "sub",
      `${UNCLEAR}; rm config; mkfifo config`,
      ["sub/HEAD", "sub/config"],
    ],
  ])(
    "%s: what makes it one is taken, and all else stays; nothing else stays live",
    async (_, folder, line, held) => {
      const settings = (place: Place) => ({
        sandbox: {
          appeared: "quarantine",
          paths: {
            ws: { root: place.ws, mode: "rw", write_approval: false },
            ro: { root: `${place.ws}/${folder}/ro`, mode: "ro" },
          },
        },
        shell: { default: { approval: false } },
      });
      await using at = await standingWith("quarantine", { settings }, (place) => prepared(place, folder));
      const fates = fatesOf(
        await run(at, `cd ${folder}; ${line}; echo x > .envrc; mkdir q; echo x > q/.envrc`),
        at,
      );
      const below = (name: string): string => (folder === "." ? name : `${folder}/${name}`);
      expect(fates).toEqual({
        [folder === "." ? "" : folder]: "quarantined",
        [below(".envrc")]: "quarantined",
        [below("q/.envrc")]: "quarantined",
      });
      expect(heldIn(at.place)).toEqual([...held, below(".envrc"), below("q/.envrc")].toSorted());
      for (const name of FILES) expect([name, isThere(at.place, below(name))]).toEqual([name, true]);
      expect(await run(at, "echo x > later")).toMatchObject({ kind: "done" });
    },
  );

  it("one that the call made itself goes as a whole", async () => {
    await using at = await standingWith("quarantine");
    const fates = fatesOf(await run(at, `mkdir sub; cd sub; ${UNCLEAR}`), at);
    expect([fates, heldIn(at.place)]).toEqual([{ sub: "quarantined" }, ["sub"]]);
  });

  it("of many, each stays: later calls have room, and those that are too many for one can only be read in it", async () => {
    await using at = await standingWith("quarantine");
    const make = (from: number, to: number): string =>
      `for i in $(seq ${from} ${to}); do mkdir -p r$i/.git/objects r$i/.git/refs; echo "ref: refs/heads/m" > r$i/.git/HEAD; done`;
    const kinds = async (line: string) => new Set(Object.values(fatesOf(await run(at, line), at)));
    expect(await kinds(make(1, 80))).toEqual(new Set(["reported"]));
    expect(await kinds(make(81, 130))).toEqual(new Set(["reported"]));
    expect(namesIn(at.place).filter((name) => isThere(at.place, `${name}/.git`))).toHaveLength(130);
    expect(await run(at, "echo x > later")).toMatchObject({ kind: "done" });
  });
});
