import type { Facts, StrayLink, Unsearched } from "../../backend/facts.ts";
import type { RepositorySign } from "../../backend/repositories.ts";
import { printUnsearched } from "../../backend/search-bound.ts";
import { CofferdamError } from "../../errors.ts";
import { accessTo } from "../../profile/access-to.ts";
import { isInDependencyTree } from "../../profile/dependency-trees.ts";
import { type ExecutedFinder, type ExecutedNames, OURSELVES } from "../../profile/executed.ts";
import { type AbsolutePath, byPath, isInside, parentOf, upwards } from "../../profile/path.ts";
import { mayWrite, type Profile, writableIn } from "../../profile/profile.ts";
import { isChangedBuild, isChangedByCall, type TreeStates } from "../look/changed-builds.ts";
import { CLOCK_GRAIN_MS } from "../look/clock-grain.ts";
import { isPlainWorktree } from "../look/git/worktrees.ts";
import type { Host } from "../look/host.ts";
import { isLink } from "../look/nodes.ts";
import type { SearchBounds } from "../look/search/search.ts";
import { namesIntoTrees } from "../look/tree-names.ts";
import { flatMapInTurns, sortedInTurns } from "../turns.ts";
import type { FactsMemory } from "./facts.ts";

/** Something created during a call that other programs on this machine may obey. */
export interface Appeared {
  readonly path: AbsolutePath;
  /**
   * `repository`: the sign by which git finds one. `protected`: a name that a wildcard protects where it exists.
   * `link`: one in a repository's folder, where git makes none and writes through existing ones. `way`: a link that
   * gives something among installed packages another path, where a person may start programs. `started`: a file that a
   * tool obeys when a person starts it. `unprotectable`: entries too deep to have a path, or a link to too many names.
   */
  readonly kind: "repository" | "protected" | "link" | "way" | "started" | "unprotectable";
  /** The program that obeys it, and when, as in a table of an operator file; null if no table has it. */
  readonly obeyedBy: Pick<ExecutedNames, "by" | "when"> | null;
  /** Commands that git may run in that repository by itself, for people: see `GitRuns`. */
  readonly runs: readonly string[];
  readonly fate: Fate;
}

/**
 * The fate of it. `reported`: it is where it was made; `because` says why, although hosts execute it. `kept`: the same,
 * because it was approved. `quarantined`: it was moved to the quarantine under this id, or aside in its folder. `live`:
 * it should have been taken away, and could not be.
 */
export type Fate =
  | { readonly kind: "reported"; readonly because: string | null }
  | { readonly kind: "kept"; readonly by: string }
  | {
      readonly kind: "quarantined";
      readonly id: string;
      readonly aside: string | null;
      /** Why it could not stay although a commit holds it, or it was approved; null if neither is so. */
      readonly because: string | null;
      /** Why it could not be given back although that was approved, or why the request failed. */
      readonly problem: string | null;
    }
  | { readonly kind: "live"; readonly problem: string };

/** The fate of a thing that was left alone. */
export const REPORTED: Fate = { kind: "reported", because: null };

/** Everything that appeared, or why that is unknown. */
export interface Appearances {
  readonly found: readonly Appeared[];
  /** The number of others that are not listed; left out if all are. */
  readonly more?: number;
  /** Why the folders could not all be searched again; null if they were. */
  readonly unknown: string | null;
  readonly newLinks?: ReadonlySet<AbsolutePath>;
}

/** Maximum of things listed: a tool can make any number. */
const MAX_LISTED = 200;

/** The same with at most as many as a receipt lists; those that were acted on come first. */
export function boundedAppearances({ found, unknown }: Appearances): Appearances {
  if (found.length <= MAX_LISTED) return { found, unknown };
  const first: Appeared[] = [];
  for (const kind of ["live", "quarantined", "kept", "reported"])
    for (const one of found) {
      if (first.length === MAX_LISTED) break;
      if (one.fate.kind === kind) first.push(one);
    }
  return { found: first, more: found.length - MAX_LISTED, unknown };
}

/** The result if nothing appeared. */
export const NOTHING_APPEARED: Appearances = { found: [], unknown: null };

/** The inputs of a search for new things, besides the state before. */
export interface AppearedLook {
  readonly memory: FactsMemory;
  readonly executed: ExecutedFinder;
  readonly executedIn: ExecutedFinder;
  /** The start of the call, by `performance.now()`. */
  readonly sinceMs: number;
  /** Links since this time count as the call's, in milliseconds since 1970. */
  readonly startedAt: number;
  /** True if a thing first seen since then, and covered by no mask, was also made since then; by default all are. */
  readonly isMade?: (path: AbsolutePath) => boolean;
  readonly placeholders: () => ReadonlySet<AbsolutePath>;
}

