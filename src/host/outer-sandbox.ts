import { lstatSync, readFileSync } from "node:fs";
import { CofferdamError } from "../errors.ts";
import type { Host } from "./host.ts";

/**
 * Throws `SANDBOX_UNAVAILABLE` in a user namespace that does not know root, such as a sandbox of this program started by
 * an ordinary user: there root's files are shown as nobody's (user_namespaces(7)), so that neither a config nor a helper
 * could be told from one that anybody wrote.
 */
export function assertRootIsKnown(host: Pick<Host, "platform">): void {
  if (host.platform !== "linux" || isWholeMap(read("/proc/self/uid_map"))) return;
  const nobody = Number(read("/proc/sys/kernel/overflowuid"));
  if (lstatSync("/usr", { throwIfNoEntry: false })?.uid !== nobody) return;
  throw new CofferdamError(
    "SANDBOX_UNAVAILABLE",
    "this already is a sandbox: root's files belong to nobody here",
    {
      hint: "run this command outside of it",
    },
  );
}

/** The namespace that a machine starts with maps every id to itself. */
function isWholeMap(map: string): boolean {
  return /^\s*0\s+0\s+4294967295\s*$/.test(map);
}

function read(path: string): string {
  return readFileSync(path, "utf8");
}
