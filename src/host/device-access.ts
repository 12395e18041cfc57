import { accessSync, constants } from "node:fs";
import type { Facts } from "../backend/facts.ts";
import { nameOf } from "../profile/path.ts";
import type { FoundNode } from "./device-nodes.ts";

/**
 * Whether a process of the sandbox may open the node to read and write it. All groups of the caller reach inside. Where
 * tools run as the owner of a tree they have that user's first group alone.
 */
export function mayOpen({ path, stats }: FoundNode, user: Facts["user"]): boolean {
  if (!user.isCaller) {
    const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0;
    return ((stats.mode >> shift) & 0o6) === 0o6;
  }
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** What is to be done outside about a node that the user may not open. */
export function wayToOpen({ path, stats }: FoundNode, { uid, isCaller }: Facts["user"]): string {
  if ((stats.mode & 0o060) !== 0o060)
    return `let a group of the user open it, outside (\`ls -l ${path}\` shows who may now), and log in again`;
  return isCaller
    ? `add the user to the group of ${nameOf(path)} outside (\`stat -c %G ${path}\`), and log in again`
    : `add user ${uid} to the group of ${nameOf(path)} outside (\`stat -c %G ${path}\`), and start cofferdam as that user`;
}
