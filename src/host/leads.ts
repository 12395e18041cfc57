import { type AbsolutePath, joinPath, namesOf, parentOf, ROOT } from "../profile/path.ts";
import { linkAt, statsOf } from "./nodes.ts";

/** Where a path leads, as far as may be looked. `unseen`: out of that, and nothing was looked at there. */
export interface Led {
  readonly path: AbsolutePath;
  readonly kind: "file" | "folder" | "missing" | "unseen";
}

/** As the kernel: path_resolution(7). */
const MOST_LINKS = 40;

/**
 * Where a path leads, name by name as the kernel goes. Only what may be looked at is; all else counts as folders that are
 * there, so that what stands at any other path, and where it leads, plays no part in the answer.
 */
export function leadsTo(path: AbsolutePath, mayLook: (path: AbsolutePath) => boolean): Led {
  const names = namesOf(path).toReversed();
  let at = ROOT;
  let links = 0;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const next = name === ".." ? parentOf(at) : joinPath(at, name);
    if (name === ".." || !mayLook(next)) {
      at = next;
      continue;
    }
    const stats = statsOf(next);
    if (stats?.isDirectory() === true || (stats?.isFile() === true && names.length === 0)) {
      at = next;
      continue;
    }
    const text = stats?.isSymbolicLink() === true && links < MOST_LINKS ? linkAt(next) : null;
    if (text === null)
      return {
        path: behind(next, names),
        kind: stats === null || stats.isSymbolicLink() || names.length > 0 ? "missing" : "file",
      };
    links += 1;
    if (text.startsWith("/")) at = ROOT;
    names.push(...namesIn(text).reverse());
  }
  if (!mayLook(at)) return { path: at, kind: "unseen" };
  return { path: at, kind: statsOf(at)?.isDirectory() === true ? "folder" : "file" };
}

/** Behind a place where nothing is, the names are taken as they stand; last first. */
function behind(place: AbsolutePath, names: readonly string[]): AbsolutePath {
  let at = place;
  for (const name of names.toReversed()) at = name === ".." ? parentOf(at) : joinPath(at, name);
  return at;
}

function namesIn(text: string): string[] {
  return text.split("/").filter((name) => name !== "" && name !== ".");
}
