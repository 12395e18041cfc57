import { type Access, lesser } from "../../profile/access.ts";
import { type Kind, type PathRuler, pathRuler } from "../../profile/access-to.ts";
import { type AbsolutePath, between, byPath, isInside, parentOf, ROOT, upwards } from "../../profile/path.ts";
import { indexEntries, nearestEntry, type Profile } from "../../profile/profile.ts";
import { listedSockets } from "../../profile/sockets.ts";
import { type Facts, nodeAt } from "../facts.ts";
import { aliasesOf } from "../host-mounts.ts";
import { type Placeholder, placeholderAt } from "../placeholder.ts";
import type { Limit, Refusal } from "../plan.ts";
import type { ApproximationName } from "./approximations.ts";
import { type ExtraCap, extrasFor, firstLink, lastingRuler, limitOf } from "./caps.ts";
import { foldersNamedFor } from "./named-folders.ts";
import { snapshots } from "./suffix-snapshots.ts";
import { VIEW_PATHS } from "./views.ts";

/**
 * One mount of a plan. `show` binds the host's path, `hide-folder` covers it with an empty sealed folder (`passable`
 * when granted paths lie below), `hide-file` covers it with an unreadable empty file, `pin` binds something onto itself
 * so that it can't be renamed, `cover-link` puts a symlink onto itself.
 */
export interface Change {
  readonly kind: "show" | "hide-folder" | "hide-file" | "pin" | "cover-link";
  readonly path: AbsolutePath;
  /** What a process has at this path and below it, until the next change. */
  readonly access: Access;
  readonly passable: boolean;
}

/** The mounts that make the sandbox agree with the profile, folders before what is in them. */
export interface Transitions {
  readonly changes: readonly Change[];
  readonly placeholders: readonly Placeholder[];
  /** Where they are tighter than the profile. */
  readonly limits: readonly Limit[];
}

/** The access that the sandbox is to give at a path, approximations included. */
type Wanted = (path: AbsolutePath) => Access;

/**
 * A mount stands exactly where access differs from the mount above, and its kind follows from the access alone. In order:
 * 1. every entry, literal mask and glob hit is a point, and so is what a masked link leads to and what else names it;
 * 2. points are walked from the root down; one whose access is that of the mount above changes nothing;
 * 3. what lies protected below a writable mount gets pins on the folders between, so that it can't be renamed away: on
 *    every one, or, for what a `none` glob hides, on those that the glob names;
 * 4. what is missing and must not be made is held by a placeholder at its first missing folder, and what is missing and may be
 *    written in a folder that may only be read is opened by one;
 * 5. folders that a way leads through to what git obeys, or to what a protected link leads to, get pins as well, and each
 *    symlink that decides about it in a folder that may be written gets a cover.
 */
export function transitions(profile: Profile, facts: Facts): Transitions | Refusal {
  const extras = extrasFor(profile, facts);
  if ("reason" in extras) return extras;
  const { caps, covers, detours } = extras;
  const wanted = wantedAccess(profile, facts, caps);
  const points = new Set([...pointsOf(profile, facts), ...caps.map((cap) => cap.path)]);
  const walk = startWalk(facts, wanted, profile, caps);
  for (const path of [...points].sort(byPath)) place(walk, path);
  for (const path of [...facts.repositories.flatMap((one) => one.detours), ...detours]) pin(walk, path);
  for (const link of covers) cover(walk, link);
  const changes = passableWhereShown([...walk.changes.values()]).sort((a, b) => byPath(a.path, b.path));
  const mounts = changes.map(({ path }) => path);
  return {
    changes,
    placeholders: [...walk.placeholders.values()],
    limits: [...caps.map(limitOf), ...walk.limits, ...snapshots(profile, facts, mounts)],
  };
}

/** Every path at which the access of something existing may differ from that of the folder above. */
export function pointsOf(profile: Profile, facts: Pick<Facts, "hits" | "shown">): readonly AbsolutePath[] {
  const literals = profile.masks.flatMap((mask) => mask.pattern.literal ?? []);
  const entries = profile.files.map((entry) => entry.path).filter((path) => path !== ROOT);
  return [
    ...entries,
    ...listedSockets(profile.sockets),
    ...literals,
    ...facts.hits,
    ...[...facts.shown.values()].flat(),
  ];
}

