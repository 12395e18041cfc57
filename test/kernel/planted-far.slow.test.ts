import { mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Quarantine } from "../../src/host/launch/quarantine/quarantine.ts";
import { knownPath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { isThere, namesIn, run } from "../support/quarantine/planting.ts";

sandboxMustWork("a quarantine on another file system");

/** What runs lines in a place whose state folder lies on another file system, and its quarantine. */
async function farFrom(place: Place) {
  const far = mkdtempSync("/dev/shm/cofferdam-");
  expect(statSync(far).dev).not.toBe(statSync(place.ws).dev);
  const stateFolder = knownPath(join(far, "cofferdam"));
  const supervisor = await place.supervisor(
    { sandbox: { appeared: "quarantine" }, shell: { default: { approval: false } } },
    { stateFolder },
  );
  onTestFinished(async () => {
    await supervisor[Symbol.asyncDispose]();
    rmSync(far, { recursive: true });
  });
  return { session: supervisor.session({}), quarantine: new Quarantine(stateFolder, supervisor.shared.host) };
}

describe.skipIf(unusable !== null)("of a folder that can't be brought to another file system", () => {
  it("what hosts execute in it is brought there by itself, and given back into it", async () => {
    using place = new Place(CALLER);
    const at = await farFrom(place);
    await run(
      at,
      "mkdir -p .idea/sub/.vscode; echo 1 > .idea/sub/.vscode/tasks.json; echo 2 > .idea/.envrc; mkfifo .idea/f",
    );
    const [aside = "", ...others] = namesIn(place);
    expect([aside.startsWith(".idea.cofferdam-"), others]).toEqual([true, []]);
    expect([namesIn(place, aside), namesIn(place, `${aside}/sub/.vscode`)]).toEqual([["f", "sub"], []]);
    const [record] = at.quarantine.list();
    expect(place.plainly(`mv ${aside} .idea`).status).toBe(0);
    const settled = await at.quarantine.restore(record?.id ?? "");
    expect(settled.filter(({ problem }) => problem === null)).toHaveLength(2);
    expect([place.read("ws/.idea/.envrc"), isThere(place, ".idea/sub/.vscode/tasks.json")]).toEqual([
      "2\n",
      true,
    ]);
  });

  it("git finds no repository in it", async () => {
    using place = new Place(CALLER);
    const at = await farFrom(place);
    const line = `mkdir -p evil/objects evil/refs/heads; echo "ref: refs/heads/m" > evil/HEAD
      printf '[core]\\n repositoryformatversion = 0\\n bare = false\\n worktree = .\\n fsmonitor = touch ran;false\\n' > evil/config; mkfifo evil/config.worktree`;
    await run(at, line);
    const [aside = ""] = namesIn(place);
    expect(aside).toMatch(/^evil\.cofferdam-/);
    place.plainly(`cd ${aside}; git status`);
    expect(namesIn(place, aside)).toEqual(["config", "config.worktree", "objects", "refs"]);
    using twin = new Place(CALLER);
    twin.plainly(`${line.replace("; mkfifo evil/config.worktree", "")}; cd evil; git status`);
    expect(namesIn(twin, "evil")).toContain("ran");
  });
});

it.skipIf(unusable !== null)(
  "a folder that can be brought there is given back with what was taken out of it",
  async () => {
    using place = new Place(CALLER);
    const at = await farFrom(place);
    await run(
      at,
      "mkdir -p .idea/sub/.vscode; echo 1 > .idea/sub/.vscode/tasks.json; echo 2 > .idea/.envrc; echo 3 > .idea/x",
    );
    expect(namesIn(place)).toEqual([]);
    const [record] = at.quarantine.list();
    for (const { problem } of await at.quarantine.restore(record?.id ?? "")) expect(problem).toBeNull();
    expect(namesIn(place, ".idea")).toEqual([".envrc", "sub", "x"]);
    expect(place.read("ws/.idea/sub/.vscode/tasks.json")).toBe("1\n");
  },
);
