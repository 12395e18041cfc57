import { type Access, isAtMost } from "../../profile/access.ts";
import { type PathFacts, type PathRuler, pathRuler } from "../../profile/access-to.ts";
import { type AbsolutePath, joinPath, parentOf, upwards } from "../../profile/path.ts";
import { indexEntries, type Mask, nearestEntry, type Profile } from "../../profile/profile.ts";
import { capsBehind, OUTSIDE } from "../caps-behind.ts";
import { type Facts, type LinkWay, nodeAt, type PathNode } from "../facts.ts";
import { aliasesOf } from "../host-mounts.ts";
import type { Limit, NotEnforceable } from "../plan.ts";
import { repositoryMasks } from "../repositories.ts";
import type { BubblewrapApproximationName } from "./approximations.ts";

/** A cap that the profile does not spell out: the target of a masked link, another name of a masked file. */
export interface ExtraCap {
  readonly path: AbsolutePath;
  readonly atMost: "none" | "read";
  readonly isFirm: boolean;
  readonly name: BubblewrapApproximationName;
  readonly reason: string;
  readonly remedy: string;
}

/** Mounts that the meaning of the masks needs in addition to the profile's own. */
export interface Extras {
  readonly caps: readonly ExtraCap[];
  /** Symlinks in writable folders that must not change: a mount on each holds it. */
  readonly covers: readonly AbsolutePath[];
  /** Folders that must not move, because such a link leads through them. */
  readonly detours: readonly AbsolutePath[];
}

interface Capped {
  readonly path: AbsolutePath;
  readonly access: "none" | "read";
  readonly isFirm: boolean;
}

/** The limit that reports a cap. */
export function limitOf({ name, path, atMost, reason, remedy }: ExtraCap): Limit {
  return { name, path, atMost, except: null, reason, remedy };
}

