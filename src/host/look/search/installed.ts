import type { Stats } from "node:fs";
import { isInTree } from "../../../profile/dependency-trees.ts";
import { type AbsolutePath, isInside, knownPath, parentOf, ROOT } from "../../../profile/path.ts";
import type { Profile } from "../../../profile/profile.ts";
import { statsOf } from "../nodes.ts";

/** The folder in which only the package manager of a system puts files (hier(7)). */
const SYSTEM = knownPath("/usr");
const OF_OTHERS = ["/usr/local", "/usr/src"].map(knownPath);

/** Files and folders that package managers change with each package: dpkg, RPM, apk, pacman. */
const STATES = [
  "/var/lib/dpkg/status",
  "/var/lib/dpkg/info",
  "/var/lib/rpm/rpmdb.sqlite",
  "/usr/lib/sysimage/rpm/rpmdb.sqlite",
  "/usr/lib/sysimage/rpm/rpmdb.sqlite-wal",
  "/lib/apk/db/installed",
  "/var/lib/pacman/local",
].map(knownPath);

/** The state of this machine's packages, which each installation changes; null if no package manager is known. */
export function packageState(): string | null {
  const states = STATES.flatMap((path) => {
    const stats = statsOf(path);
    return stats === null ? [] : [`${path} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`];
  });
  return states.length === 0 ? null : states.join("\n");
}

/** True if folders of the system that a package manager changes may lie at or below a folder, or above it. */
export function mayHoldInstalled(folder: AbsolutePath): boolean {
  return isInside(folder, SYSTEM) || isInside(SYSTEM, folder);
}

/** True for a folder that only the system's package manager changes; npm and others own trees of dependencies. */
function isInstalled(folder: AbsolutePath): boolean {
  const isOthers = OF_OTHERS.some((path) => isInside(folder, path));
  return isInside(folder, SYSTEM) && !isOthers && !isInTree(folder, SYSTEM);
}

/** True for a folder in which only root can make, remove and rename. The group's bits include access lists (acl(5)). */
export function isOfRootAlone({ uid, mode }: Stats): boolean {
  return uid === 0 && (mode & 0o022) === 0;
}

/**
 * Folders of the system that need no look while the state of its packages is the same: only root can change them, and
 * does so by the package manager. Ask about a folder after the folders above it.
 */
export class Installed {
  readonly #isSame: boolean;
  readonly #writable: readonly AbsolutePath[];
  readonly #heldByRoot = new Map<AbsolutePath, boolean>();

  /** `isSame`: the state is that of the last search. Calls of `profiles` may run as root. */
  constructor(isSame: boolean, profiles: readonly Profile[]) {
    this.#isSame = isSame;
    this.#writable = profiles.flatMap(({ files }) =>
      files.filter(({ access }) => access === "write").map(({ path }) => path),
    );
  }

  isAsRead(folder: AbsolutePath, { isOfRoot }: { readonly isOfRoot: boolean }): boolean {
    if (!this.#isSame || !isOfRoot || !isInstalled(folder) || !this.#isHeld(parentOf(folder))) return false;
    if (this.#writable.some((path) => isInside(folder, path))) return false;
    this.#heldByRoot.set(folder, true);
    return true;
  }

  /** True if only root can put another folder at a path below this one. */
  #isHeld(folder: AbsolutePath): boolean {
    const known = this.#heldByRoot.get(folder);
    if (known !== undefined) return known;
    const stats = statsOf(folder);
    const isOwn = stats?.isDirectory() === true && isOfRootAlone(stats);
    const isHeld = isOwn && (folder === ROOT || this.#isHeld(parentOf(folder)));
    this.#heldByRoot.set(folder, isHeld);
    return isHeld;
  }
}
