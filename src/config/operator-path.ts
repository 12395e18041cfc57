import { CofferdamError, visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { there } from "../host/look/mac/simulated.ts";
import { movedPattern } from "../profile/moved.ts";
import { type AbsolutePath, joinPath, parentOf } from "../profile/path.ts";
import type { Pattern } from "../profile/pattern.ts";
import { isUnwritable, printFailure, type ResolvedWay, walk } from "./safe-file.ts";

/** Follows a path, name by name. Throws node's errors. */
export type PathWalk = (path: AbsolutePath) => ResolvedWay;

/** The walk on this machine's disk; on a simulated Mac the only known links are those at fixed places. */
export function walkOn({ simulated }: Pick<Host, "simulated">): PathWalk {
  if (simulated === null) return walk;
  return (path) => ({ real: there(simulated, path), steps: [], missing: [], isDangling: false });
}

/**
 * The path that an operator's entry means: profiles use real paths, so a symlink on the way is followed, but only if
 * root alone could have placed it (the link and its folder belong to root, and no one else may write them). A missing
 * path is kept as written. Throws `PROFILE_INVALID`.
 */
export function operatorPath(path: AbsolutePath, follow: PathWalk = walk): AbsolutePath {
  const way = wayTo(path, follow);
  if (way instanceof Error) {
    throw new CofferdamError("PROFILE_INVALID", `${visible(path)} ${printFailure(way)}`, {
      hint: "name a path that this user can read",
      cause: way,
    });
  }
  const real = joinNames(way.real, way.missing);
  const loose = way.steps.find((step) => step.stats.isSymbolicLink() && !isRootsAlone(step, way));
  if (loose === undefined) return real;
  throw new CofferdamError(
    "PROFILE_INVALID",
    `${visible(path)} leads through the symlink ${visible(loose.path)}, which users other than root can replace`,
    {
      hint: `write the path without the symlink: ${real}`,
    },
  );
}

/** The real path through links of any owner: for masks, which only reduce access, and for requests. */
export function realPath(path: AbsolutePath, follow: PathWalk = walk): AbsolutePath {
  const way = wayTo(path, follow);
  return way instanceof Error ? path : joinNames(way.real, way.missing);
}

/** The pattern with the real path of the folder before its first wildcard; null if it is already real. */
export function realPattern(pattern: Pattern, follow: PathWalk = walk): Pattern | null {
  const real = movedPattern(pattern, (folder) => realPath(folder, follow));
  return real === pattern ? null : real;
}

/** The symlinks on the way to a path, each with its own folder resolved. */
export function linksOn(path: AbsolutePath, follow: PathWalk = walk): readonly AbsolutePath[] {
  const way = wayTo(path, follow);
  if (way instanceof Error) return [];
  return way.steps.flatMap((step) => (step.stats.isSymbolicLink() ? [step.path] : []));
}

function wayTo(path: AbsolutePath, follow: PathWalk): ResolvedWay | Error {
  try {
    return follow(path);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function isRootsAlone(link: ResolvedWay["steps"][number], way: ResolvedWay): boolean {
  const folder = way.steps.find((step) => step.path === parentOf(link.path));
  const isOwn = folder !== undefined && folder.stats.uid === 0 && (folder.stats.mode & 0o022) === 0;
  return isOwn && isUnwritable(link, [0]);
}

/** The path below the folder; names of a dangling link's target may be `..`. */
function joinNames(folder: AbsolutePath, names: readonly string[]): AbsolutePath {
  const below = names.lastIndexOf("..") + 1;
  const at = names
    .slice(0, below)
    .reduce<AbsolutePath>((above, name) => (name === ".." ? parentOf(above) : joinPath(above, name)), folder);
  return below === names.length ? at : joinPath(at, names.slice(below).join("/"));
}
