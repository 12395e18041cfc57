import { type Access, lesser } from "../profile/access.ts";
import type { Kind } from "../profile/access-to.ts";
import { passedMasks } from "../profile/mask-index.ts";
import { type AbsolutePath, isInside, nameOf } from "../profile/path.ts";
import { indexEntries, type Mask, type Profile } from "../profile/profile.ts";
import { takesFile } from "../profile/suffix.ts";

/** The cap that a path through a link passes on to its target. `isFirm`: the path must also stay where it is. */
export interface CapBehind {
  readonly access: Access;
  readonly isFirm: boolean;
}

/** The remedy of such a cap. */
export const OUTSIDE = "change it yourself outside the sandbox, if intended";

/**
 * Finds the cap of each target: by the masks that the path passes on (`passedMasks`), and by the path's own entry. Law:
 * a further mask never raises it, even one that hides the folder with the link.
 */
export function capsBehind(
  { files, masks }: Pick<Profile, "files" | "masks">,
  more: readonly Mask[] = [],
): (path: AbsolutePath, link: AbsolutePath, kind: Kind) => CapBehind {
  const [entries, passed] = [indexEntries(files), passedMasks([...masks, ...more])];
  return (path, link, kind) => {
    const { access: listed = "write", suffixes = "any" } = entries.get(path) ?? {};
    const isShown = suffixes === "any" || (kind === "file" && takesFile(suffixes, nameOf(path)));
    const own: Access = isShown ? listed : "none";
    const found = passed(path, link);
    return {
      access: found.reduce((access, { atMost }) => lesser(access, atMost), own),
      isFirm: own !== "write" || found.some((mask) => isLasting(mask, path)),
    };
  };
}

/** True if what the mask covers must stay in place: a `none` glob finds it again wherever it moves. */
function isLasting({ atMost, pattern: { literal } }: Mask, path: AbsolutePath): boolean {
  return atMost === "read" || (literal !== null && isInside(path, literal));
}
