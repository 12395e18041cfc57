import { readFileSync, statSync } from "node:fs";
import { type AbsolutePath, absolutePath, upwards } from "../../profile/path.ts";
import { type LoadedLibraries, loadedByMaps, loadedByReport } from "../look/loaded.ts";
import { resolvedPath } from "../look/nodes.ts";
import { PACKAGE_FOLDER } from "../package-folder.ts";

/** The program of the worker, read once. The libraries are those that this process has loaded. */
export interface OwnProgram extends LoadedLibraries {
  readonly node: AbsolutePath;
  /** The worker's code. It is passed as bytes: a package in a workspace is a file that tools can change. */
  readonly worker: Uint8Array;
}

/** Finds Node, its libraries and the worker (in `dist` for sources). Throws the system's error if it is missing. */
export function findOwnProgram(): OwnProgram {
  const node = resolvedPath(absolutePath(process.execPath));
  const loaded = process.platform === "darwin" ? loadedByReport(node) : loadedByMaps(node);
  return { node, ...loaded, worker: readFileSync(`${PACKAGE_FOLDER}/dist/worker/main.js`) };
}

/** The folder whose mode hides Node or a library from a user, or Node itself if they can't start it; null for none. */
export function hiddenFrom(
  { node, libraries }: Pick<OwnProgram, "node" | "libraries">,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): AbsolutePath | null {
  const needed = [node, ...libraries].flatMap((path) => [...upwards(path)].reverse());
  const hidden = needed.find((path) => {
    const { mode, uid: owner, gid: group } = statSync(path);
    const shift = owner === uid ? 6 : group === gid ? 3 : 0;
    return ((mode >> shift) & 0o001) === 0 && !libraries.includes(path);
  });
  return hidden ?? null;
}
