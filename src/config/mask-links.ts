import { CofferdamError, visible } from "../errors.ts";
import { type PathFacts, pathRuler } from "../profile/access-to.ts";
import { maskKey } from "../profile/explain.ts";
import { type AbsolutePath, isInside, parentOf, ROOT } from "../profile/path.ts";
import { literalPrefix } from "../profile/pattern.ts";
import type { Root } from "../tool/facts.ts";
import type { Ceiling } from "./config.ts";
import { linksOn, realPattern, type Walk } from "./operator-path.ts";
import { walk } from "./safe-file.ts";

const FOLDER: PathFacts = { kind: "folder", bornInside: false };

/**
 * Holds the masks with wildcards against the roots: none may be written through a symlink that lies where a tool can
 * write. The mask also holds for where such a link leads when a call starts, but one call could lead it elsewhere and
 * the next would find bare what it led to before. A literal mask on such a way is refused when it is rendered.
 * Throws `PROFILE_INVALID`, with the mask's position.
 */
export function assertFirmMasks(
  { layers, profile }: Ceiling,
  roots: readonly Root[],
  follow: Walk = walk,
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
          hint: `write the pattern that is meant: ${realPattern(pattern, follow)?.text ?? pattern.text}`,
          ...(at === undefined ? {} : { at }),
        },
      );
    }
  }
}
