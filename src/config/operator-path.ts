import { CofferdamError, visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { there } from "../host/mac/stated.ts";
import { movedPattern } from "../profile/moved.ts";
import { type AbsolutePath, joinPath, parentOf } from "../profile/path.ts";
import type { Pattern } from "../profile/pattern.ts";
import { isUnwritable, printFailure, type Way, walk } from "./safe-file.ts";

/** How a path is followed, name by name. Throws node's errors. */
export type Walk = (path: AbsolutePath) => Way;

/** On this machine's disk; of a stated Mac no link is known but those that stand for others by their place. */
export function walkOn({ stated }: Pick<Host, "stated">): Walk {
  if (stated === null) return walk;
  return (path) => ({ real: there(stated, path), steps: [], missing: [], isDangling: false });
}

/**
 * The path that an operator's entry means: profiles speak of real paths, so a symlink on the way is followed, but
 * only when root alone could have placed it (the link and the folder that holds it are root's and writable by nobody
 * else). What does not exist is kept as it is written. Throws `PROFILE_INVALID`.
 */
export function operatorPath(path: AbsolutePath, follow: Walk = walk): AbsolutePath {
  const way = wayTo(path, follow);
  if (way instanceof Error) {
    throw new CofferdamError("PROFILE_INVALID", `${visible(path)} ${printFailure(way)}`, {
      hint: "name a path that this user may look up",
      cause: way,
    });
  }
  const real = joinNames(way.real, way.missing);
  const loose = way.steps.find((step) => step.stats.isSymbolicLink() && !isRootsAlone(step, way));
  if (loose === undefined) return real;
  throw new CofferdamError(
    "PROFILE_INVALID",
    `${visible(path)} leads through the symlink ${visible(loose.path)}, which another user than root can replace`,
    {
      hint: `write the path that is meant: ${real}`,
    },
  );
}

/**
 * Where a path really lies as far as that can be looked up, whoever placed the links on the way: for masks, which only
 * take away, and for questions.
 */
export function realPath(path: AbsolutePath, follow: Walk = walk): AbsolutePath {
  const way = wayTo(path, follow);
  return way instanceof Error ? path : joinNames(way.real, way.missing);
}

/** The pattern with the folder before its first wildcard as it really lies; null where it lies as it is written. */
export function realPattern(pattern: Pattern, follow: Walk = walk): Pattern | null {
  const real = movedPattern(pattern, (folder) => realPath(folder, follow));
  return real === pattern ? null : real;
}

/** The symlinks on the way to a path, each where it really stands. */
export function linksOn(path: AbsolutePath, follow: Walk = walk): readonly AbsolutePath[] {
  const way = wayTo(path, follow);
  if (way instanceof Error) return [];
  return way.steps.flatMap((step) => (step.stats.isSymbolicLink() ? [step.path] : []));
}

function wayTo(path: AbsolutePath, follow: Walk): Way | Error {
  try {
    return follow(path);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function isRootsAlone(link: Way["steps"][number], way: Way): boolean {
  const folder = way.steps.find((step) => step.path === parentOf(link.path));
  const isOwn = folder !== undefined && folder.stats.uid === 0 && (folder.stats.mode & 0o022) === 0;
  return isOwn && isUnwritable(link, [0]);
}

/** The path below the folder, where names of a link that leads nowhere may say `..`. */
function joinNames(folder: AbsolutePath, names: readonly string[]): AbsolutePath {
  const below = names.lastIndexOf("..") + 1;
  const at = names
    .slice(0, below)
    .reduce<AbsolutePath>((above, name) => (name === ".." ? parentOf(above) : joinPath(above, name)), folder);
  return below === names.length ? at : joinPath(at, names.slice(below).join("/"));
}
