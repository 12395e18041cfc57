import { type Access, isAtMost } from "../../profile/access.ts";
import { type PathFacts, type PathRuler, pathRuler } from "../../profile/access-to.ts";
import { type AbsolutePath, joinPath, parentOf, upwards } from "../../profile/path.ts";
import { indexEntries, type Mask, nearestEntry, type Profile } from "../../profile/profile.ts";
import { type Facts, type LinkWay, type Node, nodeAt } from "../facts.ts";
import { aliasesOf } from "../host-mounts.ts";
import type { Limit, Refusal } from "../plan.ts";
import { repositoryMasks } from "../repositories.ts";
import type { ApproximationName } from "./approximations.ts";

/** A cap that the profile does not spell out: the target of a masked link, another name of a masked file. */
export interface ExtraCap {
  readonly path: AbsolutePath;
  readonly atMost: "none" | "read";
  /** It holds for the name, not only for what is there: it must stay where it is. */
  readonly isFirm: boolean;
  readonly name: ApproximationName;
  readonly reason: string;
  readonly remedy: string;
}

/** What is needed besides the profile's own mounts for what its masks mean. */
export interface Extras {
  readonly caps: readonly ExtraCap[];
  /** Symlinks that must stay what they are, in folders that may be written: each is held by a mount on it. */
  readonly covers: readonly AbsolutePath[];
  /** Folders that must stay where they are, because such a link leads through them. */
  readonly detours: readonly AbsolutePath[];
}

/** A path that is capped, and whether it must also stay where it is. */
interface Capped {
  readonly path: AbsolutePath;
  readonly access: "none" | "read";
  readonly isFirm: boolean;
}

/** The limit that a cap is told as. */
export function limitOf({ name, path, atMost, reason, remedy }: ExtraCap): Limit {
  return { name, path, atMost, except: null, reason, remedy };
}

/** What a mask means but does not name; a refusal where a link could be swapped under it. */
export function extrasFor(profile: Profile, facts: Facts): Extras | Refusal {
  const [ruler, lasting] = [pathRuler(profile), lastingRuler(profile)];
  const entries = indexEntries(profile.files);
  const found: Extras[] = [];
  // Of what git obeys the profile need not name what lies below a mask already; it may be a link all the same.
  const obeyed = repositoryMasks(facts.repositories);
  const literals = [...profile.masks, ...obeyed].flatMap((mask) => mask.pattern.literal ?? []);
  const protectedPaths = new Set([...literals, ...facts.hits, ...profile.files.map((entry) => entry.path)]);
  for (const path of protectedPaths) {
    const kind = nodeAt(facts, path).kind === "folder" ? "folder" : "file";
    const asked: PathFacts = { kind, bornInside: false };
    // What is shown of such a folder is a few of its files.
    const isLimited = kind === "folder" && nearestEntry(entries, path).suffixes !== "any";
    const access = isLimited ? "none" : ruler(path, asked).access;
    if (access === "write") continue;
    const isFirm = isLimited || lasting(path, asked).access !== "write";
    // What only a glob would match there does not exist, and may be made: it holds the call's own bytes.
    const isMissing = nodeAt(facts, path).kind === "missing";
    if (isMissing && ruler(path, { kind, bornInside: true }).access === "write") continue;
    const aliases = capsOfAliases(ruler, facts, { path, access, isFirm });
    // What hides by a glob hides what a link leads to, and not the link's own name.
    const isNamed = ({ path: alias }: ExtraCap): boolean => isFirm || nodeAt(facts, alias).kind !== "link";
    found.push({ ...NOTHING, caps: aliases.filter(isNamed) });
    for (const name of [path, ...aliases.map((cap) => cap.path)]) {
      const extras = extrasOfLinks(profile, facts, { path: name, access, isFirm });
      if ("reason" in extras) return extras;
      found.push(extras);
    }
  }
  return together(found);
}

const NOTHING: Extras = { caps: [], covers: [], detours: [] };

function together(all: readonly Extras[]): Extras {
  return {
    caps: all.flatMap(({ caps }) => caps),
    covers: [...new Set(all.flatMap(({ covers }) => covers))],
    detours: [...new Set(all.flatMap(({ detours }) => detours))],
  };
}

/**
 * The profile without its `none` globs. What they hide may move as long as they find it again (`foldersNamedFor`); what
 * this still keeps from being written must stay where it is, or it could be made anew.
 */
export function lastingRuler(profile: Profile): PathRuler {
  const known = lastingProfiles.get(profile);
  if (known !== undefined) return pathRuler(known);
  const lastingMasks = profile.masks.flatMap((mask): readonly Mask[] => {
    if (mask.atMost === "read") return [mask];
    return mask.pattern.literal === null ? [] : [{ ...mask, ignoreCase: false }];
  });
  const lasting = { ...profile, masks: lastingMasks };
  lastingProfiles.set(profile, lasting);
  return pathRuler(lasting);
}

/** A profile is a value: what follows from it once holds for as long as anyone has it. */
const lastingProfiles = new WeakMap<Profile, Profile>();

/** A link on a path, and the path with the link replaced by what it leads to; null when it leads nowhere. */
export interface LinkOnPath {
  readonly link: AbsolutePath;
  readonly behind: AbsolutePath | null;
}

