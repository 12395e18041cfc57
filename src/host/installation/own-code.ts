import { type AbsolutePath, joinPath, nameOf, upwards } from "../../profile/path.ts";
import { realPathOf, statsOf } from "../nodes.ts";
import type { InstalledPart } from "./part.ts";

/** What programs find of the product in a folder of packages. */
const FOUND_BY_NAME = ["cofferdam", ".bin/cofferdam", ".bin/node"];

/** Which files and folders the installation is: these, and the commands and links in its folders of packages. */
export function identitiesOf(
  own: readonly AbsolutePath[],
  parts: readonly InstalledPart[],
): ReadonlySet<string> {
  const packages = parts.filter(({ path }) => nameOf(path) === "node_modules" && statsOf(path) !== null);
  const named = packages.flatMap(({ path }) => FOUND_BY_NAME.map((name) => joinPath(path, name)));
  return new Set([...own, ...named].flatMap((path) => identityOf(path) ?? []));
}

/**
 * True for what is part of the installation itself, wherever somebody moved it: no tool can make that. A link counts where it
 * still leads to such a part.
 */
export function isOwnCode(identities: ReadonlySet<string>, path: AbsolutePath): boolean {
  const isKnown = (at: AbsolutePath): boolean => identities.has(identityOf(at) ?? "");
  if (!isKnown(path)) return false;
  if (statsOf(path)?.isSymbolicLink() !== true) return true;
  const real = realPathOf(path);
  return real !== null && [...upwards(real)].some(isKnown);
}

/** A number of a file that is gone is given to another, which was born later; no program can set when (statx(2), `stx_btime`). */
function identityOf(path: AbsolutePath): string | null {
  const stats = statsOf(path);
  return stats === null ? null : `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`;
}
