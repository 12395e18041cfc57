import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MountTableParser, parseMountTable } from "../../../src/host/look/mount-table.ts";
import { pathToBytes, ROOT } from "../../../src/profile/path.ts";

test("where no table tells of mounts there are none, and where one does they are read", () => {
  const folder = mkdtempSync(join(tmpdir(), "cofferdam-mounts-"));
  const table = join(folder, "mountinfo");
  writeFileSync(table, "24 1 8:1 / /data\\040one ro,noatime - ext4 /dev/sda1 rw\n");
  const [none, one] = [new MountTableParser(null), new MountTableParser(table)];
  expect(none.now()).toEqual([]);
  expect(none.now()).toBe(none.now());
  expect(one.now()).toEqual([{ point: "/data one", root: "/", device: "8:1", type: "ext4", readOnly: true }]);
  expect(one.now()).toBe(one.now());
  rmSync(folder, { recursive: true });
});

test.each([
  ["no further field", "24 1 8:1 / /data rw - ext4 /dev/sda1 rw", "/data"],
  [
    "several of them",
    "24 1 8:1 / /data rw,noexec shared:1 master:2 propagate_from:3 - ext4 none rw",
    "/data",
  ],
  ["no source", "24 1 8:1 / /data rw - ext4", "/data"],
  [
    "white space that is no separator",
    "24 1 8:1 / /da\u00a0ta\u2028x rw - ext4 none rw",
    "/da\u00a0ta\u2028x",
  ],
  ["a dash and a line feed in its name", "24 1 8:1 / /a\\040-\\040b\\0121 rw - ext4 none rw", "/a - b\n1"],
  ["a source with a separator of lines", "24 1 8:1 / /data rw - fuse x\u2028/etc rw", "/data"],
])("a mount with %s is read, and so is the one behind it", (_, line, point) => {
  const table = `${line}\n25 1 0:5 / /behind ro - tmpfs tmpfs rw\n`;
  const mounts = parseMountTable(Buffer.from(table));
  expect(mounts.map((mount) => mount.point)).toEqual([point, "/behind"]);
  expect(mounts.map((mount) => mount.readOnly)).toEqual([false, true]);
});

test("what is mounted at no path is left out, and bytes that are no UTF-8 are kept", () => {
  const lines = ["24 1 8:1 / (unreachable)/x rw - ext4 none rw", "25 1 8:1 / /a\xff rw - ext4 none rw"];
  const [mount, ...others] = parseMountTable(Buffer.from(lines.join("\n"), "latin1"));
  expect(Buffer.from(pathToBytes(mount?.point ?? ROOT))).toEqual(Buffer.from("/a\xff", "latin1"));
  expect(others).toEqual([]);
});
