import type { Host } from "../host/look/host.ts";
import { realPathOf } from "../host/look/nodes.ts";
import { homesOf } from "../host/look/user.ts";
import { listedUsers } from "../host/look/users.ts";
import { type AbsolutePath, nameOf, parentOf, ROOT } from "../profile/path.ts";

/** True for a home: the caller's, one of the user database or, on macOS without such, one beside people's homes. */
export function isHome(host: Host, path: AbsolutePath, users?: string): boolean {
  if (host.platform === "darwin" && parentOf(path) === "/Users" && nameOf(path) !== "Shared") return true;
  const others = listedUsers(users).map(({ home }) => home);
  return [...homesOf(host), ...others.filter((home) => home !== ROOT)].some((home) => {
    if (home === path) return true;
    // Only a home of the same name is resolved: looking at all of them would wake automounted ones.
    return nameOf(home) === nameOf(path) && realOf(home) === path;
  });
}

/** The real paths of the caller's homes; the written ones if they don't exist. A second one only reduces access. */
export function realHomes(host: Host): readonly AbsolutePath[] {
  return [...new Set(homesOf(host).map(realOf))];
}

function realOf(path: AbsolutePath): AbsolutePath {
  return realPathOf(path) ?? path;
}
