import type { Appeared } from "../../host/launch/appeared.ts";
import type { Planted } from "../../host/launch/quarantine/quarantine.ts";
import { isChangedByCall, type TreeStates } from "../../host/look/changed-builds.ts";
import { isChangedSince } from "../../host/look/changed-since.ts";
import { lookingOnce, wayOf } from "../../host/look/leads.ts";
import { isLink } from "../../host/look/nodes.ts";
import { openFolder } from "../../host/look/open-folder.ts";
import { flatMapInTurns, WorkTurn } from "../../host/turns.ts";
import { isBelowTree, isInDependencyTree, isNamedByTree } from "../../profile/dependency-trees.ts";
import { type ExecutedFinder, OURSELVES } from "../../profile/executed.ts";
import { type AbsolutePath, isInside, parentOf, ROOT, upwards } from "../../profile/path.ts";
import { isIn, partsThatRun, type RepositoryContext, unmade } from "./new-repositories.ts";

/** A new file or folder, and the paths to take away so that no host executes it. */
export interface PlantedByCall {
  readonly appeared: Appeared;
  readonly take: readonly Planted[];
}

/** The call's properties that matter for judging links. */
export interface PlantedContext extends RepositoryContext {
  /** Links that appeared at their paths, whatever times the kernel reports for them. */
  readonly newLinks: ReadonlySet<AbsolutePath>;
  /** False for a path the call could not change: it is read-only, or hidden. */
  readonly isOpen: (path: AbsolutePath) => boolean;
  /** The state before the call: protected names, and the states of those in trees. */
  readonly before: { readonly hits: readonly AbsolutePath[]; readonly treeStates: TreeStates };
  readonly repositoriesBefore: number;
  readonly executed: ExecutedFinder;
  readonly executedIn: ExecutedFinder;
  /** True for the product's own code, which only the host can have moved. */
  readonly isOwnCode: (path: AbsolutePath) => boolean;
}

/**
 * Maximum of mounts for protected names in later calls; further names are taken away. A call can have 256 mounts; the
 * rest is for repositories, runtimes and other entries of a profile.
 */
const MAX_MOUNTS = 192;

/** The maximum of repositories that calls may leave: with more, plans take too long and later calls are rejected. */
const MAX_REPOSITORIES = 500;

/** Picks files that hosts execute without a further act of a person, and those that would block later calls. */
export async function plantedOf(
  found: readonly Appeared[],
  context: PlantedContext,
): Promise<readonly PlantedByCall[]> {
  const isTooMany = {
    names: await needsTooManyMounts(found, context),
    repositories: await hasTooManyRepositories(found, context),
  };
  const wasThere = new Set(context.before.hits);
  // A path without a mount over it may still be the call's.
  const wasCommitted = (end: AbsolutePath): boolean =>
    wasThere.has(end) && !(isUnmounted(end, context) && isChangedByCall(end, context));
  const isTakable = (end: AbsolutePath): boolean =>
    isIn(context.writable, end) && context.isOpen(end) && !wasCommitted(end);
  return flatMapInTurns(found, (appeared): readonly PlantedByCall[] => {
    const reason = reasonToTake(appeared, isTooMany, context);
    if (reason === null) return [];
    const { path: place, kind, runs } = appeared;
    const isRepository = kind === "repository";
    // The remains of too many repositories would still be repositories.
    const whole = isRepository && isTooMany.repositories ? unmade(place, context.startedAt) : [];
    const parts = isRepository && runs.length > 0 ? partsThatRun(place, context) : [];
    const paths = isRepository ? [...whole, ...parts] : [placeOf(place, context, isTakable)];
    const take = paths.flatMap((path) =>
      path === null || context.isOwnCode(path) ? [] : [{ path, ...reason }],
    );
    return take.length === 0 ? [] : [{ appeared, take }];
  });
}

