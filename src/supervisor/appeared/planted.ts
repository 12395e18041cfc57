import type { Appeared } from "../../host/appeared.ts";
import { isChangedByCall, type TreeStates } from "../../host/changed-builds.ts";
import { isChangedSince } from "../../host/changed-since.ts";
import { lookingOnce, wayOf } from "../../host/leads.ts";
import { isLink } from "../../host/nodes.ts";
import { openFolder } from "../../host/open-folder.ts";
import type { Planted } from "../../host/quarantine/quarantine.ts";
import { flatMapInTurns, WorkTurn } from "../../host/turns.ts";
import { isBelowTree, isInDependencyTree, isNamedByTree } from "../../profile/dependency-trees.ts";
import { type ExecutedFinder, type ExecutedNames, OURSELVES } from "../../profile/executed.ts";
import { type AbsolutePath, isInside, parentOf, ROOT, upwards } from "../../profile/path.ts";
import { isIn, partsThatRun, type RepositoryContext, unmade } from "./new-repositories.ts";

/** Something that appeared, and what is to be taken out of its place so that no host executes it. */
export interface PlantedByCall {
  readonly appeared: Appeared;
  readonly take: readonly Planted[];
}

/** Whose call it was, as far as links are judged by it. */
export interface PlantedContext extends RepositoryContext {
  /** Links that came to be at their paths, whatever the kernel says of their times. */
  readonly newLinks: ReadonlySet<AbsolutePath>;
  /** False for what the call could change by no path: it is read-only, or hidden. */
  readonly isOpen: (path: AbsolutePath) => boolean;
  /** What there was before the call: protected names, and what stood at those in trees. */
  readonly before: { readonly hits: readonly AbsolutePath[]; readonly treeStates: TreeStates };
  /** How many repositories there were. */
  readonly repositoriesBefore: number;
  readonly executed: ExecutedFinder;
  readonly executedIn: ExecutedFinder;
  /** True for the product's own code, which nobody but the host can have moved. */
  readonly isOwnCode: (path: AbsolutePath) => boolean;
}

/**
 * So many mounts may protected names come to in later calls, before more of them are taken away: of 256 in all, which is the most
 * that a call can be made with, the others are for repositories, runtimes and what else a profile lists.
 */
const MAX_MOUNTS = 192;

/** The most repositories that calls may leave: with more, later calls would be refused, as their plans take too long to make. */
const MAX_REPOSITORIES = 500;

/** Picks what hosts execute without a further act of a person, and what would keep later calls from being made. */
export async function plantedOf(
  found: readonly Appeared[],
  context: PlantedContext,
): Promise<readonly PlantedByCall[]> {
  const isTooMany = {
    names: await needsTooManyMounts(found, context),
    repositories: await hasTooManyRepositories(found, context),
  };
  const wasThere = new Set(context.before.hits);
  // What nothing was mounted over may be the call's all the same.
  const isHeldBefore = (end: AbsolutePath): boolean =>
    wasThere.has(end) && !(isUnmounted(end, context) && isChangedByCall(end, context));
  const isTakable = (end: AbsolutePath): boolean =>
    isIn(context.writable, end) && context.isOpen(end) && !isHeldBefore(end);
  return flatMapInTurns(found, (appeared): readonly PlantedByCall[] => {
    const reason = reasonToTake(appeared, isTooMany, context);
    if (reason === null) return [];
    const { path: place, kind, runs } = appeared;
    const isRepository = kind === "repository";
    // What is left of too many would still be repositories.
    const whole = isRepository && isTooMany.repositories ? unmade(place, context.startedAt) : [];
    const parts = isRepository && runs.length > 0 ? partsThatRun(place, context) : [];
    const paths = isRepository ? [...whole, ...parts] : [placeOf(place, context, isTakable)];
    const take = paths.flatMap((path) =>
      path === null || context.isOwnCode(path) ? [] : [{ path, ...reason }],
    );
    return take.length === 0 ? [] : [{ appeared, take }];
  });
}

/** Counts one mount for each protected name, and one for each folder above it, which must stay where it is. */
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

interface TooMany {
  readonly names: boolean;
  readonly repositories: boolean;
}

function reasonToTake(
  { path, kind, obeyedBy, runs }: Appeared,
  isTooMany: TooMany,
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
      if (obeyedBy !== null)
        return (isBare || !isTooMany.names) && isInstalled(executed(path) ?? executedIn(path), path, writable)
          ? null
          : obeyedBy;
      return isTooMany.names || isLink(path) ? IN_THE_WAY : null;
    }
  }
}

/** True for what hosts execute in a dependency or build tree, where no later call mounts anything over it. */
function isUnmounted(
  path: AbsolutePath,
  { executed, writable }: Pick<PlantedContext, "executed" | "writable">,
): boolean {
  if (!isBelowTree(path, writable)) return false;
  const row = executed(path);
  return row !== null && !isNamedByTree(row.pattern);
}

function isInstalled(
  row: ExecutedNames | null,
  path: AbsolutePath,
  writable: readonly AbsolutePath[],
): boolean {
  return row !== null && isInDependencyTree(path, row, writable);
}

/** Not executed by anybody, and yet it can't stay. */
export const IN_THE_WAY = {
  by: OURSELVES,
  when: "a later call starts, which could not be given its sandbox then",
};

/**
 * What is to be moved so that nothing is found at a path any more: what stands there, or a link on the way that the call made; where
 * all links were there before, what they lead to, or else the first of them: what is somebody else's stays where it is.
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
  // Where nobody knows what stands at its end, no link to it stays.
  if (!isTooLong && end !== null && isTakable(end)) return end;
  return links.find((link) => isIn(context.writable, link)) ?? null;
}

function isMade(path: AbsolutePath, context: PlantedContext): boolean {
  return (
    isIn(context.writable, path) && (context.newLinks.has(path) || isChangedSince(path, context.startedAt))
  );
}

/** The kernel tells it in one step, however deep that is. */
function isReachedByNoLink(path: AbsolutePath): boolean {
  try {
    using _folder = openFolder(parentOf(path));
    return true;
  } catch {
    return false;
  }
}
