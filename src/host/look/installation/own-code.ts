import { type AbsolutePath, joinPath, nameOf, upwards } from "../../../profile/path.ts";
import { realPathOf, statsOf } from "../nodes.ts";
import type { InstalledPart } from "./part.ts";

/** Names by which programs find the product in a folder of packages. */
const FOUND_BY_NAME = ["cofferdam", ".bin/cofferdam", ".bin/node"];

/** The identities of the installation: of these paths, and of commands and links in its folders of packages. */
export function identitiesOf(
  own: readonly AbsolutePath[],
  parts: readonly InstalledPart[],
): ReadonlySet<string> {
  const packages = parts.filter(({ path }) => nameOf(path) === "node_modules" && statsOf(path) !== null);
  const named = packages.flatMap(({ path }) => FOUND_BY_NAME.map((name) => joinPath(path, name)));
  return new Set([...own, ...named].flatMap((path) => identityOf(path) ?? []));
}

/** True for a part of the installation at whatever path, or a link to one: no tool can make that. */
export function isOwnCode(identities: ReadonlySet<string>, path: AbsolutePath): boolean {
  const isKnown = (at: AbsolutePath): boolean => identities.has(identityOf(at) ?? "");
  if (!isKnown(path)) return false;
  if (statsOf(path)?.isSymbolicLink() !== true) return true;
  const real = realPathOf(path);
  return real !== null && [...upwards(real)].some(isKnown);
}

/** A new file may get the number of a removed one, but no program can set its time of birth (statx(2), `stx_btime`). */
function identityOf(path: AbsolutePath): string | null {
  const stats = statsOf(path);
  return stats === null ? null : `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`;
}
