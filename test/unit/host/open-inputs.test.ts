import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  Stats,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openKept } from "../../../src/host/kept-bytes.ts";
import { openInputs } from "../../../src/host/launch/open-inputs.ts";
import { nodeOf } from "../../../src/host/look/node-looker.ts";
import { isCopyable, statsOf } from "../../../src/host/look/nodes.ts";
import { absolutePath, knownPath } from "../../../src/profile/path.ts";

const KEPT = new TextEncoder().encode("what most calls have the same of");
const SERVICES = absolutePath("/etc/services");

/** Stats as `lstat` would have them. */
function stats(given: { mode?: number; uid?: number; size?: number; type?: number }): Stats {
  const made: Stats = Object.create(Stats.prototype);
  const { mode = 0o644, uid = 0, size = 10, type = 0o100000 } = given;
  return Object.assign(made, { mode: type | mode, uid, size });
}

test("a small file in `/etc` is copied that is root's, that everybody may read, and that nobody runs", () => {
  const fit = [{}, { mode: 0o444 }, { mode: 0o664 }, { size: 0 }, { size: 128 * 1024 }];
  expect(fit.filter((one) => !isCopyable(SERVICES, stats(one)))).toEqual([]);
  const unfit = [
    { mode: 0o640 },
    { mode: 0o600 },
    { mode: 0o755 },
    { mode: 0o645 },
    { mode: 0o654 },
    { mode: 0o744 },
    { mode: 0o4644 },
    { mode: 0o2644 },
    { uid: 1000 },
    { size: 128 * 1024 + 1 },
    { type: 0o040000 },
    { type: 0o010000 },
    { type: 0o120000 },
  ];
  expect(unfit.filter((one) => isCopyable(SERVICES, stats(one)))).toEqual([]);
  const others = ["/usr/services", "/etcetera", "/etc/resolv.conf", "/etc/hosts", "/home/etc/services"];
  expect(others.filter((path) => isCopyable(absolutePath(path), stats({})))).toEqual([]);
});

test("what this user can't read, as by an access list, is not copied, whatever its mode says", () => {
  const see = () => stats({});
  expect(nodeOf(SERVICES, see)).toMatchObject({ kind: "file", isCopyable: true });
  expect(nodeOf(absolutePath("/etc/cofferdam-none"), see)).not.toHaveProperty("isCopyable");
});

test("what is opened is what is read, and closed at the end", () => {
  // Its own file stays open.
  closeSync(openKept(KEPT) ?? -1);
  const before = readdirSync("/proc/self/fd").length;
  const folder = knownPath(realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-inputs-"))));
  mkdirSync(join(folder, "in it"));
  {
    using opened = openInputs([
      { fd: 3, bytes: new Uint8Array() },
      { fd: 4, bytes: KEPT, isLasting: true },
      { fd: 7, file: SERVICES },
      { fd: 8, device: "/dev/null" },
      { fd: 9, folder },
    ]);
    expect([...opened.fds.keys()]).toEqual([4, 7, 9]);
    expect(readFileSync(opened.fds.get(4) ?? -1)).toEqual(Buffer.from(KEPT));
    expect(readFileSync(opened.fds.get(7) ?? -1, "utf8")).toBe(readFileSync(SERVICES, "utf8"));
    expect(readdirSync(`/proc/self/fd/${opened.fds.get(9)}`)).toEqual(["in it"]);
  }
  rmSync(folder, { recursive: true });
  expect(readdirSync("/proc/self/fd")).toHaveLength(before);
});

test("what changed since it was looked at is opened by nobody, and nothing stays open for it", () => {
  const before = readdirSync("/proc/self/fd").length;
  const changed = ["/etc/shadow", "/etc/none", "/etc/mtab", "/etc", "/usr/bin/true", import.meta.filename];
  for (const path of changed)
    expect(() =>
      openInputs([
        { fd: 7, file: SERVICES },
        { fd: 8, file: absolutePath(path) },
      ]),
    ).toThrow(expect.objectContaining({ code: "FACTS_UNSTABLE", message: expect.stringContaining(path) }));
  expect(() => openInputs([{ fd: 7, folder: SERVICES }])).toThrow(
    expect.objectContaining({ code: "FACTS_UNSTABLE" }),
  );
  expect(statsOf(absolutePath("/etc/mtab"))?.isSymbolicLink()).toBe(true);
  expect(readdirSync("/proc/self/fd")).toHaveLength(before);
});
