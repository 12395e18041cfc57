import { CofferdamError, visible } from "../../errors.ts";
import { type Access, isAtMost } from "../../profile/access.ts";
import { pathRuler } from "../../profile/access-to.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { listedSockets } from "../../profile/sockets.ts";
import { type Facts, nodeAt } from "../facts.ts";
import type { Change } from "./transitions.ts";

/** Replays the mounts against the model (law 7). Throws `INTERNAL` if they show more: our fault, and never a launch. */
export function assertAgrees(profile: Profile, facts: Facts, changes: readonly Change[]): void {
  const ruler = pathRuler(profile);
  for (const change of changes) {
    const node = nodeAt(facts, change.path);
    // The target of a link is no content, and a cover only takes away.
    if (node.kind === "missing" || change.kind === "cover-link") continue;
    const allowed = ruler(change.path, {
      kind: node.kind === "folder" ? "folder" : "file",
      bornInside: false,
    }).access;
    const given = replay(changes, change.path);
    const isSocket = node.kind === "other" && listedSockets(profile.sockets).includes(change.path);
    if (!isAtMost(given, isSocket ? "read" : allowed)) {
      throw new CofferdamError(
        "INTERNAL",
        `the plan grants ${given} at ${visible(change.path)}, but the profile grants ${allowed}`,
      );
    }
  }
}

/** The access that the mounts give at a path: that of the last one at or above it. */
export function replay(changes: readonly Change[], path: AbsolutePath): Access {
  let access: Access = "none";
  for (const change of changes)
    if (path === change.path || path.startsWith(`${change.path}/`)) access = change.access;
  return access;
}