/** Paths that a mask means but does not name. A refusal where a link could be swapped under it. */
export function extrasFor(profile: Profile, facts: Facts): Extras | NotEnforceable {
  const [ruler, lasting] = [pathRuler(profile), lastingRuler(profile)];
  const entries = indexEntries(profile.files);
  const found: Extras[] = [];
  // Masks cover these parts already, but a part that git obeys may also be a link, which the profile need not name.
  const obeyed = repositoryMasks(facts.repositories);
  const literals = [...profile.masks, ...obeyed].flatMap((mask) => mask.pattern.literal ?? []);
  const capOf = capsBehind(profile, obeyed);
  const protectedPaths = new Set([...literals, ...facts.hits, ...profile.files.map((entry) => entry.path)]);
  for (const path of protectedPaths) {
    const kind = nodeAt(facts, path).kind === "folder" ? "folder" : "file";
    const asked: PathFacts = { kind, bornInside: false };
    // Only some files of such a folder are shown.
    const isLimited = kind === "folder" && nearestEntry(entries, path).suffixes !== "any";
    const access = isLimited ? "none" : ruler(path, asked).access;
    if (access === "write") continue;
    const isFirm = isLimited || lasting(path, asked).access !== "write";
    // A path that only a glob would match is missing and may be created: it holds the call's own bytes.
    const isMissing = nodeAt(facts, path).kind === "missing";
    if (isMissing && ruler(path, { kind, bornInside: true }).access === "write") continue;
    const aliases = capsOfAliases(ruler, facts, { path, access, isFirm });
    // A glob that hides covers the target of a link, not the link's own name.
    const isNamed = ({ path: alias }: ExtraCap): boolean => isFirm || nodeAt(facts, alias).kind !== "link";
    found.push({ ...NOTHING, caps: aliases.filter(isNamed) });
    const on = firstLink(facts.nodes, path);
    const passed = on === null ? { access, isFirm } : capOf(path, on.link, kind);
    if (passed.access === "write") continue;
    const capped = { access: passed.access, isFirm: passed.isFirm };
    for (const name of [path, ...aliases.map((cap) => cap.path)]) {
      const extras = extrasOfLinks(profile, facts, { path: name, ...capped });
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
 * The profile without its `none` globs. Hidden paths may move as long as the globs find them again (`foldersNamedFor`).
 * Paths that are still write-protected must stay where they are, or they could be created again.
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

/** Profiles are immutable: a result computed once holds for as long as the profile exists. */
const lastingProfiles = new WeakMap<Profile, Profile>();

/** A link on a path, and the path with the link replaced by its target; null where it leads nowhere. */
export interface ReplacedLink {
  readonly link: AbsolutePath;
  readonly behind: AbsolutePath | null;
}

/** The topmost link on a path, which really is at the path it names. Null for a path without links. */
export function firstLink(
  nodes: ReadonlyMap<AbsolutePath, PathNode>,
  path: AbsolutePath,
): ReplacedLink | null {
  const link = [...upwards(path)].findLast((at) => nodes.get(at)?.kind === "link");
  const node = link === undefined ? undefined : nodes.get(link);
  if (link === undefined || node?.kind !== "link") return null;
  const { target } = node;
  const isBelow = target !== null && link !== path;
  return { link, behind: isBelow ? joinPath(target, path.slice(link.length + 1)) : target };
}

/** More links than the kernel follows on one path (path_resolution(7)). */
export const MAX_LINKS = 40;

const NO_WAY: LinkWay = { links: [], detours: [] };

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
 * The target of a masked link is capped, as a mount on the link's path lands there. The links on its way are held by
 * mounts (`link-covers.ts`), folders that it leaves by `..` by pins, or else the link's folder is read-only.
 */
function extrasOfLinks(
  profile: Profile,
  facts: Facts,
  { path, access, isFirm }: Capped,
): Extras | NotEnforceable {
  const ruler = pathRuler(profile);
  const isWritable = (folder: AbsolutePath): boolean =>
    ruler(folder, { kind: "folder", bornInside: false }).access === "write";
  const found: Extras[] = [];
  let at = path;
  for (let followed = 0; followed < MAX_LINKS; followed += 1) {
    const on = firstLink(facts.nodes, at);
    if (on === null) break;
    const { links, detours } = facts.ways.get(on.link) ?? NO_WAY;
    const swappable = isFirm ? [on.link, ...links].filter((link) => isWritable(parentOf(link))) : [];
    const held = heldLinks(profile, facts, path, swappable);
    if ("reason" in held) return held;
    const isEntry = (folder: AbsolutePath): boolean => profile.files.some((entry) => entry.path === folder);
    // Links in a hidden folder cannot be replaced, but that folder must not move.
    const hidden = [on.link, ...links].map(parentOf).filter((folder) => !isWritable(folder));
    found.push(held, {
      ...NOTHING,
      detours: isFirm ? [...hidden, ...detours.filter((folder) => !isEntry(folder))] : [],
    });
    if (on.behind === null) return together(found);
    // A path that a `none` glob would match is missing and may be created: it holds the call's own bytes.
    if (!isFirm && nodeAt(facts, on.behind).kind === "missing") return together(found);
    at = on.behind;
  }
  if (at === path) return together(found);
  const isHidden = ruler(path, { kind: "file", bornInside: false }).access === "none";
  const link = isHidden ? "a protected symlink leads here" : `${path} is a protected symlink to ${at}`;
  const reason = `${link}, so this may also ${printCap(access)}`;
  const caps: readonly ExtraCap[] = [
    { path: at, atMost: access, isFirm, name: "link-target", reason, remedy: OUTSIDE },
    ...capsOfAliases(ruler, facts, { path: at, access, isFirm }),
  ];
  return together([{ ...NOTHING, caps }, ...found]);
}

/** Holds links by a mount on each, under every name of the folder; or else the folders that contain them. */
function heldLinks(
  profile: Profile,
  facts: Facts,
  path: AbsolutePath,
  links: readonly AbsolutePath[],
): Extras | NotEnforceable {
  if (facts.coversLinks)
    return { ...NOTHING, covers: links.flatMap((link) => [link, ...aliasesOf(facts.mounts, link)]) };
  const caps: ExtraCap[] = [];
  for (const link of links) {
    const folder = parentOf(link);
    if (profile.files.some((entry) => entry.path === folder)) return swappable(path, link, folder);
    const reason = `${folder} is read-only: otherwise the protected symlink ${link} in it could be replaced`;
    const remedy = `${HOLD_BY_ITSELF}; or replace the link with its target; or change the folder outside the sandbox`;
    caps.push(
      { path: folder, atMost: "read", isFirm: true, name: "link-folder", reason, remedy },
      ...capsOfAliases(pathRuler(profile), facts, { path: folder, access: "read", isFirm: true }),
    );
  }
  return { ...NOTHING, caps };
}

const HOLD_BY_ITSELF = "install perl and use Linux 5.12 or newer, which can protect the link alone";

function swappable(path: AbsolutePath, link: AbsolutePath, folder: AbsolutePath): NotEnforceable {
  return {
    field: "masks",
    reason: `${path} is protected, but the symlink ${link} could be replaced in the writable root ${folder}`,
    remedy: `${HOLD_BY_ITSELF}; or replace the link ${link} with its target, or move it into a separate folder`,
  };
}

function printCap(access: Capped["access"]): string {
  return access === "none" ? "not be seen" : "only be read";
}
