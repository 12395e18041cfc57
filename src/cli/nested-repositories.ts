import { existsSync } from "node:fs";
import { firstNamesOrNone } from "../host/names-in.ts";
import { statsOf, systemPath } from "../host/nodes.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";

/** Repositories lie in the folder's own folders, or in those of these. */
const MAX_DEPTH = 2;
/** More names are not looked at. */
const MAX_NAMES = 500;

/**
 * Whether a git repository lies in a folder below, as where one folder holds several projects. No link is followed; what is
 * hidden, or was installed by a package manager, is nobody's work here.
 */
export function hasRepositoryBelow(folder: AbsolutePath): boolean {
  let left = MAX_NAMES;
  let folders: readonly AbsolutePath[] = [folder];
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) {
    folders = folders.flatMap((one) => {
      const names = firstNamesOrNone(systemPath(one), left);
      left -= names.length;
      return names
        .filter((name) => !name.startsWith(".") && name !== "node_modules")
        .map((name) => joinPath(one, name))
        .filter((path) => statsOf(path)?.isDirectory() === true);
    });
    if (folders.some((one) => existsSync(systemPath(joinPath(one, ".git"))))) return true;
  }
  return false;
}
