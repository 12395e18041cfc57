import { isAtMost } from "../../profile/access.ts";
import { accessTo } from "../../profile/access-to.ts";
import { everywhere } from "../../profile/mask-index.ts";
import { type AbsolutePath, isInside, joinPath, knownPath, upwards } from "../../profile/path.ts";
import { literalPattern, literalPrefix } from "../../profile/pattern.ts";
import type { Mask, Profile } from "../../profile/profile.ts";
import { capsBehind, OUTSIDE } from "../caps-behind.ts";
import { type Facts, nodeAt, type PathNode } from "../facts.ts";
import type { Limit, NotEnforceable } from "../plan.ts";

/** Links that every macOS has, whether or not they were looked up: a rule that names one of them matches nothing. */
const SYSTEM_LINKS: ReadonlyMap<AbsolutePath, AbsolutePath> = new Map(
  Object.entries({
    "/etc": "/private/etc",
    "/home": "/System/Volumes/Data/home",
    "/tmp": "/private/tmp",
    "/var": "/private/var",
  }).map(([link, target]) => [knownPath(link), knownPath(target)] as const),
);

/** The data volume, which has the user's part of the disk; most of it is joined to `/` by firmlinks. */
const DATA = knownPath("/System/Volumes/Data");

/** Joined folders, by their names in `/` (`/usr/share/firmlinks`): the kernel knows them by these. */
const JOINED = [
  "/Applications",
  "/Library",
  "/Users",
  "/Volumes",
  "/cores",
  "/opt",
  "/private",
  "/usr/local",
  "/usr/libexec/cups",
  "/usr/share/snmp",
].map(knownPath);

/** The deepest symlink on a path, and the path that results; null if it leads nowhere. */
export interface DeepestLink {
  readonly link: AbsolutePath;
  readonly leadsTo: AbsolutePath | null;
}

/** The link at or on a path, or the data volume's other name, or null. The kernel matches rules with the target. */
export function linkOn(facts: Pick<Facts, "nodes">, path: AbsolutePath): DeepestLink | null {
  const joined = JOINED.find((one) => isInside(path, knownPath(`${DATA}${one}`)));
  if (joined !== undefined) return { link: DATA, leadsTo: knownPath(path.slice(DATA.length)) };
  for (const at of upwards(path)) {
    const node = macNodeAt(facts, at);
    if (node.kind !== "link") continue;
    if (node.target === null) return { link: at, leadsTo: null };
    const leadsTo = at === path ? node.target : joinPath(node.target, path.slice(at.length + 1));
    return { link: at, leadsTo };
  }
  return null;
}

function macNodeAt(facts: Pick<Facts, "nodes">, path: AbsolutePath): PathNode {
  const node = nodeAt(facts, path);
  const target = node.kind === "missing" ? SYSTEM_LINKS.get(path) : undefined;
  return target === undefined ? node : { kind: "link", id: path, target };
}

/** Masks that a profile means but does not spell out, and the words that report each. */
export interface LinkMasks {
  readonly masks: readonly Mask[];
  readonly limits: readonly Limit[];
}

/** Masks for the targets of masked links; a refusal where a target cannot be known. */
export function masksBehindLinks(profile: Profile, facts: Facts): LinkMasks | NotEnforceable {
  const found: LinkMasks[] = [];
  for (const mask of profile.masks) {
    const path = mask.pattern.literal ?? literalPrefix(mask.pattern);
    const on = linkOn(facts, path);
    if (on === null) continue;
    if (mask.pattern.literal === null) return throughLink(mask, on);
    if (on.leadsTo !== null) found.push(behind(profile, path, on.leadsTo, everywhere(mask)));
    else if (isGranted(profile, on.link)) return dangling(path, on.link);
  }
  const capOf = capsBehind(profile);
  for (const hit of facts.hits) {
    const on = linkOn(facts, hit);
    if (on === null || on.leadsTo === null) continue;
    const { access: atMost } = capOf(hit, on.link, "file");
    if (atMost !== "write") found.push(behind(profile, hit, on.leadsTo, { atMost, ignoreCase: false }));
  }
  return { masks: found.flatMap((one) => one.masks), limits: found.flatMap((one) => one.limits) };
}

type Cap = Omit<Mask, "pattern">;

function behind(profile: Profile, path: AbsolutePath, target: AbsolutePath, cap: Cap): LinkMasks {
  const { atMost } = cap;
  const isHidden = accessTo(profile, path, { kind: "file", bornInside: false }) === "none";
  const reason = `${isHidden ? "a hidden path" : path} goes through a symlink, so its target is also capped at ${atMost}`;
  return {
    masks: [{ ...cap, pattern: literalPattern(target) }],
    limits: [{ name: "link-target", path: target, atMost, except: null, reason, remedy: OUTSIDE }],
  };
}

function isGranted(profile: Profile, path: AbsolutePath): boolean {
  return profile.files.some((entry) => isAtMost("read", entry.access) && isInside(path, entry.path));
}

function throughLink({ pattern }: Mask, { link, leadsTo }: DeepestLink): NotEnforceable {
  return {
    field: "masks",
    reason: `the pattern ${pattern.text} goes through the symlink ${link}, so no rule would match`,
    remedy: leadsTo === null ? `create the target of ${link}` : `write the pattern from ${leadsTo}`,
  };
}

function dangling(path: AbsolutePath, link: AbsolutePath): NotEnforceable {
  return {
    field: "masks",
    reason: `${path} goes through the dangling symlink ${link}: files created at its target could not be protected`,
    remedy: `remove ${link}, or create its target`,
  };
}
