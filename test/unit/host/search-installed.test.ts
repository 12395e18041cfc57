import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const SCRIPT = join(import.meta.dirname, "../../support/search/installed.ts");

/** How many names are found at first, once root made one by hand, and once a package was installed. */
function foundIn(folder: string, mode = "755", access = "read"): unknown {
  const args = ["--mount", process.execPath, SCRIPT, folder, mode, access];
  return JSON.parse(execFileSync("/usr/bin/unshare", args, { encoding: "utf8" }));
}

// A folder of the system that is the process's own needs root.
describe.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)("folders of the system", () => {
  it("are looked at again once a package was installed", () => {
    expect(foundIn("/usr/share/some/folder")).toEqual([0, 0, 1]);
  });

  it.each([
    ["where npm installs", "/usr/share/node_modules/some", "755", "read"],
    ["which others than root can change", "/usr/share/some/folder", "777", "read"],
    ["which calls may write", "/usr/share/some/folder", "755", "write"],
  ])("are looked at each time %s", (_, folder, mode, access) => {
    expect(foundIn(folder, mode, access)).toEqual([0, 1, 1]);
  });
});
