import { expect, test } from "vitest";
import type { HostMount } from "../../../src/backend/facts.ts";
import { pathsByMounts } from "../../../src/host/look/installation/by-mounts.ts";
import { absolutePath } from "../../../src/profile/path.ts";

/** A mount of a part of a file system; the first is the machine's own. */
const mounted = (point: string, root: string, device = "254:0"): HostMount => ({
  point: absolutePath(point),
  root,
  device,
  type: "ext4",
  readOnly: false,
});
const MACHINE = mounted("/", "/");

/** Other paths in `/rw` of the packages in `/real/tools`. */
function inRoot(...mounts: readonly HostMount[]): readonly string[] {
  const packages = absolutePath("/real/tools/node_modules");
  const found = pathsByMounts([packages], [absolutePath("/rw")], [MACHINE, ...mounts]);
  return [...found.values()].flat();
}

test.each([
  ["the folder above them", [mounted("/rw", "/real")], ["/rw/tools/node_modules"]],
  ["them", [mounted("/rw/a", "/real/tools/node_modules")], ["/rw/a"]],
  ["one of them", [mounted("/rw/a", "/real/tools/node_modules/zod")], ["/rw/a"]],
  [
    "a folder in which the root lies",
    [mounted("/rw", "/x"), mounted("/rw/b", "/real")],
    ["/rw/b/tools/node_modules"],
  ],
  ["the whole machine", [mounted("/rw/all", "/")], ["/rw/all/real/tools/node_modules"]],
  ["nothing", [], []],
  ["what lies beside them", [mounted("/rw", "/real/other"), mounted("/rw/c", "/real/tools/node")], []],
  ["another file system", [mounted("/rw", "/real", "254:1")], []],
  ["them, outside the root", [mounted("/other", "/real")], []],
  ["them, where another mount hides it", [mounted("/rw", "/real"), mounted("/rw/tools", "/", "0:1")], []],
  ["no path", [mounted("/rw", "net:[4026531840]")], []],
])("own: the product's packages are known where a mount shows %s", (_what, mounts, found) => {
  expect(inRoot(...mounts)).toEqual(found);
});

test("own: they are known in a root on a mount by which the installation itself is not seen", () => {
  const mounts = [MACHINE, mounted("/seen", "/real")];
  const packages = absolutePath("/seen/tools/node_modules");
  expect([...pathsByMounts([packages], [absolutePath("/real")], mounts).values()]).toEqual([
    ["/real/tools/node_modules"],
  ]);
});
