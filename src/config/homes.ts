import { realpathSync } from "node:fs";
import { type Host, homesOf } from "../host/host.ts";
import { listedUsers } from "../host/users.ts";
import { type AbsolutePath, isAbsolutePath, nameOf, ROOT } from "../profile/path.ts";

/** True when the real path is somebody's home folder: the caller's, or one that the user database lists. */
export function isHome(host: Host, path: AbsolutePath, users?: string): boolean {
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
  try {
    const real = realpathSync.native(path);
    return isAbsolutePath(real) ? real : path;
  } catch {
    return path;
  }
}
