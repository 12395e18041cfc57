import {
  chmodSync,
  chownSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fitHelper } from "../../src/host/launch/launcher.ts";
import { CofferdamError } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { itUnless, notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, ORDINARY, PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("planted helpers");

/** Programs that a supervisor might look for by name. */
const NAMES = ["bwrap", "sh", "bash", "unshare", "setpriv", "prlimit"];

/** A program that leaves a mark when anybody runs it. */
const marking = (mark: string): string => `#!/bin/sh\n: > ${mark}\n`;

describe.skipIf(unusable !== null).each(PEOPLE)("planted helpers, as $name", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
  });
  afterEach(() => place[Symbol.dispose]());

  it("helper: nothing from PATH, the folder, a root or node_modules is run, inside or outside", async () => {
    const planted = ["planted", "ws", "ws/node_modules/.bin", "ws/bin"];
    for (const folder of planted) {
      place.folder(folder);
      for (const name of NAMES) place.file(`${folder}/${name}`, marking(`${place.ws}/ran`), 0o755);
    }
    const PATH = [...planted.map((folder) => join(place.top, folder)), ".", "", "/usr/bin:/bin"].join(":");
    const [made, reply] = await place.run({
      env: { PATH },
      job: { calls: [{ argv: ["sh", "-c", "bash -c 'echo $PATH'"] }] },
    });
    expect([made, reply]).toMatchObject([{ kind: "made" }, { kind: "ran", code: 0 }]);
    expect(reply?.kind === "ran" && reply.stdout).not.toContain(place.top);
    expect(existsSync(join(place.ws, "ran"))).toBe(false);
    place.plainly("bwrap", { PATH });
    expect(existsSync(join(place.ws, "ran"))).toBe(true);
  });

  it("helper: one that is not root's own is refused, and is not run to be asked", async () => {
    const folder = place.folder("helpers");
    place.file("helpers/bwrap", marking(`${place.ws}/ran`), 0o755);
    if (person.uid === 0) chownSync(join(folder, "bwrap"), ORDINARY.uid, ORDINARY.gid);
    const [reply] = await place.run({ job: { helperFolders: [folder], calls: [] } });
    expect(reply).toMatchObject({ kind: "threw", code: "SANDBOX_UNAVAILABLE" });
    expect(reply?.kind === "threw" && reply.message).toContain("is not owned by root");
    expect(existsSync(join(place.ws, "ran"))).toBe(false);
  });
});

