import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { dependsOnWho } from "../../../src/host/look/git/path-targets.ts";
import { absolutePath, joinPath } from "../../../src/profile/path.ts";

test("by any link of procfs, wherever that is mounted, who asks decides where a way leads", () => {
  const folder = absolutePath(realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-procfs-"))));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const plain = joinPath(folder, "link");
  symlinkSync("nowhere", plain);
  const passed = { end: folder, aliases: [], isTooLong: false, places: [] };
  expect(dependsOnWho({ ...passed, links: [absolutePath("/proc/self")] })).toBe(true);
  expect(dependsOnWho({ ...passed, links: [plain] })).toBe(false);
});
