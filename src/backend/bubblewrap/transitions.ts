import { type Access, lesser } from "../../profile/access.ts";
import { type Kind, type PathRuler, pathRuler } from "../../profile/access-to.ts";
import {
  type AbsolutePath,
  between,
  byPath,
  isInside,
  nearestIn,
  parentOf,
  ROOT,
  upwards,
} from "../../profile/path.ts";
import { indexEntries, nearestEntry, type Profile } from "../../profile/profile.ts";
import { listedSockets } from "../../profile/sockets.ts";
import { type Facts, nodeAt } from "../facts.ts";
import { aliasesOf } from "../host-mounts.ts";
import { type Placeholder, placeholderAt } from "../placeholder.ts";
import type { Limit, NotEnforceable } from "../plan.ts";
import type { BubblewrapApproximationName } from "./approximations.ts";
import { type ExtraCap, extrasFor, firstLink, lastingRuler, limitOf } from "./caps.ts";
import { foldersNamedFor } from "./named-folders.ts";
import { snapshots } from "./suffix-snapshots.ts";
import { VIEW_PATHS } from "./views.ts";

/**
 * One mount. `hide-folder` is an empty sealed folder (`passable` above granted paths), `hide-file` an unreadable empty
 * file, `pin` binds a path onto itself so that it can't be renamed, `cover-link` does so with a symlink.
 */
export interface Change {
  readonly kind: "show" | "hide-folder" | "hide-file" | "pin" | "cover-link";
  readonly path: AbsolutePath;
  /** The access of a process at this path and below it, until the next change. */
  readonly access: Access;
  readonly passable: boolean;
}

/** The mounts that make the sandbox agree with the profile, folders before their content. */
export interface Transitions {
  readonly changes: readonly Change[];
  readonly placeholders: readonly Placeholder[];
  readonly limits: readonly Limit[];
}

type Wanted = (path: AbsolutePath) => Access;

/**
 * A mount exists exactly where access differs from the mount above, and its kind follows from the access alone. In
 * order:
 * 1. every entry, literal mask and glob hit is a point, and so are the target of a masked link and its other names;
 * 2. points are walked from the root down; one whose access is that of the mount above changes nothing;
 * 3. folders between a writable mount and protected paths get pins against renames: all or, for a `none` glob, those
 *    that it names;
 * 4. a placeholder at the first missing folder holds a path that must not be made, or opens one that may be written;
 * 5. folders on the way to parts that git obeys, or to the target of a protected link, get pins as well. Each symlink
 *    that decides about it in a writable folder gets a cover.
 */
export function transitions(profile: Profile, facts: Facts): Transitions | NotEnforceable {
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

/** Every path at which the access of an existing node may differ from that of the folder above. */
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

function kindAt(facts: Facts, path: AbsolutePath): Kind {
  const { kind } = nodeAt(facts, path);
  return kind === "folder" || kind === "missing" ? "folder" : "file";
}

interface Walk {
  readonly facts: Facts;
  readonly wanted: Wanted;
  readonly profile: Profile;
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

function above(walk: Walk, path: AbsolutePath): Change {
  return nearestIn(walk.changes, path) ?? { kind: "hide-folder", path: ROOT, access: "none", passable: true };
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

/** For a missing path in a read-only folder: an empty folder or file while the call runs. Its content stays. */
function openMissing(walk: Walk, path: AbsolutePath): void {
  const { facts, profile, changes, placeholders } = walk;
  const isListed = profile.files.some((entry) => entry.path === path);
  if (!isListed || nodeAt(facts, parentOf(path)).kind !== "folder") return;
  changes.set(path, { kind: "show", path, access: "write", passable: false });
  placeholders.set(path, placeholderAt(path));
}

/** A folder with a suffix list in a private place: files made there would be lost silently. */
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

function isFirm({ firm, facts, lasting }: Walk, path: AbsolutePath, access: Access): boolean {
  if (access === "read" || firm.has(path)) return true;
  return (
    lasting(path, { kind: kindAt(facts, path), bornInside: nodeAt(facts, path).kind === "missing" })
      .access !== "write"
  );
}

/** A covered folder can be passed if anything below it is shown. */
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

function named({ profile }: Walk, path: AbsolutePath): (at: AbsolutePath) => boolean {
  const folders = foldersNamedFor(profile, path);
  return (at) => folders.includes(at);
}

/** Pins named folders up to the writable mount around it. A hidden folder's content moves with that folder. */
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

function pin(walk: Walk, path: AbsolutePath): void {
  const mount = above(walk, path);
  keepInPlace(walk, path, mount, ALWAYS);
  if (mount.access === "write" && mount.path !== path)
    walk.changes.set(path, { kind: "pin", path, access: "write", passable: false });
}

function cover(walk: Walk, link: AbsolutePath): void {
  const mount = above(walk, link);
  if (mount.access !== "write") return;
  keepInPlace(walk, link, mount, ALWAYS);
  walk.changes.set(link, { kind: "cover-link", path: link, access: "read", passable: false });
}

/** The start of the mount that carries the pins: some folders above a pin may have none, where none was needed. */
function unpinned({ changes }: Walk, path: AbsolutePath): AbsolutePath {
  const isBeginning = (at: AbsolutePath): boolean => changes.has(at) && changes.get(at)?.kind !== "pin";
  return [...upwards(path)].find(isBeginning) ?? ROOT;
}

/**
 * A placeholder, at the path or at its first missing folder, keeps a missing path from being made. A file in the way of
 * that folder is pinned: nothing can be made below it as long as it cannot be replaced.
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
      name: "missing-folder" satisfies BubblewrapApproximationName,
      path: missing,
      atMost: "read",
      except: null,
      reason: `${path} is protected and ${missing} does not exist, so nothing can be created there`,
      remedy: `create the folder ${parentOf(path)} outside the sandbox: then only ${path} can't be created`,
    });
  }
}

/** A configuration that git includes is a file, whatever its name: git fails at a folder in its place. */
function placeholderFor({ facts }: Walk, path: AbsolutePath): Placeholder {
  const isConfig = facts.repositories.some(({ configs }) => configs.includes(path));
  return isConfig ? { path, text: "" } : placeholderAt(path);
}
