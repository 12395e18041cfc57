import { visible } from "../errors.ts";
import { isInside } from "../profile/path.ts";
import { literalPattern } from "../profile/pattern.ts";
import { type Mask, normalProfile, type Profile } from "../profile/profile.ts";
import { printDuration } from "../profile/quantity.ts";
import type { Facts, Unsearched } from "./facts.ts";
import type { Limit, Refusal } from "./plan.ts";
import { type Region, regionsOf } from "./search-regions.ts";

/** A profile that needs no more than was searched, and where it is tighter for that. */
export interface Searched {
  readonly profile: Profile;
  readonly limits: readonly (Limit & { readonly name: "search-bound" })[];
}

/**
 * The profile, read-only where the machine could not be searched for what its globs match and for repositories: of what
 * was not found, nothing can be changed then. It is the same one where all was searched. A refusal where the config says
 * so, and, whatever it says, where a glob of the profile hides: what was not found could be read.
 * Law: what the result gives at a path is never more than what the profile gives there.
 */
export function withinSearch(
  profile: Profile,
  { unsearched }: Pick<Facts, "unsearched">,
): Searched | Refusal {
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

/** What came of the search of a folder, in words. */
export function printUnsearched({ path, bound }: Unsearched): string {
  switch (bound.kind) {
    case "entries":
      return `${path} holds more than ${bound.most} entries, too many to search for what must be protected`;
    case "time":
      return `${path} could not be searched within ${printDuration(bound.mostMs)} of processor time for what must be protected`;
    case "silence":
      return `${path} could not be searched for what must be protected: the folder ${visible(bound.folder)} gave no answer for ${printDuration(bound.mostMs)}`;
  }
}

/** What lets the search itself pass. */
function raised({ bound }: Unsearched): string {
  if (bound.kind === "silence") return `see why ${visible(bound.folder)} does not answer`;
  return `raise \`sandbox.search.${bound.kind === "entries" ? "entries" : "time"}\``;
}

/** To remove it helps at once, whoever made it. */
function removed({ fullest }: Unsearched): string {
  if (fullest === undefined) return "";
  return `remove ${visible(fullest.path)}, which holds most of that (${fullest.entries} of what was seen), `;
}

function refused(one: Unsearched, { masks }: Region): Refusal {
  return {
    field: masks.length === 0 ? "files" : "masks",
    reason: printUnsearched(one),
    remedy: `${removed(one)}narrow the root, ${raised(one)}, or say \`over: read-only\` there`,
  };
}

function refusedHiding(one: Unsearched, { pattern }: Mask): Refusal {
  return {
    field: "masks",
    reason: `${printUnsearched(one)}, and ${pattern.text} hides what it matches`,
    remedy: `${removed(one)}begin the pattern with the folder that it is about, narrow the root, or ${raised(one)}`,
  };
}
