import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { BUILD_TREES, DEPENDENCY_TREES } from "../../src/profile/dependency-trees.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { QUARANTINE } from "../support/planting/ground.ts";
import { heldIn, isThere } from "../support/quarantine/planting.ts";

sandboxMustWork("dependency and build trees with files that hosts execute");

const TREES = Object.keys({ ...DEPENDENCY_TREES, ...BUILD_TREES });

/** What a package or a build brings along: a file, one in a folder, and a folder. */
const FILES = [".npmrc", ".vscode/settings.json", ".husky/pre-commit"];

const filled = (folder: string): string =>
  `mkdir -p ${folder}/.vscode ${folder}/.husky; for f in ${FILES.join(" ")}; do echo mine > ${folder}/$f; done`;

const GIT = "mkdir -p objects refs hooks; echo 'ref: refs/heads/m' > HEAD; echo mine > config";

/** Runs lines by calls of one supervisor, and tells how each ended. */
async function statuses(place: Place, lines: readonly string[], settings = {}): Promise<readonly unknown[]> {
  // Longer than the times of a file system may lag behind the clock.
  await pause(100);
  const calls = lines.map((line) => ({ argv: ["sh", "-c", line] as [string, ...string[]] }));
  const [, ...replies] = await place.runServed({ job: { calls }, settings: { ...QUARANTINE, ...settings } });
  return replies.map((reply) => ("code" in reply ? reply.code : reply));
}

describe.skipIf(unusable !== null).each(PEOPLE)(
  "fs.write: in dependency and build trees, as $name",
  (person) => {
    it("every tree can be removed, renamed and replaced as a whole, whatever it holds; twin: another folder can't", async () => {
      using place = new Place(person);
      const all = [...TREES, "packages"];
      const before = all.map((name) => `${filled(`${name}/a`)}; mkdir -p other; cp -r ${name} other/${name}`);
      expect(place.plainly(before.join("\n"))).toMatchObject({ status: 0, stderr: "" });
      const lines = [
        ...TREES.map((name) => `rm -rf ${name} && mv other/${name} ${name} && rm -rf ${name}`),
        "rm -rf packages",
        "mv other/packages moved",
      ];
      const found = await statuses(place, [
        lines.map((line) => `(${line}) 2> /dev/null; echo $?`).join("\n"),
      ]);
      expect(found).toEqual([0]);
      expect(all.filter((name) => isThere(place, name) || isThere(place, `other/${name}`))).toEqual([
        "packages",
      ]);
      expect(FILES.map((name) => place.read(`ws/packages/a/${name}`))).toEqual(FILES.map(() => "mine\n"));
      expect(FILES.map((name) => place.read(`ws/other/packages/a/${name}`))).toEqual(
        FILES.map(() => "mine\n"),
      );
    });

    it("what a root is called says nothing: in a root named as a tree they stay read-only", async () => {
      using place = new Place(person);
      const root = place.folder("ws/build/vendor");
      expect(place.plainly(`${filled("build/vendor")}; ${filled("build/vendor/dist")}`).status).toBe(0);
      const paths = {
        ws: { root: place.ws, mode: "rw", write_approval: false },
        inner: { root, mode: "rw", write_approval: false },
      };
      const settings = { sandbox: { ...QUARANTINE.sandbox, paths } };
      const lines = [
        "cd build/vendor; echo evil > .npmrc",
        "cd build/vendor; echo evil > .husky/pre-commit",
        "cd build/vendor; rm -rf dist",
      ];
      expect(await statuses(place, lines, settings)).toEqual([2, 2, 0]);
      expect(FILES.map((name) => place.read(`ws/build/vendor/${name}`))).toEqual(FILES.map(() => "mine\n"));
    });

    it("git's own files stay read-only in them, too; so does what a tree in a protected folder holds", async () => {
      using place = new Place(person);
      const before = `mkdir -p vendor/lib/.git .husky/node_modules; cd vendor/lib/.git; ${GIT}; echo mine > ../../../.husky/node_modules/x`;
      expect(place.plainly(before).status).toBe(0);
      const lines = [
        "echo evil > vendor/lib/.git/config",
        "echo evil > vendor/lib/.git/hooks/pre-commit",
        "echo evil > .husky/node_modules/x",
        "echo fine > vendor/lib/x",
      ];
      expect(await statuses(place, lines)).toEqual([2, 2, 2, 0]);
      expect(place.read("ws/vendor/lib/.git/config")).toBe("mine\n");
    });
  },
);

describe.skipIf(unusable !== null).each(PEOPLE)("planted: in build trees, as $name", (person) => {
  it("what a call changes or makes is taken; what it leaves as it is stays, and so does what is among packages", async () => {
    using place = new Place(person);
    const before = ["dist", "target/x", "vendor/a", "out", "node_modules/a"].map(filled).join("\n");
    expect(place.plainly(before).status).toBe(0);
    const lines = [
      "echo evil > dist/.npmrc; echo evil > target/x/.husky/pre-commit; chmod u+x target/x/.husky/pre-commit",
      "rm -rf vendor/a/.vscode; mkdir vendor/a/.vscode; echo evil > vendor/a/.vscode/settings.json",
      "echo evil > node_modules/a/.vscode/settings.json; mkdir out/b; echo evil > out/b/.envrc",
    ];
    expect(await statuses(place, lines)).toEqual([0, 0, 0]);
    const taken = ["dist/.npmrc", "out/b/.envrc", "target/x/.husky", "vendor/a/.vscode/settings.json"];
    expect(heldIn(place)).toEqual(taken);
    expect(taken.filter((path) => isThere(place, path))).toEqual([]);
    expect(FILES.map((name) => place.read(`ws/out/${name}`))).toEqual(FILES.map(() => "mine\n"));
    expect(place.read("ws/dist/.husky/pre-commit")).toBe("mine\n");
    expect(place.read("ws/node_modules/a/.vscode/settings.json")).toBe("evil\n");
  });

  it("what a call changes among packages is taken where a link shows it outside of them; twin: it stays without one", async () => {
    using place = new Place(person);
    expect(place.plainly(`${filled("node_modules/a")}; ln -s node_modules/a shown`).status).toBe(0);
    const line = "echo evil > node_modules/a/.npmrc; mkdir node_modules/b; echo evil > node_modules/b/.npmrc";
    expect(await statuses(place, [line])).toEqual([0]);
    expect(heldIn(place)).toEqual(["node_modules/a/.npmrc"]);
    expect(place.read("ws/node_modules/b/.npmrc")).toBe("evil\n");
    expect(place.read("ws/shown/.husky/pre-commit")).toBe("mine\n");
  });
});
