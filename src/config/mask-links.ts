import { CofferdamError, visible } from "../errors.ts";
import { type PathFacts, pathRuler } from "../profile/access-to.ts";
import { maskKey } from "../profile/explain.ts";
import { type AbsolutePath, isInside, parentOf, ROOT } from "../profile/path.ts";
import { literalPrefix } from "../profile/pattern.ts";
import type { Root } from "../tool/facts.ts";
import type { Ceiling } from "./config.ts";
import { linksOn, type PathWalk, realPattern } from "./operator-path.ts";
import { walk } from "./safe-file.ts";

const FOLDER: PathFacts = { kind: "folder", bornInside: false };

/**
 * No mask with wildcards may lead through a symlink where a tool can write: one call could redirect it, and the next
 * find the old target unprotected. Rendering rejects literal ones. Throws `PROFILE_INVALID`, with the position.
 */
export function assertFirmMasks(
  { layers, profile }: Ceiling,
  roots: readonly Root[],
  follow: PathWalk = walk,
): void {
  const ruler = pathRuler(profile);
  const isWritable = (folder: AbsolutePath): boolean =>
    roots.some((root) => root.mode === "rw" && isInside(folder, root.path)) &&
    ruler(folder, FOLDER).access === "write";
  const known = new Map<AbsolutePath, AbsolutePath | null>();
  const looseLink = (folder: AbsolutePath): AbsolutePath | null => {
    const seen = known.get(folder);
    if (seen !== undefined) return seen;
    const link = linksOn(folder, follow).find((one) => isWritable(parentOf(one))) ?? null;
    known.set(folder, link);
    return link;
  };
  for (const layer of layers) {
    for (const { pattern } of layer.profile.masks) {
      const folder = literalPrefix(pattern);
      if (pattern.literal !== null || folder === ROOT) continue;
      const link = looseLink(folder);
      if (link === null) continue;
      const at = layer.sources.get(maskKey({ pattern }));
      throw new CofferdamError(
        "PROFILE_INVALID",
        `the mask ${visible(pattern.text)} leads through the symlink ${visible(link)}, which a tool can replace`,
        {
          hint: `write the path without the symlink: ${realPattern(pattern, follow)?.text ?? pattern.text}`,
          ...(at === undefined ? {} : { at }),
        },
      );
    }
  }
}