/** The topmost link on a path, which is the one that stands where its path says; null for a path without links. */
export function firstLink(nodes: ReadonlyMap<AbsolutePath, Node>, path: AbsolutePath): LinkOnPath | null {
  const link = [...upwards(path)].findLast((at) => nodes.get(at)?.kind === "link");
  const node = link === undefined ? undefined : nodes.get(link);
  if (link === undefined || node?.kind !== "link") return null;
  const { target } = node;
  const isBelow = target !== null && link !== path;
  return { link, behind: isBelow ? joinPath(target, path.slice(link.length + 1)) : target };
}

/** More links than the kernel follows on one path (path_resolution(7)). */
export const MOST_LINKS = 40;

const NO_WAY: LinkWay = { links: [], detours: [] };

/** What a person can do about a limit that something protected brings about. */
const OUTSIDE = "change it yourself, outside of the sandbox, if it is meant";

/** Other names of something that is capped, as far as the profile gives more there. */
function capsOfAliases(
  ruler: PathRuler,
  facts: Facts,
  { path, access, isFirm }: Capped,
): readonly ExtraCap[] {
  const granted = (alias: AbsolutePath): Access =>
    ruler(alias, { kind: "folder", bornInside: nodeAt(facts, alias).kind === "missing" }).access;
  return aliasesOf(facts.mounts, path)
    .filter((alias) => !isAtMost(granted(alias), access))
    .map((alias) => {
      const reason = `${alias} is another name of ${path}, which may ${printCap(access)}`;
      return { path: alias, atMost: access, isFirm, name: "alias", reason, remedy: OUTSIDE };
    });
}

/**
 * A mount on the path of a symlink stands on what the link leads to: that is capped instead, and whatever decides where the
 * link leads stays as it is: the link and further ones by a mount on each (`link-covers.ts`), folders that the way goes into
 * and leaves by `..` by a pin. Where no mount can be put on a link, the folder that holds it is read-only.
 */
function extrasOfLinks(profile: Profile, facts: Facts, { path, access, isFirm }: Capped): Extras | Refusal {
  const ruler = pathRuler(profile);
  const isWritable = (folder: AbsolutePath): boolean =>
    ruler(folder, { kind: "folder", bornInside: false }).access === "write";
  const found: Extras[] = [];
  let at = path;
  for (let followed = 0; followed < MOST_LINKS; followed += 1) {
    const on = firstLink(facts.nodes, at);
    if (on === null) break;
    const { links, detours } = facts.ways.get(on.link) ?? NO_WAY;
    const swappable = isFirm ? [on.link, ...links].filter((link) => isWritable(parentOf(link))) : [];
    const held = heldLinks(profile, facts, path, swappable);
    if ("reason" in held) return held;
    const isEntry = (folder: AbsolutePath): boolean => profile.files.some((entry) => entry.path === folder);
    found.push(held, {
      ...NOTHING,
      detours: isFirm ? detours.filter((folder) => isWritable(folder) && !isEntry(folder)) : [],
    });
    if (on.behind === null) return together(found);
    // What a `none` glob would match there does not exist, and may be made: it holds the call's own bytes.
    if (!isFirm && nodeAt(facts, on.behind).kind === "missing") return together(found);
    at = on.behind;
  }
  if (at === path) return together(found);
  const reason = `${path} is a protected symlink that leads to ${at}, so this may ${printCap(access)} as well`;
  const caps: readonly ExtraCap[] = [
    { path: at, atMost: access, isFirm, name: "link-target", reason, remedy: OUTSIDE },
    ...capsOfAliases(ruler, facts, { path: at, access, isFirm }),
  ];
  return together([{ ...NOTHING, caps }, ...found]);
}

/** Holds links by a mount on each, by every name that the folder has; or else the folders that they lie in. */
function heldLinks(
  profile: Profile,
  facts: Facts,
  path: AbsolutePath,
  links: readonly AbsolutePath[],
): Extras | Refusal {
  if (facts.coversLinks)
    return { ...NOTHING, covers: links.flatMap((link) => [link, ...aliasesOf(facts.mounts, link)]) };
  const caps: ExtraCap[] = [];
  for (const link of links) {
    const folder = parentOf(link);
    if (profile.files.some((entry) => entry.path === folder)) return swappable(path, link, folder);
    const reason = `${folder} is read-only: it holds the protected symlink ${link}, which could be replaced otherwise`;
    const remedy = `${HOLD_BY_ITSELF}; or replace the link by what it leads to; or change the folder outside of the sandbox`;
    caps.push(
      { path: folder, atMost: "read", isFirm: true, name: "link-folder", reason, remedy },
      ...capsOfAliases(pathRuler(profile), facts, { path: folder, access: "read", isFirm: true }),
    );
  }
  return { ...NOTHING, caps };
}

/** What a link can be held with by itself. */
const HOLD_BY_ITSELF = "install perl and have Linux 5.12 or newer, with which the link alone is held";

function swappable(path: AbsolutePath, link: AbsolutePath, folder: AbsolutePath): Refusal {
  return {
    field: "masks",
    reason: `${path} must not change, but ${link} is a symlink in the writable root ${folder}, where it could be replaced`,
    remedy: `${HOLD_BY_ITSELF}; or replace the link ${link} by what it leads to, or move it into a folder of its own`,
  };
}

function printCap(access: Capped["access"]): string {
  return access === "none" ? "not be seen" : "only be read";
}
