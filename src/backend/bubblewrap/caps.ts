import { type Access, isAtMost } from "../../profile/access.ts";
import { type PathFacts, type PathRuler, pathRuler } from "../../profile/access-to.ts";
import { type AbsolutePath, joinPath, parentOf, upwards } from "../../profile/path.ts";
import { indexEntries, type Mask, nearestEntry, type Profile } from "../../profile/profile.ts";
import { type Facts, type LinkWay, type Node, nodeAt } from "../facts.ts";
import { aliasesOf } from "../host-mounts.ts";
import type { Approximation, Refusal } from "../plan.ts";
import { repositoryMasks } from "../repositories.ts";
import type { ApproximationName } from "./approximations.ts";

/** A cap that the profile does not spell out: the target of a masked link, another name of a masked file. */
export interface ExtraCap {
  readonly path: AbsolutePath;
  readonly atMost: Access;
  /** It holds for the name, not only for what is there: it must stay where it is. */
  readonly isFirm: boolean;
  readonly approximation: Approximation & { readonly name: ApproximationName };
}

/** A path that is capped, and whether it must also stay where it is. */
interface Capped {
  readonly path: AbsolutePath;
  readonly access: "none" | "read";
  readonly isFirm: boolean;
}

/** Caps for what a mask means but does not name; a refusal where a link could be swapped under it. */
export function extraCaps(profile: Profile, facts: Facts): readonly ExtraCap[] | Refusal {
  const [ruler, lasting] = [pathRuler(profile), lastingRuler(profile)];
  const entries = indexEntries(profile.files);
  const caps: ExtraCap[] = [];
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
    caps.push(...aliases);
    for (const name of [path, ...aliases.map((cap) => cap.path)]) {
      const capped = capsOfLinks(profile, facts, { path: name, access, isFirm });
      if ("reason" in capped) return capped;
      caps.push(...capped);
    }
  }
  return caps;
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
      const reason = `${alias} is another name of ${path}, which is capped at ${access}`;
      return { path: alias, atMost: access, isFirm, approximation: { name: "alias", path: alias, reason } };
    });
}

/** A mount can't stand on a symlink: its target is capped instead, and folders that hold links which could be swapped. */
function capsOfLinks(
  profile: Profile,
  facts: Facts,
  { path, access, isFirm }: Capped,
): readonly ExtraCap[] | Refusal {
  const ruler = pathRuler(profile);
  const caps: ExtraCap[] = [];
  let at = path;
  for (let followed = 0; followed < MOST_LINKS; followed += 1) {
    const found = firstLink(facts.nodes, at);
    if (found === null) break;
    const { links, detours } = facts.ways.get(found.link) ?? NO_WAY;
    const folders = new Map([found.link, ...links].map((link) => [parentOf(link), link]));
    for (const detour of detours)
      if (!profile.files.some((entry) => entry.path === detour)) folders.set(detour, found.link);
    for (const [folder, link] of isFirm ? folders : []) {
      if (ruler(folder, { kind: "folder", bornInside: false }).access !== "write") continue;
      if (profile.files.some((entry) => entry.path === folder)) return swappable(path, link, folder);
      const reason = `a protected symlink leads by ${folder === parentOf(link) ? link : folder}, so this folder is read-only`;
      const cap = { path: folder, atMost: "read", isFirm } as const;
      caps.push(
        { ...cap, approximation: { name: "link-folder", path: folder, reason } },
        ...capsOfAliases(ruler, facts, { path: folder, access: "read", isFirm }),
      );
    }
    if (found.behind === null) return caps;
    // What a `none` glob would match there does not exist, and may be made: it holds the call's own bytes.
    if (!isFirm && nodeAt(facts, found.behind).kind === "missing") return caps;
    at = found.behind;
  }
  if (at === path) return caps;
  const reason = `${path} is a symlink; what it leads to is capped at ${access} as well`;
  return [
    { path: at, atMost: access, isFirm, approximation: { name: "link-target", path: at, reason } },
    ...capsOfAliases(ruler, facts, { path: at, access, isFirm }),
    ...caps,
  ];
}

function swappable(path: AbsolutePath, link: AbsolutePath, folder: AbsolutePath): Refusal {
  return {
    field: "masks",
    reason: `${path} must not change, but ${link} is a symlink in the writable root ${folder}, where it could be replaced`,
    remedy: `replace the link ${link} by what it leads to, or move it into a folder of its own`,
  };
}
