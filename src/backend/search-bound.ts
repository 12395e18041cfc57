import { visible } from "../errors.ts";
import { isInside } from "../profile/path.ts";
import { literalPattern } from "../profile/pattern.ts";
import { type Mask, normalProfile, type Profile } from "../profile/profile.ts";
import { printDuration } from "../profile/quantity.ts";
import type { Facts, Unsearched } from "./facts.ts";
import type { Limit, NotEnforceable } from "./plan.ts";
import { type Region, regionsOf } from "./search-regions.ts";

/** A profile that needs no more than was searched, and the places where it is tighter for that. */
export interface Searched {
  readonly profile: Profile;
  readonly limits: readonly (Limit & { readonly name: "search-bound" })[];
}

/**
 * The profile, read-only in folders that could not be searched whole. A refusal if the config says so, or if a glob
 * hides: an unseen path could be read. Law: never gives more at a path than the profile gives there.
 */
export function withinSearch(
  profile: Profile,
  { unsearched }: Pick<Facts, "unsearched">,
): Searched | NotEnforceable {
  if (unsearched.length === 0) return { profile, limits: [] };
  const readOnly: Unsearched[] = [];
  for (const region of regionsOf(profile)) {
    const one = unsearched.find(({ path }) => isInside(region.start, path));
    if (one === undefined) continue;
    const hiding = region.masks.find((mask) => mask.atMost === "none");
    if (hiding !== undefined) return refusedHiding(one, hiding);
    if (one.over === "refuse") return refused(one, region);
    readOnly.push({ ...one, path: region.start });
  }
  if (readOnly.length === 0) return { profile, limits: [] };
  const masks = readOnly.map(({ path }): Mask => {
    return { pattern: literalPattern(path), atMost: "read", ignoreCase: false };
  });
  return {
    profile: normalProfile({ ...profile, masks: [...profile.masks, ...masks] }),
    limits: readOnly.map((one) => ({
      name: "search-bound",
      path: one.path,
      atMost: "read",
      except: null,
      reason: `${printUnsearched(one)}, so it is read-only`,
      remedy: `${removed(one)}narrow the root, or ${raised(one)}`,
    })),
  };
}

/** The result of a folder's search, in words. */
export function printUnsearched({ path, bound }: Unsearched): string {
  switch (bound.kind) {
    case "entries":
      return `${path} contains more than ${bound.max} entries, too many to search for protected files`;
    case "time":
      return `${path} could not be searched for protected files within ${printDuration(bound.maxMs)} of processor time`;
    case "silence":
      return `${path} could not be searched for protected files: the folder ${visible(bound.folder)} did not answer for ${printDuration(bound.maxMs)}`;
  }
}

function raised({ bound }: Unsearched): string {
  if (bound.kind === "silence") return `check why ${visible(bound.folder)} does not answer`;
  return `raise \`sandbox.search.${bound.kind === "entries" ? "entries" : "time"}\``;
}

function removed({ fullest }: Unsearched): string {
  if (fullest === undefined) return "";
  return `remove ${visible(fullest.path)}, which contains most of them (${fullest.entries} entries), `;
}

function refused(one: Unsearched, { masks }: Region): NotEnforceable {
  return {
    field: masks.length === 0 ? "files" : "masks",
    reason: printUnsearched(one),
    remedy: `${removed(one)}narrow the root, ${raised(one)}, or write \`over: read-only\` there`,
  };
}

function refusedHiding(one: Unsearched, { pattern }: Mask): NotEnforceable {
  return {
    field: "masks",
    reason: `${printUnsearched(one)}, and ${pattern.text} must hide all matching files`,
    remedy: `${removed(one)}begin the pattern with its folder, narrow the root, or ${raised(one)}`,
  };
}
