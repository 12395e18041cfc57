import { chmodSync, chownSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { Reply } from "../support/battery/job.ts";
import { itUnless, noDevices, notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place, type Start } from "../support/battery/place.ts";

sandboxMustWork("device nodes");

const NAMES = ["full", "null", "random", "tty", "urandom", "zero"] as const;
/** Character device, mode 0666, of nobody's. */
const AS_MADE = [0o20666, 65534, 65534] as const;

/** What else is in `/dev`: file systems made for the sandbox, and links to them and to the descriptors of the program. */
const OWN_PLACES = ["/dev/ptmx", "/dev/pts", "/dev/shm", "/dev/stdout", "/dev/stderr"];

/** Acts on a node that only its owner may do; each would leave it as it is. */
const OWNERS_ACTS: Readonly<Record<string, string>> = {
  mode: 'chmod "$(stat -Lc %a $f)" $f',
  owner: "chown $(id -u) $f",
  times: "touch -c -r $f $f",
};
const tryAct = (files: string, act: string): string =>
  `for f in ${files}; do ( ${act} ) 2>/dev/null && echo "$f"; done; exit 0`;

describe.skipIf(unusable !== null)("where tools run as root", () => {
  const made = (place: Place): string => join(place.state, "cofferdam/devices");
  const modes = (place: Place): object =>
    Object.fromEntries(
      NAMES.map((name) => statSync(join(made(place), name))).map(({ mode, uid, gid, rdev }, at) => [
        NAMES[at],
        [mode, uid, gid, rdev === statSync(`/dev/${NAMES[at]}`).rdev],
      ]),
    );
  const ALL_MADE = Object.fromEntries(NAMES.map((name) => [name, [...AS_MADE, true]]));

  /** What one line of shell in a sandbox printed, and how its files stood. */
  async function run(place: Place, line: string, more: Omit<Start, "job"> = {}, cwd = place.ws) {
    const [, reply] = await place.run({ ...more, job: { cwd, calls: [{ argv: ["sh", "-c", line] }] } });
    return reply;
  }

  itUnless(notRoot ?? noDevices, "fs.write: nothing of a device node can be changed", async () => {
    using place = new Place(CALLER);
    place.file("ws/own", "");
    for (const [what, act] of Object.entries(OWNERS_ACTS)) {
      const done = linesOf(await run(place, tryAct("/dev/*", act)));
      expect([what, done.filter((path) => !OWN_PLACES.includes(path))]).toEqual([what, []]);
      const twin = linesOf(await run(place, tryAct(`${place.ws}/own`, act)));
      expect([what, twin]).toEqual([what, [`${place.ws}/own`]]);
    }
    expect(modes(place)).toEqual(ALL_MADE);
  });

  itUnless(notRoot ?? noDevices, "fs.views: the devices do what they are for", async () => {
    using place = new Place(CALLER);
    const line =
      "echo x > /dev/null && wc -c < /dev/null; head -c 3 /dev/zero | wc -c; head -c 5 /dev/random | wc -c; head -c 7 /dev/urandom | wc -c; (echo x > /dev/full) 2>/dev/null || echo full; (: < /dev/tty) 2>/dev/null || echo no terminal";
    const reply = await run(place, line);
    expect(linesOf(reply)).toEqual(["0", "3", "5", "7", "full", "no terminal"]);
    expect(reply).toMatchObject({ kind: "ran", runAs: 0, standings: { files: "enforced" } });
    expect(readdirSync(made(place)).toSorted()).toEqual([...NAMES]);
  });

  itUnless(
    notRoot ?? noDevices,
    "fs.views: nodes that are not as they were made are made again",
    async () => {
      using place = new Place(CALLER);
      await run(place, ":");
      const zero = statSync(join(made(place), "zero")).ino;
      place.remove("state/cofferdam/devices/null");
      place.file("state/cofferdam/devices/null", "no device");
      chmodSync(join(made(place), "tty"), 0o600);
      expect(await run(place, "echo x > /dev/null")).toMatchObject({ standings: { files: "enforced" } });
      expect(modes(place)).toEqual(ALL_MADE);
      expect(statSync(join(made(place), "zero")).ino).toBe(zero);
      chmodSync(made(place), 0o755);
      await run(place, ":");
      expect(statSync(made(place)).mode & 0o777).toBe(0o700);
      expect(modes(place)).toEqual(ALL_MADE);
    },
  );

  itUnless(notRoot, "fs.write: where no node can be made, tools run and the receipt says so", async () => {
    using place = new Place(CALLER);
    const under = ["/usr/bin/setpriv", "--bounding-set", "-mknod"];
    const reply = await run(place, tryAct("/dev/null", OWNERS_ACTS["mode"] ?? ""), { under });
    expect(reply).toMatchObject({ kind: "ran", code: 0, runAs: 0, standings: { files: "partial" } });
    expect(linesOf(reply)).toEqual(["/dev/null"]);
  });

  itUnless(notRoot, "fs.write: nor where nodes lie on a file system without devices", async () => {
    using place = new Place(CALLER);
    const mounting = 'mount -n -t tmpfs -o nodev,mode=700 none "$0" && exec "$@"';
    const under = ["/usr/bin/unshare", "-m", "/bin/sh", "-c", mounting, place.state];
    expect(await run(place, "echo x > /dev/null", { under })).toMatchObject({
      kind: "ran",
      code: 0,
      standings: { files: "partial" },
    });
  });

  itUnless(notRoot, "fs.views: the owner of a tree has the host's devices, which are root's", async () => {
    using place = new Place(CALLER);
    const tree = place.folder("ws/tree");
    chownSync(tree, 1001, 1001);
    const settings = { sandbox: { paths: { tree: { root: tree, mode: "rw", write_approval: false } } } };
    const reply = await run(place, tryAct("/dev/null", OWNERS_ACTS["mode"] ?? ""), { settings }, tree);
    expect(reply).toMatchObject({ kind: "ran", runAs: 1001, stdout: "", standings: { files: "enforced" } });
    expect(existsSync(made(place))).toBe(false);
  });
});

function linesOf(reply: Reply | undefined): readonly string[] {
  return reply?.kind === "ran" ? reply.stdout.split("\n").filter((line) => line !== "") : [];
}
