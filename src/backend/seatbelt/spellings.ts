import { isAtMost } from "../../profile/access.ts";
import { pathRuler } from "../../profile/access-to.ts";
import { literalPattern } from "../../profile/pattern.ts";
import type { Mask, Profile } from "../../profile/profile.ts";
import { type Facts, nodeAt } from "../facts.ts";
import type { ApproximationName } from "./approximations.ts";
import { coveredIndex } from "./covered-index.ts";
import { type FileFacts, foldedMasks } from "./file-rules.ts";
import type { LinkMasks } from "./links.ts";
import { isSpellable } from "./translate.ts";

/**
 * Masks for what was found by a name that the disk takes for one that a glob covers, and that the glob, read letter by
 * letter, does not: it is held as what the profile names itself is, so that no folder above it can be moved from under it.
 */
export function masksOfSpellings(profile: Profile, facts: Facts & Pick<FileFacts, "mac">): LinkMasks {
  const globs = profile.masks.filter(({ pattern }) => pattern.literal === null);
  const areAllPlain = globs.every(({ pattern }) => isSpellable(pattern.text));
  // Of most folders everything is named plainly, which costs nothing then.
  const hits = areAllPlain ? facts.hits.filter((hit) => !isSpellable(hit)) : facts.hits;
  if (hits.length === 0) return { masks: [], limits: [] };
  const masks = foldedMasks(profile.masks, facts);
  const find = coveredIndex(masks.filter(({ pattern }) => pattern.literal === null));
  const ruler = pathRuler({ ...profile, masks });
  const found = hits.flatMap((hit) => {
    const mask = find(hit);
    const { access } = ruler(hit, { kind: "folder", bornInside: false });
    return mask === null || isAtMost(access, mask.atMost) ? [] : [{ hit, mask }];
  });
  return {
    masks: found.map(
      ({ hit, mask }): Mask => ({ pattern: literalPattern(hit), atMost: mask.atMost, ignoreCase: false }),
    ),
    limits: found.map(({ hit, mask }) => ({
      name: "foreign-name" satisfies ApproximationName,
      path: hit,
      atMost: mask.atMost,
      except: null,
      remedy: "rename it, or change it yourself, outside of the sandbox",
      reason: `${hit} has a name that the disk may take for one that a mask covers: it is capped at ${mask.atMost}`,
    })),
  };
}

/**
 * Masks for folders that a mask covers which leaves trees out: what lies in such a folder is covered by it, also in a tree in there, which
 * no rule tells from one outside.
 */
export function masksOfFolders(profile: Profile, facts: Facts): readonly Mask[] {
  if (profile.masks.every(({ exceptTreesOf }) => exceptTreesOf === undefined)) return [];
  const ruler = pathRuler(profile);
  return facts.hits.flatMap((hit): readonly Mask[] => {
    if (nodeAt(facts, hit).kind !== "folder") return [];
    const { clause } = ruler(hit, { kind: "folder", bornInside: false });
    if (clause.kind !== "mask" || clause.mask.exceptTreesOf === undefined) return [];
    return [{ pattern: literalPattern(hit), atMost: clause.mask.atMost, ignoreCase: false }];
  });
}