/** Counts one mount for each protected name, and one for each folder above it, which must stay in place. */
async function needsTooManyMounts(
  found: readonly Appeared[],
  { before, executed, writable }: PlantedContext,
): Promise<boolean> {
  const turn = new WorkTurn();
  const mounts = new Set<AbsolutePath>();
  for (const one of [before.hits.map((path) => ({ kind: "protected", path })), found].flat()) {
    if (turn.isOver) await turn.pause();
    const isMounted = one.kind === "protected" && !isUnmounted(one.path, { executed, writable });
    const root = isMounted ? writable.find((folder) => isInside(one.path, folder)) : undefined;
    for (const at of root === undefined ? [] : upwards(one.path)) {
      if (at === root || mounts.has(at)) break;
      mounts.add(at);
      if (mounts.size > MAX_MOUNTS) return true;
    }
  }
  return false;
}

async function hasTooManyRepositories(
  found: readonly Appeared[],
  { repositoriesBefore }: PlantedContext,
): Promise<boolean> {
  const made = await flatMapInTurns(found, ({ kind }) => (kind === "repository" ? [kind] : []));
  return made.length > 0 && made.length + repositoriesBefore > MAX_REPOSITORIES;
}

function reasonToTake(
  { path, kind, obeyedBy, runs }: Appeared,
  isTooMany: { readonly names: boolean; readonly repositories: boolean },
  { executed, executedIn, writable }: PlantedContext,
): Omit<Planted, "path"> | null {
  switch (kind) {
    case "started":
      return null;
    case "repository":
      if (runs.length > 0) return obeyedBy;
      return isTooMany.repositories ? IN_THE_WAY : null;
    case "unprotectable":
      return IN_THE_WAY;
    case "link":
    case "way":
      return obeyedBy;
    case "protected": {
      const isBare = isUnmounted(path, { executed, writable });
      if (obeyedBy !== null) {
        const row = executed(path) ?? executedIn(path);
        const isInstalled = row !== null && isInDependencyTree(path, row, writable);
        return (isBare || !isTooMany.names) && isInstalled ? null : obeyedBy;
      }
      return isTooMany.names || isLink(path) ? IN_THE_WAY : null;
    }
  }
}

/** True for a file that hosts execute in a dependency or build tree, where later calls mount nothing over it. */
function isUnmounted(
  path: AbsolutePath,
  { executed, writable }: Pick<PlantedContext, "executed" | "writable">,
): boolean {
  if (!isBelowTree(path, writable)) return false;
  const row = executed(path);
  return row !== null && !isNamedByTree(row.pattern);
}

/** The reason for paths that no program executes, but that can't stay. */
export const IN_THE_WAY = {
  by: OURSELVES,
  when: "a later call starts, whose sandbox could not be built then",
};

/**
 * The path to move so that nothing is found at a path any more: the path itself, or a link on the way made by the call.
 * If all links are older, their target, or else the first link: files of others stay in place.
 */
function placeOf(
  path: AbsolutePath,
  context: PlantedContext,
  isTakable: (end: AbsolutePath) => boolean,
): AbsolutePath | null {
  if (isReachedByNoLink(path) && !isLink(path)) return path;
  const { end, links, isTooLong } = wayOf(path, ROOT, lookingOnce());
  const made = links.find((link) => isMade(link, context));
  if (made !== undefined) return made;
  if (!isTooLong && (links.length === 0 || links.includes(path))) return path;
  // If the end of a link is unknown, the link does not stay.
  if (!isTooLong && end !== null && isTakable(end)) return end;
  return links.find((link) => isIn(context.writable, link)) ?? null;
}

function isMade(path: AbsolutePath, context: PlantedContext): boolean {
  return (
    isIn(context.writable, path) && (context.newLinks.has(path) || isChangedSince(path, context.startedAt))
  );
}

/** The kernel answers this in one step, at any depth. */
function isReachedByNoLink(path: AbsolutePath): boolean {
  try {
    using _folder = openFolder(parentOf(path));
    return true;
  } catch {
    return false;
  }
}
