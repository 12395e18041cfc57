import { readFileSync, statSync } from "node:fs";
import { type AbsolutePath, absolutePath, upwards } from "../profile/path.ts";
import { type Loaded, loadedByMaps, loadedByReport } from "./loaded.ts";
import { resolvedPath } from "./nodes.ts";

/** What the worker is started with, read once. The libraries are those that this process has loaded. */
export interface OwnProgram extends Loaded {
  /** Node, as this process runs it. */
  readonly node: AbsolutePath;
  /** The worker's code. Handed over by its bytes: a package in a workspace is a file that tools can change. */
  readonly worker: Uint8Array;
}

/**
 * Finds Node and its libraries where this process has them, and reads the worker: beside the compiled library, or in `dist`
 * when the sources are run as they are. Throws the system's error where it is missing.
 */
export function findOwnProgram(): OwnProgram {
  const node = resolvedPath(absolutePath(process.execPath));
  const loaded = process.platform === "darwin" ? loadedByReport(node) : loadedByMaps(node);
  const isSource = import.meta.filename.endsWith(".ts");
  const bundle = `${import.meta.dirname}/${isSource ? "../../dist" : ".."}/worker/main.js`;
  return { node, ...loaded, worker: readFileSync(bundle) };
}

/** The folder by whose mode a user can't get to Node or a library of it, or Node itself that they can't start; null for none. */
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
