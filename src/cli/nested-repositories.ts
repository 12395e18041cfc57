import { existsSync } from "node:fs";
import { firstNamesOrNone } from "../host/look/names-in.ts";
import { statsOf, systemPath } from "../host/look/nodes.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";

/** Maximum depth of the search: the folder's own folders and those in them. */
const MAX_DEPTH = 2;
const MAX_NAMES = 500;

/** Whether a folder below has a git repository. Skips links, hidden folders and those of package managers. */
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
