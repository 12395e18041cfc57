import { isAtMost } from "../../profile/access.ts";
import { pathRuler } from "../../profile/access-to.ts";
import { literalPattern } from "../../profile/pattern.ts";
import type { Mask, Profile } from "../../profile/profile.ts";
import { type Facts, nodeAt } from "../facts.ts";
import type { SeatbeltApproximationName } from "./approximations.ts";
import { coveredIndex } from "./covered-index.ts";
import { type FileFacts, foldedMasks } from "./file-rules.ts";
import type { LinkMasks } from "./links.ts";
import { isSpellable } from "./translate.ts";

/** Masks for names that the disk treats as equal to a glob's match: held as if the profile named them. */
export function masksOfSpellings(profile: Profile, facts: Facts & Pick<FileFacts, "mac">): LinkMasks {
  const globs = profile.masks.filter(({ pattern }) => pattern.literal === null);
  const areAllPlain = globs.every(({ pattern }) => isSpellable(pattern.text));
  // Most folders contain only plain names, which costs nothing then.
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
      name: "foreign-name" satisfies SeatbeltApproximationName,
      path: hit,
      atMost: mask.atMost,
      except: null,
      remedy: "rename it, or change it outside the sandbox",
      reason: `${hit} may be the same name as a masked one on this disk: it is capped at ${mask.atMost}`,
    })),
  };
}

/** Masks for folders covered with tree exceptions: no rule tells a tree in such a folder from one outside. */
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