function wantedAccess(profile: Profile, facts: Facts, caps: readonly ExtraCap[]): Wanted {
  const [ruler, entries] = [pathRuler(profile), indexEntries(profile.files)];
  const sockets = new Set(listedSockets(profile.sockets));
  const capAt = new Map<AbsolutePath, Access>();
  for (const cap of caps) capAt.set(cap.path, lesser(cap.atMost, capAt.get(cap.path) ?? "write"));
  return (path) => {
    const node = nodeAt(facts, path).kind;
    const kind = kindAt(facts, path);
    if (kind === "folder" && nearestEntry(entries, path).suffixes !== "any") return "none";
    let access = ruler(path, { kind, bornInside: node === "missing" }).access;
    if (node === "other" && sockets.has(path)) access = access === "none" ? "read" : access;
    if (capAt.size > 0) for (const at of upwards(path)) access = lesser(access, capAt.get(at) ?? "write");
    return access;
  };
}

/** How the profile is asked about what stands at a path; suffix lists speak of everything that is no folder. */
function kindAt(facts: Facts, path: AbsolutePath): Kind {
  const { kind } = nodeAt(facts, path);
  return kind === "folder" || kind === "missing" ? "folder" : "file";
}

/** The walk from the root down: mounts so far. */
interface Walk {
  readonly facts: Facts;
  readonly wanted: Wanted;
  readonly profile: Profile;
  /** What must stay where it is: entries, folders that hold protected links, and what those lead to. */
  readonly firm: ReadonlySet<AbsolutePath>;
  readonly lasting: PathRuler;
  readonly changes: Map<AbsolutePath, Change>;
  readonly placeholders: Map<AbsolutePath, Placeholder>;
  readonly limits: Limit[];
}

function startWalk(facts: Facts, wanted: Wanted, profile: Profile, caps: readonly ExtraCap[]): Walk {
  const firm = new Set([...profile.files, ...caps.filter((cap) => cap.isFirm)].map((one) => one.path));
  return {
    facts,
    wanted,
    profile,
    firm,
    lasting: lastingRuler(profile),
    changes: new Map(),
    placeholders: new Map(),
    limits: [],
  };
}

/** The mount that a path lies on so far, pins included; the sealed base when there is none. */
function above(walk: Walk, path: AbsolutePath): Change {
  for (const at of upwards(path)) {
    const change = walk.changes.get(at);
    if (change !== undefined) return change;
  }
  return { kind: "hide-folder", path: ROOT, access: "none", passable: true };
}

function place(walk: Walk, path: AbsolutePath): void {
  const { facts, wanted, changes } = walk;
  const node = nodeAt(facts, path);
  const link = firstLink(facts.nodes, path)?.link;
  const mount = above(walk, link ?? path);
  const access = wanted(path);
  if (access !== "write") {
    const isNamed = isFirm(walk, path, access) ? ALWAYS : named(walk, path);
    keepInPlace(walk, link ?? path, mount, isNamed);
  }
  const mustSeal = isLimitedInView(walk, path) && mount.path === ROOT;
  if (node.kind === "link" || link !== undefined || (access === mount.access && !mustSeal)) return;
  if (node.kind !== "missing") {
    changes.set(path, {
      kind: kindOf(access, node.kind),
      path,
      access,
      passable: access === "none" && mustSeal,
    });
  } else if (mount.access === "write") hold(walk, path);
  else if (access === "write" && mount.access === "read") openMissing(walk, path);
}

/**
 * Something missing that may be written, in a folder that may only be read: nothing could make it there, so an empty folder
 * or file stands at it while the call runs. What the call puts into that stays.
 */
function openMissing(walk: Walk, path: AbsolutePath): void {
  const { facts, profile, changes, placeholders } = walk;
  const isListed = profile.files.some((entry) => entry.path === path);
  if (!isListed || nodeAt(facts, parentOf(path)).kind !== "folder") return;
  changes.set(path, { kind: "show", path, access: "write", passable: false });
  placeholders.set(path, placeholderAt(path));
}

/** A folder with a suffix list in a private place: what a process made there would be lost without a word. */
function isLimitedInView({ profile, facts }: Walk, path: AbsolutePath): boolean {
  const entry = profile.files.find((one) => one.path === path);
  if (entry === undefined || entry.suffixes === "any" || nodeAt(facts, path).kind !== "folder") return false;
  const { access } = pathRuler(profile)(path, { kind: "folder", bornInside: false });
  return access !== "none" && VIEW_PATHS.some((view) => isInside(path, view));
}

function kindOf(access: Access, node: "folder" | "file" | "other"): Change["kind"] {
  if (access !== "none") return "show";
  return node === "folder" ? "hide-folder" : "hide-file";
}

/** True when what caps the path holds for its name, not only for what is there: it must not be moved out of the way. */
function isFirm({ firm, facts, lasting }: Walk, path: AbsolutePath, access: Access): boolean {
  if (access === "read" || firm.has(path)) return true;
  return (
    lasting(path, { kind: kindAt(facts, path), bornInside: nodeAt(facts, path).kind === "missing" })
      .access !== "write"
  );
}

