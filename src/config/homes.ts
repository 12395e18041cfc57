import type { Host } from "../host/host.ts";
import { realPathOf } from "../host/nodes.ts";
import { homesOf } from "../host/user.ts";
import { listedUsers } from "../host/users.ts";
import { type AbsolutePath, nameOf, parentOf, ROOT } from "../profile/path.ts";

/**
 * True when the real path is somebody's home folder: the caller's, one that the user database lists, or on macOS, where that
 * lists no person, one that lies where people's do.
 */
export function isHome(host: Host, path: AbsolutePath, users?: string): boolean {
  if (host.platform === "darwin" && parentOf(path) === "/Users" && nameOf(path) !== "Shared") return true;
  const others = listedUsers(users).map(({ home }) => home);
  return [...homesOf(host), ...others.filter((home) => home !== ROOT)].some((home) => {
    if (home === path) return true;
    // Only a home of the same name is resolved: looking at all of them would wake automounted ones.
    return nameOf(home) === nameOf(path) && realOf(home) === path;
  });
}

/** The caller's homes as they really lie; as they are named when they are not there. A second one only takes away. */
export function realHomes(host: Host): readonly AbsolutePath[] {
  return [...new Set(homesOf(host).map(realOf))];
}

function realOf(path: AbsolutePath): AbsolutePath {
  return realPathOf(path) ?? path;
}
