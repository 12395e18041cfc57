import { readFileSync, realpathSync } from "node:fs";
import type { Host } from "../host/host.ts";
import { type AbsolutePath, isAbsolutePath, nameOf, pathFromBytes } from "../profile/path.ts";

const USERS = "/etc/passwd";

/** True when the real path is somebody's home folder: the caller's, or one that the user database lists. */
export function isHome(host: Host, path: AbsolutePath, users: string = USERS): boolean {
  return [...ownHomes(host), ...listedHomes(users)].some((home) => {
    if (home === path) return true;
    // Only a home of the same name is resolved: looking at all of them would wake automounted ones.
    return nameOf(home) === nameOf(path) && realOf(home) === path;
  });
}

/** The caller's homes as they really lie; as they are named when they are not there. */
export function realHomes(host: Host): readonly AbsolutePath[] {
  return [...new Set(ownHomes(host).map(realOf))];
}

/**
 * What the user database says, and what `HOME` does: programs obey the latter, and in some containers the former knows
 * nobody of that number. A second home only takes away.
 */
function ownHomes({ user, env }: Host): readonly AbsolutePath[] {
  const named = (env["HOME"] ?? "").replace(/(?<=.)\/+$/, "");
  return isAbsolutePath(named) && named !== "/" ? [user.home, named] : [user.home];
}

/** The sixth field of each line (passwd(5)); macOS keeps people's accounts elsewhere, so there it lists services only. */
function listedHomes(users: string): readonly AbsolutePath[] {
  let text: string;
  try {
    text = pathFromBytes(readFileSync(users));
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    const home = (line.split(":")[5] ?? "").replace(/(?<=.)\/+$/, "");
    return isAbsolutePath(home) && home !== "/" ? [home] : [];
  });
}

function realOf(path: AbsolutePath): AbsolutePath {
  try {
    const real = realpathSync.native(path);
    return isAbsolutePath(real) ? real : path;
  } catch {
    return path;
  }
}