/** Bounds of the search after a call, far above honest work: a tool could make countless names to hide one. */
const AFTER_A_CALL: SearchBounds = { entries: 5_000_000, timeMs: 120_000, over: "refuse" };

/**
 * Searches a profile's writable folders again and reports new things, also new files that a tool obeys when a person
 * starts it. A name that only a wildcard protects is reported instead of refused if the call made it. Current
 * placeholders are ignored.
 */
export async function lookForAppeared(
  host: Host,
  profile: Profile,
  facts: Before,
  { memory, executed, executedIn, sinceMs, startedAt, isMade = () => true, placeholders }: AppearedLook,
): Promise<Appearances> {
  if (!mayWrite(profile)) return NOTHING_APPEARED;
  try {
    const {
      hits,
      signs,
      gitLinks,
      strayLinks,
      fresh: watched,
      unprotectable,
      unsearched,
      problem,
    } = await memory.find([profile], facts.mac, {
      sinceMs,
      bounds: AFTER_A_CALL,
      // A call could make an unsearchable folder to keep all else from being found.
      overcomes: true,
    });
    const before = new Set(facts.hits);
    const known = new Map(facts.repositories.map((sign) => [sign.path, sign]));
    const fresh = signs.filter((sign) => isNew(sign, known.get(sign.path)));
    // A folder that could not be searched before was read-only: nothing was made there.
    const closed = facts.unsearched.map(({ path }) => path);
    const isClosed = (path: AbsolutePath): boolean => closed.some((folder) => isInside(path, folder));
    const repositories = await flatMapInTurns(fresh, (sign): readonly Appeared[] => {
      const runs = memory.repositories.runs(host, sign, facts.repositories).names;
      // A worktree's part of an existing repository is reported by the file that leads to it.
      if (isClosed(sign.path) || (runs.length === 0 && isPlainWorktree(sign, facts.repositories))) return [];
      return [appeared(sign.path, "repository", runs.length === 0 ? null : GIT, runs)];
    });
    const folders = new Set(fresh.map(({ path }) => path));
    let heldNow: ReadonlySet<AbsolutePath> | null = null;
    const held = (): ReadonlySet<AbsolutePath> => {
      heldNow ??= placeholders();
      return heldNow;
    };
    const writable = writableIn(profile);
    const made = await flatMapInTurns(watched, (path) => (isMade(path) ? path : []));
    const isNewName = new Set(made);
    const newLinks = new Set(await flatMapInTurns(made, (path) => (isLink(path) ? path : [])));
    const call = { before: facts, writable, startedAt };
    const treeNames = await namesIntoTrees({
      writable,
      startedAt,
      protectedNames: hits,
      isNew: (path) => !before.has(path) || isChangedByCall(path, call),
      executed,
      newLinks,
      linksOutsideTrees: () => memory.linksOutsideTrees(profile, facts.mac),
    });
    // Such a link may also have a name that hosts execute: by that alone it would stay among packages.
    const reported = new Set(treeNames.flatMap(({ kind, path }) => (kind === "way" ? path : [])));
    const names = await flatMapInTurns(hits, (path): readonly Appeared[] => {
      if (before.has(path) && !isChangedBuild(path, executed, call)) return [];
      if (!isOpenToCalls(profile, path) || isOwnOf(folders, path)) return [];
      if (reported.has(path) || isClosed(path) || held().has(path)) return [];
      reported.add(path);
      return [appeared(path, "protected", unaskedOf(executed(path)))];
    });
    const linked = new Set(facts.gitLinks);
    const links = await flatMapInTurns(gitLinks, (path): readonly Appeared[] =>
      linked.has(path) || isClosed(path) ? [] : [appeared(path, "link", GIT)],
    );
    const sinceCtime = performance.timeOrigin + sinceMs - CLOCK_GRAIN_MS;
    const manifests = await memory.manifests.grown(
      // A folder that was moved brings a manifest that is older than the call.
      ({ ctimeMs }, path) => isNewName.has(path) || (ctimeMs >= sinceCtime && isMade(path)),
    );
    const besides = [
      ...treeNames.map(({ path, kind, row }) => appeared(path, kind, row)),
      ...newStrays(strayLinks, facts).map((path) => appeared(path, "protected", unaskedOf(executedIn(path)))),
      ...manifests.map((path) => appeared(path, "protected", UNDER_OUR_NAME)),
    ].filter(({ path, kind }) => !isClosed(path) && (kind === "way" || !reported.has(path)));
    for (const { path } of besides) reported.add(path);
    const mayComeToLead = (link: AbsolutePath): boolean =>
      writable.includes(parentOf(link)) && !folders.has(link) && executedIn(link) !== null;
    const loose = await looseLinks(newLinks, mayComeToLead, reported);
    const others = await flatMapInTurns(made, (path): readonly Appeared[] => {
      if (reported.has(path) || isClosed(path) || held().has(path)) return [];
      const row = executed(path) ?? (loose.has(path) ? executedIn(path) : null);
      if (row === null) return [];
      if (row.runs === "unasked") return [appeared(path, "protected", row)];
      return isInDependencyTree(path, row, writable) ? [] : [appeared(path, "started", row)];
    });
    const inTheWay = await flatMapInTurns(unprotectable, (path): readonly Appeared[] =>
      isClosed(path) ? [] : [appeared(path, "unprotectable", null)],
    );
    const grown = unsearched.find(({ path }) => !closed.includes(path));
    return {
      found: await sortedInTurns([repositories, names, besides, links, others, inTheWay], byPathAndKind),
      unknown: grown === undefined ? (problem?.message ?? null) : printUnsearched(grown),
      newLinks,
    };
  } catch (cause) {
    return { found: [], unknown: whyUnknown(cause) };
  }
}

