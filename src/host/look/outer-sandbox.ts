import { lstatSync, readFileSync } from "node:fs";
import { CofferdamError } from "../../errors.ts";
import type { Host } from "./host.ts";

/**
 * Throws `SANDBOX_UNAVAILABLE` in a user namespace that does not know root, such as a sandbox of this program started
 * by an ordinary user. There root's files are shown as nobody's (user_namespaces(7)), so that root's config or helper
 * looks like anyone's.
 */
export function assertRootIsKnown(host: Pick<Host, "platform">): void {
  // The namespace that a machine starts with maps every id to itself.
  if (host.platform !== "linux" || /^\s*0\s+0\s+4294967295\s*$/.test(read("/proc/self/uid_map"))) return;
  const nobody = Number(read("/proc/sys/kernel/overflowuid"));
  if (lstatSync("/usr", { throwIfNoEntry: false })?.uid !== nobody) return;
  throw new CofferdamError(
    "SANDBOX_UNAVAILABLE",
    "this process already runs in a sandbox: root's files have another owner here",
    {
      hint: "run this command outside of it",
    },
  );
}

function read(path: string): string {
  return readFileSync(path, "utf8");
}
