import { visible } from "../../errors.ts";
import {
  type AbsolutePath,
  foldedText,
  isInside,
  nameOf,
  namesOf,
  parentOf,
  ROOT,
  upwards,
} from "../../profile/path.ts";
import { literalPattern, plainText } from "../../profile/pattern.ts";
import { normalProfile, type Profile } from "../../profile/profile.ts";
import type { Facts } from "../facts.ts";
import type { Limit, NotEnforceable } from "../plan.ts";
import type { BubblewrapApproximationName } from "./approximations.ts";
import { type Change, type Transitions, transitions } from "./transitions.ts";

/**
 * The maximum of mounts of a plan. bubblewrap reads the mount table again for each: 64 take 20 ms, 256 take 160 ms, and
 * 512 would take 600 ms of every call.
 */
export const MAX_MOUNTS = 256;

/** The maximum of folders closed as a whole, and of rounds, before a plan is refused. */
const MAX_CLOSED = 256;
const MAX_ROUNDS = 16;

/** A profile, and its mounts. */
export interface WithinMounts {
  readonly profile: Profile;
  readonly found: Transitions;
  readonly limits: readonly Limit[];
}

/**
 * Closes folders with too many protected names: below granted ones, the start folder last. There may still be too many
 * mounts. Law: the result never gives more at a path than the profile gives there.
 */
export function withinMounts(given: Profile, facts: Facts, max: number): WithinMounts | NotEnforceable {
  let profile = given;
  const limits: Limit[] = [];
  for (let round = 0; ; round += 1) {
    const found = transitions(profile, facts);
    if ("reason" in found) return found;
    const left = round < MAX_ROUNDS ? MAX_CLOSED - limits.length : 0;
    const closed = foldersToClose(profile, facts.start ?? null, found.changes, { max, left });
    if (closed.length === 0) return { profile, found, limits };
    const masks = closed.map(({ path, atMost }) => {
      return { pattern: literalPattern(path), atMost, ignoreCase: false } as const;
    });
    profile = normalProfile({ ...profile, masks: [...profile.masks, ...masks] });
    for (const { path, atMost, count } of closed) {
      const how = atMost === "none" ? "hidden" : "read-only";
      const reason = `${path} is ${how}: it contains ${count} protected ${count === 1 ? "file" : "files"}, and more than ${max} mounts would be needed`;
      const root = "list it as a separate root under `sandbox.paths`";
      const remedy = isOfSettings(given, path) ? root : `start the call in ${visible(path)}, or ${root}`;
      const name = "mount-budget" satisfies BubblewrapApproximationName;
      limits.push({ name, path, atMost, except: null, reason, remedy });
    }
  }
}

interface Closed {
  readonly path: AbsolutePath;
  readonly atMost: "none" | "read";
  /** The number of protected names in it, with the folders that are pinned for them. */
  readonly count: number;
  readonly spared: number;
}

/** Folders that make mounts few enough, or as many as help; none if they are few enough already. */
function foldersToClose(
  profile: Profile,
  start: AbsolutePath | null,
  found: readonly Change[],
  { max, left }: Record<"max" | "left", number>,
): readonly Closed[] {
  const closed: Closed[] = [];
  let changes = found;
  while (closed.length < left) {
    const next = folderToClose(profile, start, changes, max);
    if (next === null) break;
    closed.push(next);
    const { path, atMost: access } = next;
    changes = [
      ...changes.filter((change) => !isInside(change.path, path)),
      { kind: "show", path, access, passable: false },
    ];
  }
  return closed;
}

/**
 * The smallest folder that makes mounts few enough; else the fullest that spares less. Settings first, the start folder
 * last. Null if mounts are few enough, or none helps.
 */
function folderToClose(
  profile: Profile,
  start: AbsolutePath | null,
  changes: readonly Change[],
  max: number,
): Closed | null {
  const excess = changes.length - max;
  if (excess <= 0) return null;
  const mounted = new Set(changes.map(({ path }) => path));
  const all = (["read", "none"] as const).flatMap((atMost) =>
    [...countsByFolder(profile, changes, atMost)].map(([path, count]): Closed => {
      return { path, atMost, count, spared: mounted.has(path) ? count : count - 1 };
    }),
  );
  const isStart = ({ path }: Closed): boolean =>
    start !== null && (isInside(start, path) || (isInside(path, start) && !isGranted(profile, start)));
  const useful = all.filter(({ spared }) => spared > 0);
  const settings = useful.filter(({ path }) => isOfSettings(profile, path));
  const others = useful.filter((one) => !isStart(one));
  const areEnough = settings.reduce((sum, { spared }) => sum + spared, 0) >= excess;
  const some = areEnough ? settings : others.length > 0 ? others : useful;
  const enough = some.filter(({ spared }) => spared >= excess).toSorted(deepestFirst);
  const fitting = enough.find(({ spared }) => spared <= FITS * excess);
  const fullest = some.filter(({ spared }) => spared < excess).toSorted(fullestFirst)[0];
  return fitting ?? fullest ?? enough[0] ?? null;
}

/** True for a folder of settings only, which globs name as a parent (`.vscode`). Those of git hold more. */
function isOfSettings(profile: Profile, path: AbsolutePath): boolean {
  return settingsFolders(profile).has(foldedText(nameOf(path))) && !/\.git(?:\/|$)/i.test(path);
}

/** Profiles are immutable: a result computed once holds for as long as the profile exists. */
const known = new WeakMap<Profile["masks"], ReadonlySet<string>>();

function settingsFolders({ masks }: Profile): ReadonlySet<string> {
  const before = known.get(masks);
  if (before !== undefined) return before;
  const names = new Set<string>();
  for (const { pattern } of masks)
    for (const segment of pattern.literal === null ? pattern.segments.slice(0, -1).toReversed() : []) {
      const name = segment.kind === "name" ? plainText(segment.pieces) : null;
      if (name === null) break;
      names.add(foldedText(name));
    }
  known.set(masks, names);
  return names;
}

/** A folder is closed at once, rather than several, if it spares at most this multiple of the mounts needed. */
const FITS = 4;

function countsByFolder(
  { files }: Profile,
  changes: readonly Change[],
  atMost: Closed["atMost"],
): ReadonlyMap<AbsolutePath, number> {
  const granted = new Set(files.map(({ path }) => path));
  const counts = new Map<AbsolutePath, number>();
  const holding = new Set<AbsolutePath>();
  for (const { path, kind, access } of changes) {
    if (granted.has(path) || (kind !== "pin" && access !== atMost)) continue;
    for (const folder of upwards(parentOf(path))) {
      if (granted.has(folder) || folder === ROOT) break;
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
      if (kind !== "pin") holding.add(folder);
    }
  }
  for (const folder of counts.keys())
    if (!holding.has(folder) || files.some(({ path }) => isInside(path, folder))) counts.delete(folder);
  return counts;
}

/** True for a folder that is granted or holds one: a call that starts there need not be about its content. */
function isGranted({ files }: Profile, folder: AbsolutePath): boolean {
  return files.some(({ path }) => isInside(path, folder));
}

function fullestFirst(a: Closed, b: Closed): number {
  return b.spared - a.spared || deepestFirst(a, b);
}

function deepestFirst(a: Closed, b: Closed): number {
  return namesOf(b.path).length - namesOf(a.path).length || a.count - b.count || (a.path < b.path ? -1 : 1);
}
