import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MountTableParser } from "../../../src/host/mount-table.ts";

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
