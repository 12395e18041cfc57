import { readFileSync, realpathSync } from "node:fs";
import { type Host, homesOf } from "../host/host.ts";
import { type AbsolutePath, isAbsolutePath, nameOf, pathFromBytes } from "../profile/path.ts";

const USERS = "/etc/passwd";

/** True when the real path is somebody's home folder: the caller's, or one that the user database lists. */
export function isHome(host: Host, path: AbsolutePath, users: string = USERS): boolean {
  return [...homesOf(host), ...listedHomes(users)].some((home) => {
    if (home === path) return true;
    // Only a home of the same name is resolved: looking at all of them would wake automounted ones.
    return nameOf(home) === nameOf(path) && realOf(home) === path;
  });
}

/** The caller's homes as they really lie; as they are named when they are not there. A second one only takes away. */
export function realHomes(host: Host): readonly AbsolutePath[] {
  return [...new Set(homesOf(host).map(realOf))];
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