/**
 * New links directly in a root, where no mount can hold a link: once one leads to a name that hosts execute, no call
 * can start. A link that leads to such a name already is reported by that name.
 */
async function looseLinks(
  newLinks: ReadonlySet<AbsolutePath>,
  mayComeToLead: (link: AbsolutePath) => boolean,
  reported: ReadonlySet<AbsolutePath>,
): Promise<ReadonlySet<AbsolutePath>> {
  const loose = new Set(await flatMapInTurns(newLinks, (link) => (mayComeToLead(link) ? link : [])));
  if (loose.size === 0) return loose;
  for (const above of await flatMapInTurns(reported, (path) => [...upwards(parentOf(path))]))
    loose.delete(above);
  return loose;
}

const KINDS = ["repository", "protected", "link", "way", "started", "unprotectable"];

/** One path may be several things. */
function byPathAndKind(a: Appeared, b: Appeared): number {
  return byPath(a.path, b.path) || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind);
}

/** The state before a call. */
export interface Before extends Pick<Facts, "hits" | "gitLinks" | "strayLinks" | "mac"> {
  readonly unsearched: readonly Pick<Unsearched, "path">[];
  readonly repositories: readonly RepositorySign[];
  readonly treeStates: TreeStates;
}

/** Paths of stray links that were missing before the call, or led elsewhere then. */
function newStrays(strays: readonly StrayLink[], { strayLinks }: Before): readonly AbsolutePath[] {
  const before = new Map(strayLinks.map(({ path, way }) => [path, way]));
  return strays.filter(({ path, way }) => before.get(path) !== way).map(({ path }) => path);
}

const UNDER_OUR_NAME = {
  by: OURSELVES,
  when: "npx, pnpm or yarn starts it by name, or a program there imports it",
};

const GIT = { by: "git", when: "it works in that repository" };

function unaskedOf(row: ExecutedNames | null): ExecutedNames | null {
  return row?.runs === "unasked" ? row : null;
}

function appeared(
  path: AbsolutePath,
  kind: Appeared["kind"],
  obeyedBy: Appeared["obeyedBy"],
  runs: readonly string[] = [],
): Appeared {
  const named = obeyedBy === null ? null : { by: obeyedBy.by, when: obeyedBy.when };
  return { path, kind, obeyedBy: named, runs, fate: REPORTED };
}

/** The message of an error that keeps a search from its result; any other error is thrown again. */
export function whyUnknown(cause: unknown): string {
  if (cause instanceof CofferdamError && ["NOT_ENFORCEABLE", "FACTS_UNSTABLE"].includes(cause.code))
    return cause.message;
  throw cause;
}

/** The shipped masks' protected names in a repository's folder, and in those of its submodules and worktrees. */
const OF_GIT =
  /\.git(?:\/(?:modules|worktrees)\/.+)?\/(?:hooks|config|config\.worktree|commondir|gitdir|remotes|branches)$/s;

/** Git's own names directly in a repository's folder are reported by the repository; anything else there is not. */
function isOwnOf(repositories: ReadonlySet<AbsolutePath>, path: AbsolutePath): boolean {
  return repositories.has(parentOf(path)) && OF_GIT.test(path);
}

/** True if the profile lets calls make a name: also if a mask hides it only by a wildcard, or by another spelling. */
function isOpenToCalls(profile: Profile, path: AbsolutePath): boolean {
  const isOpen = accessTo(profile, path, { kind: "file", bornInside: true }) === "write";
  return isOpen || accessTo(profile, path) === "read";
}

/** Half of a repository that is whole by now is a new one; a whole one that is broken now is not. */
function isNew(sign: RepositorySign, before: RepositorySign | undefined): boolean {
  return before === undefined || before.kind !== sign.kind || (sign.isWhole && !before.isWhole);
}
