import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSupervisor } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("deep trees");

/** The longest path that the kernel looks up, without the NUL behind it. */
const MAX_BYTES = 4_095;

/** Makes the folder and goes there step by step, so that its path may have any length; then makes the file in it. */
const MAKE = `
  const { mkdirSync, writeFileSync } = require("node:fs");
  const [start, file, ...names] = process.argv.slice(1);
  process.chdir(start);
  for (const name of names) { mkdirSync(name, { recursive: true }); process.chdir(name); }
  if (file !== "") writeFileSync(file, "");`;

describe.skipIf(unusable !== null)("a tree that is deeper than a path can be long", () => {
  let place: Place;
  let profile = "";
  beforeEach(() => {
    place = new Place(CALLER);
    const masks = [{ pattern: `${place.ws}/**/.secret`, at_most: "none" }];
    const expects = [{ deny: "read", path: `${place.ws}/a/.secret` }];
    profile = place.file("profile.yaml", JSON.stringify({ profile: "hides", masks, expect: expects }));
  });
  afterEach(() => {
    // Node removes by path, which these are too long for.
    spawnSync("/bin/rm", ["-rf", place.ws]);
    place[Symbol.dispose]();
  });

  /** Makes folders below the root until the path of the last has so many bytes. */
  function nest(bytes: number, file = ""): string {
    const names: string[] = [];
    for (let left = bytes - place.ws.length; left > 0; ) {
      const length = left > 402 ? 200 : left > 201 ? Math.floor(left / 2) - 1 : left - 1;
      names.push((names.length === 0 ? "top" : "").padEnd(length, "x"));
      left -= length + 1;
    }
    const made = spawnSync(process.execPath, ["-e", MAKE, place.ws, file, ...names]);
    expect(made.stderr.toString()).toBe("");
    return [place.ws, ...names].join("/");
  }

  async function hits(): Promise<readonly string[]> {
    await using supervisor = await createSupervisor({
      config: place.config(),
      cwd: knownPath(place.ws),
      host: place.host(),
      profiles: [profile],
    });
    const { facts } = await supervisor.session({ caller: "person" }).look({ argv: ["true"] });
    return facts.hits.filter((hit) => hit.startsWith(place.ws)).map((hit) => hit.slice(place.ws.length));
  }

  const refusal = {
    code: "NOT_ENFORCEABLE",
    message: expect.stringMatching(
      /^`\/[^`]*\/ws\/topx*` contains a path of more than 4095 bytes, which can't be protected$/,
    ),
    hint: "remove the deep folders, or move them out of the roots",
  };

  it("what a mask covers as deep as a path can be is found", async () => {
    nest(MAX_BYTES - "/.secret".length, ".secret");
    expect((await hits()).map((hit) => hit.slice(-9))).toEqual(["x/.secret"]);
  });

  it("a folder as deep as a path can be is searched, and hides nothing when it holds nothing", async () => {
    nest(MAX_BYTES, "other");
    expect(await hits()).toEqual([]);
  });

  it.each([
    ["a file that a mask covers", MAX_BYTES - "/.secret".length + 1, ".secret"],
    ["a folder", MAX_BYTES + 1, ""],
    ["a folder far down", 3 * MAX_BYTES, ".secret"],
  ])("%s that lies deeper is refused by name, not passed over", async (_, bytes, file) => {
    nest(bytes, file);
    mkdirSync(`${place.ws}/beside`);
    await expect(hits()).rejects.toMatchObject(refusal);
  });

  it("can't have a root that deep", async () => {
    const root = nest(MAX_BYTES + 1);
    const paths = { ws: { root: place.ws, mode: "rw" }, deep: { root, mode: "rw" } };
    await expect(place.supervisor({ sandbox: { paths } })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      hint: "write a path of at most 4095 bytes",
    });
  });
});
