import { constants } from "node:fs";
import type { Facts } from "../../backend/facts.ts";
import { nameOf } from "../../profile/path.ts";
import { canAccess } from "../look/nodes.ts";
import type { FoundNode } from "./device-nodes.ts";

/**
 * True if a process of the sandbox may open the node to read and write. All groups of the caller apply inside; if tools
 * run as the owner of a tree, only that user's first group.
 */
export function mayOpen({ path, stats }: FoundNode, user: Facts["user"]): boolean {
  if (!user.isCaller) {
    const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0;
    return ((stats.mode >> shift) & 0o6) === 0o6;
  }
  return canAccess(path, constants.R_OK | constants.W_OK);
}

/** The fix, outside the sandbox, for a node that the user may not open. */
export function wayToOpen({ path, stats }: FoundNode, { uid, isCaller }: Facts["user"]): string {
  if ((stats.mode & 0o060) !== 0o060)
    return `outside the sandbox, let a group of the user open it (\`ls -l ${path}\` shows its owner), and log in again`;
  return isCaller
    ? `outside the sandbox, add the user to the group of ${nameOf(path)} (\`stat -c %G ${path}\`), and log in again`
    : `outside the sandbox, add user ${uid} to the group of ${nameOf(path)} (\`stat -c %G ${path}\`), and start cofferdam as that user`;
}