describe.skipIf(unusable !== null)("whose helpers are fit, as root", () => {
  let place: Place;
  let folder = "";
  beforeEach(() => {
    place = new Place(CALLER);
    folder = place.folder("helpers");
    place.file("helpers/bwrap", marking(`${place.ws}/ran`), 0o755);
    place.file("helpers/sh", marking(`${place.ws}/ran`), 0o755);
  });
  afterEach(() => place[Symbol.dispose]());

  const unfit: readonly (readonly [what: string, make: () => void, said: string])[] = [
    [
      "that belongs to somebody else",
      () => chownSync(join(folder, "bwrap"), 1001, 1001),
      "is not owned by root",
    ],
    [
      "in a folder that belongs to somebody else",
      () => chownSync(folder, 1001, 1001),
      "which root does not own",
    ],
    ["below a folder that belongs to somebody else", () => moveBelow(1001), "which root does not own"],
    [
      "in a folder that a group may write",
      () => chmodSync(folder, 0o775),
      "which users other than root can write",
    ],
    [
      "in a folder that everybody may write",
      () => chmodSync(folder, 0o757),
      "which users other than root can write",
    ],
    [
      "that a group may write",
      () => chmodSync(join(folder, "bwrap"), 0o775),
      "can be written by users other than root",
    ],
    ["with the setuid bit", () => chmodSync(join(folder, "bwrap"), 0o4755), "is setuid"],
    ["with the setgid bit", () => chmodSync(join(folder, "bwrap"), 0o2755), "is setuid"],
    [
      "that is a folder",
      () => {
        folder = place.folder("others");
        place.folder("others/bwrap");
      },
      "is not a file",
    ],
    [
      "that a link of root's leads to in a folder of somebody else's",
      () => linkTo(true),
      "which root does not own",
    ],
    [
      "reached by a link that stands in a folder of somebody else's",
      () => linkTo(false),
      "which root does not own",
    ],
  ];

  for (const [what, make, said] of unfit) {
    itUnless(notRoot, `helper: one ${what} is refused`, async () => {
      make();
      const refused = await place
        .supervisor({}, { helperFolders: [knownPath(folder)] })
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(CofferdamError);
      expect(refused).toMatchObject({ code: "SANDBOX_UNAVAILABLE", message: expect.stringContaining(said) });
      expect(existsSync(join(place.ws, "ran"))).toBe(false);
    });
  }

  itUnless(notRoot, "helper: of ps alone the setuid bit counts for nothing, which it has on macOS", () => {
    for (const name of ["ps", "rm"]) place.file(`helpers/${name}`, "", 0o4755);
    const host = place.host({ helperFolders: [knownPath(folder)] });
    expect([fitHelper(host, "ps"), fitHelper(host, "rm")]).toEqual([join(folder, "ps"), null]);
  });

  itUnless(
    notRoot,
    "helper: one that only root can have put there is run, and asked what it can do",
    async () => {
      const refused = await place
        .supervisor({}, { helperFolders: [knownPath(folder)] })
        .catch((error: unknown) => error);
      expect(refused).toMatchObject({
        code: "SANDBOX_UNAVAILABLE",
        message: expect.stringContaining("has no --args"),
      });
      expect(existsSync(join(place.ws, "ran"))).toBe(true);
    },
  );

  itUnless(
    notRoot,
    "helper: one that can't be asked is refused, and asked again the next time, which is remembered",
    async () => {
      const sick = place.file("sick", "");
      const asked = join(place.ws, "asked");
      const text = `#!/bin/sh\n[ "$1" = --help ] && echo >>${asked}\n[ ! -e ${sick} ] || exit 1\nexec /usr/bin/bwrap "$@"\n`;
      writeFileSync(join(folder, "bwrap"), text);
      rmSync(join(folder, "sh"));
      const start = { helperFolders: [knownPath(folder), knownPath("/usr/bin")] };
      const times = (): number => readFileSync(asked, "utf8").length;
      for (const time of [1, 2]) {
        const refused = await place.supervisor({}, start).catch((error: unknown) => error);
        expect(refused).toMatchObject({
          message: expect.stringContaining("--help` does not list its options"),
        });
        expect(times()).toBe(time);
      }
      rmSync(sick);
      for (const _ of [1, 2]) {
        await using supervisor = await place.supervisor({}, start);
        const outcome = await supervisor.session({ caller: "person" }).call("shell", { argv: ["true"] });
        expect(outcome.kind).toBe("done");
        expect(times()).toBe(3);
      }
    },
  );

  itUnless(notRoot, "helper: behind one that is not fit the next fit one is used", async () => {
    chmodSync(folder, 0o777);
    await using supervisor = await place.supervisor(
      {},
      { helperFolders: [knownPath(folder), knownPath("/usr/bin")] },
    );
    const outcome = await supervisor.session({ caller: "person" }).call("shell", { argv: ["true"] });
    expect(outcome.kind).toBe("done");
    expect(existsSync(join(place.ws, "ran"))).toBe(false);
  });

  itUnless(notRoot, "helper: one that tools may write is refused, though it is root's own", async () => {
    const within = place.folder("ws/bin");
    place.file("ws/bin/bwrap", marking(`${place.ws}/ran`), 0o755);
    const refused = await place
      .supervisor({}, { helperFolders: [knownPath(within)] })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      message: expect.stringContaining("which tools can write"),
    });
    expect(existsSync(join(place.ws, "ran"))).toBe(false);
  });

  /** Moves the helpers below a folder of that user's. */
  function moveBelow(uid: number): void {
    const above = place.folder("above");
    folder = join(above, "helpers");
    renameSync(join(place.top, "helpers"), folder);
    chownSync(above, uid, uid);
  }

  /** A link and the program that it leads to, one of them in a folder of somebody else's. */
  function linkTo(isTargetTheirs: boolean): void {
    const theirs = place.folder("theirs");
    chownSync(theirs, 1001, 1001);
    folder = isTargetTheirs ? place.folder("links") : theirs;
    const target = isTargetTheirs
      ? place.file("theirs/bwrap", marking(`${place.ws}/ran`), 0o755)
      : "/usr/bin/bwrap";
    symlinkSync(target, join(folder, "bwrap"));
  }
});