/** A covered folder can be passed where anything below it is shown. */
function passableWhereShown(changes: readonly Change[]): Change[] {
  const passed = new Set<AbsolutePath>();
  for (const { path, access } of changes) {
    if (access === "none") continue;
    for (const at of upwards(parentOf(path))) {
      if (passed.has(at)) break;
      passed.add(at);
    }
  }
  return changes.map((change) =>
    change.kind === "hide-folder" && passed.has(change.path) ? { ...change, passable: true } : change,
  );
}

const ALWAYS = (): boolean => true;

/** Of the folders above what a `none` glob hides, those without whose names it would not be found again. */
function named({ profile }: Walk, path: AbsolutePath): (at: AbsolutePath) => boolean {
  const folders = foldersNamedFor(profile, path);
  return (at) => folders.includes(at);
}

/**
 * Pins what lies between the path and the writable mount around it, as far as it must keep its name; what a hidden folder
 * holds moves with that one.
 */
function keepInPlace(
  walk: Walk,
  path: AbsolutePath,
  mount: Change,
  mustStay: (at: AbsolutePath) => boolean,
): void {
  const isHidden = mount.access === "none" && mount.path !== ROOT;
  const [from, to] = isHidden ? [above(walk, parentOf(mount.path)), mount.path] : [mount, path];
  if (from.access !== "write") return;
  for (const at of between(unpinned(walk, from.path), to)) {
    const isThere = nodeAt(walk.facts, at).kind !== "missing";
    if (isThere && mustStay(at) && !walk.changes.has(at))
      walk.changes.set(at, { kind: "pin", path: at, access: "write", passable: false });
  }
}

/** Keeps a folder where it is, whatever is done in it. */
function pin(walk: Walk, path: AbsolutePath): void {
  const mount = above(walk, path);
  if (mount.path === path) return;
  keepInPlace(walk, path, mount, ALWAYS);
  if (mount.access === "write")
    walk.changes.set(path, { kind: "pin", path, access: "write", passable: false });
}

/** Keeps a symlink what it is and where it is, in a folder that may be written. */
function cover(walk: Walk, link: AbsolutePath): void {
  const mount = above(walk, link);
  if (mount.access !== "write") return;
  keepInPlace(walk, link, mount, ALWAYS);
  walk.changes.set(link, { kind: "cover-link", path: link, access: "read", passable: false });
}

/** Where the mount begins that pins stand on: of the folders above a pin some may have none, where that needed none. */
function unpinned({ changes }: Walk, path: AbsolutePath): AbsolutePath {
  const isBeginning = (at: AbsolutePath): boolean => changes.has(at) && changes.get(at)?.kind !== "pin";
  return [...upwards(path)].find(isBeginning) ?? ROOT;
}

/**
 * Something missing that must not be made: a placeholder stands at it, or at its first missing folder, and is shown
 * read-only or hidden like what exists. Where a file stands in
 * the way of that folder, the file is pinned: nothing can be made below it as long as it can't be replaced.
 */
function hold(walk: Walk, path: AbsolutePath): void {
  const missing = [...upwards(path)].filter((at) => nodeAt(walk.facts, at).kind === "missing").at(-1) ?? path;
  if (walk.changes.has(missing) || nodeAt(walk.facts, parentOf(missing)).kind !== "folder") return;
  const access = missing === path ? walk.wanted(path) : "read";
  const placeholder = placeholderFor(walk, missing);
  const kind = kindOf(access, placeholder.text === null ? "folder" : "file");
  walk.changes.set(missing, { kind, path: missing, access, passable: false });
  if (!aliasesOf(walk.facts.mounts, missing).some((alias) => walk.placeholders.has(alias)))
    walk.placeholders.set(missing, placeholder);
  if (missing !== path) {
    walk.limits.push({
      name: "missing-folder" satisfies ApproximationName,
      path: missing,
      atMost: "read",
      except: null,
      reason: `${path} must not be made and ${missing} does not exist, so nothing can be made there`,
      remedy: `make the folder ${parentOf(path)} yourself, outside of the sandbox: then only ${path} can't be made`,
    });
  }
}

/** A configuration that git includes is a file, whatever its name: git fails at a folder in its place. */
function placeholderFor({ facts }: Walk, path: AbsolutePath): Placeholder {
  const isConfig = facts.repositories.some(({ configs }) => configs.includes(path));
  return isConfig ? { path, text: "" } : placeholderAt(path);
}
