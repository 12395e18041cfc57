import { CofferdamError, visible } from "../errors.ts";
import { type AbsolutePath, joinPath, parentOf, ROOT } from "../profile/path.ts";
import { literalPattern, literalPrefix, type Pattern, readPattern } from "../profile/pattern.ts";
import { isUnwritable, printFailure, type Way, walk } from "./safe-file.ts";

/**
 * The path that an operator's entry means: profiles speak of real paths, so a symlink on the way is followed, but
 * only when root alone could have placed it (the link and the folder that holds it are root's and writable by nobody
 * else). What does not exist is kept as it is written. Throws `PROFILE_INVALID`.
 */
export function operatorPath(path: AbsolutePath): AbsolutePath {
  const way = wayTo(path);
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
export function realPath(path: AbsolutePath): AbsolutePath {
  const way = wayTo(path);
  return way instanceof Error ? path : joinNames(way.real, way.missing);
}

/** The pattern with the folder before its first wildcard as it really lies; null where it lies as it is written. */
export function realPattern(pattern: Pattern): Pattern | null {
  const folder = literalPrefix(pattern);
  const real = realPath(folder);
  if (real === folder) return null;
  const behind = pattern.text.slice(literalPattern(folder).text.length);
  return readPattern(real === ROOT && behind !== "" ? behind : `${literalPattern(real).text}${behind}`);
}

/** The symlinks on the way to a path, each where it really stands. */
export function linksOn(path: AbsolutePath): readonly AbsolutePath[] {
  const way = wayTo(path);
  if (way instanceof Error) return [];
  return way.steps.flatMap((step) => (step.stats.isSymbolicLink() ? [step.path] : []));
}

function wayTo(path: AbsolutePath): Way | Error {
  try {
    return walk(path);
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
