import type { Facts, StrayLink, Unsearched } from "../backend/facts.ts";
import type { RepositorySign } from "../backend/repositories.ts";
import { printUnsearched } from "../backend/search-bound.ts";
import { CofferdamError } from "../errors.ts";
import { accessTo } from "../profile/access-to.ts";
import { isInDependencyTree } from "../profile/dependency-trees.ts";
import { type ExecutedFinder, type ExecutedNames, OURSELVES } from "../profile/executed.ts";
import { type AbsolutePath, byPath, isInside, parentOf, upwards } from "../profile/path.ts";
import { mayWrite, type Profile, writableIn } from "../profile/profile.ts";
import { isChangedBuild, isChangedByCall, type TreeStates } from "./changed-builds.ts";
import { CLOCK_GRAIN_MS } from "./clock-grain.ts";
import type { FactsMemory } from "./facts.ts";
import { isPlainWorktree } from "./git/worktrees.ts";
import type { Host } from "./host.ts";
import { isLink } from "./nodes.ts";
import type { SearchBounds } from "./search/search.ts";
import { namesIntoTrees } from "./tree-names.ts";
import { flatMapInTurns, sortedInTurns } from "./turns.ts";

/** Something that came to be while a call ran, and that other programs on this machine may obey. */
export interface Appeared {
  readonly path: AbsolutePath;
  /**
   * By which git finds a repository; a name that a wildcard protects where it exists: read-only, or hidden; a link in a
   * repository's folder, where git makes none and writes through those that there are; a link by which something among installed
   * packages has another path, where a person may start programs; what a tool does that a person starts; or
   * what nothing can be protected in: a folder of which something lies so deep that it has no path, a link to too many names.
   */
  readonly kind: "repository" | "protected" | "link" | "way" | "started" | "unprotectable";
  /** Which program does what it says, and when, as a table of an operator file has it; null where none has it. */
  readonly obeyedBy: Pick<ExecutedNames, "by" | "when"> | null;
  /** What git may run in that repository by itself, for people: see `GitRuns`. */
  readonly runs: readonly string[];
  readonly fate: Fate;
}

/**
 * What became of it. `reported`: it is where it was made; `because` says why that is so although hosts execute it. `kept`: the same,
 * because somebody said so. `quarantined`: it was taken away, and lies in the quarantine under this id, or aside in its folder.
 * `live`: it should have been taken away, and could not be.
 */
export type Fate =
  | { readonly kind: "reported"; readonly because: string | null }
  | { readonly kind: "kept"; readonly by: string }
  | {
      readonly kind: "quarantined";
      readonly id: string;
      readonly aside: string | null;
      /** Why it could not stay although a commit holds it, or somebody agreed to it; null where nothing spoke for it. */
      readonly because: string | null;
      /** Why it could not be given back although somebody said so, or the question failed. */
      readonly problem: string | null;
    }
  | { readonly kind: "live"; readonly problem: string };

/** Nothing was done about it. */
export const REPORTED: Fate = { kind: "reported", because: null };

/** What appeared, or why that is not known. */
export interface Appearances {
  readonly found: readonly Appeared[];
  /** How many more there are than are told one by one; left out where all are. */
  readonly more?: number;
  /** Why the folders could not all be searched again; null where they were. */
  readonly unknown: string | null;
  /** Links that came to be at their paths, some of which lead to what was found. */
  readonly newLinks?: ReadonlySet<AbsolutePath>;
}

/** So many are told one by one: a tool makes as many as it likes. */
const MAX_TOLD = 200;

/** The same with no more than a receipt tells, those first of which something became. */
export function boundedAppearances({ found, unknown }: Appearances): Appearances {
  if (found.length <= MAX_TOLD) return { found, unknown };
  const first: Appeared[] = [];
  for (const kind of ["live", "quarantined", "kept", "reported"])
    for (const one of found) {
      if (first.length === MAX_TOLD) break;
      if (one.fate.kind === kind) first.push(one);
    }
  return { found: first, more: found.length - MAX_TOLD, unknown };
}

/** Where nothing did. */
export const NOTHING_APPEARED: Appearances = { found: [], unknown: null };

/** What a look for what appeared needs, besides what was there before. */
export interface AppearedLook {
  readonly memory: FactsMemory;
  readonly executed: ExecutedFinder;
  /** The same of what would lie in a folder of a path. */
  readonly executedIn: ExecutedFinder;
  /** When the call began, by `performance.now()`. */
  readonly sinceMs: number;
  /** The moment since which links count as its, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Of what is first seen since then and no mask covers, what was made since then; by default all. */
  readonly isMade?: (path: AbsolutePath) => boolean;
  /** Placeholders that stand now. */
  readonly placeholders: () => ReadonlySet<AbsolutePath>;
}

/**
 * What a call made is searched for as long as it takes, up to bounds that no honest work comes near: a tool could make names
 * without number to hide one.
 */
const AFTER_A_CALL: SearchBounds = { entries: 5_000_000, timeMs: 120_000, over: "refuse" };

/**
 * Searches the writable folders of a profile again and tells what was not there when the facts were looked up: what a call
 * makes under a name that only a wildcard protects is its own, so it is told instead of refused. Placeholders that stand
 * now are nobody's. What tools do that a person starts is told where it is new. A profile that grants no writing costs nothing.
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
      // A call could make what can't be searched to keep all else from being found.
      overcomes: true,
    });
    const before = new Set(facts.hits);
    const known = new Map(facts.repositories.map((sign) => [sign.path, sign]));
    const fresh = signs.filter((sign) => isNew(sign, known.get(sign.path)));
    // What could not be searched before was read-only: nothing was made there.
    const closed = facts.unsearched.map(({ path }) => path);
    const isClosed = (path: AbsolutePath): boolean => closed.some((folder) => isInside(path, folder));
    const repositories = await flatMapInTurns(fresh, (sign): readonly Appeared[] => {
      const runs = memory.repositories.runs(host, sign, facts.repositories).names;
      // A worktree's part in a repository that was there is told by the file that leads to it.
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
    // Such a link may have a name that hosts execute, too: by that alone it would stay among packages.
    const told = new Set(treeNames.flatMap(({ kind, path }) => (kind === "way" ? path : [])));
    const names = await flatMapInTurns(hits, (path): readonly Appeared[] => {
      if (before.has(path) && !isChangedBuild(path, executed, call)) return [];
      if (!isOpenToCalls(profile, path) || isOwnOf(folders, path)) return [];
      if (told.has(path) || isClosed(path) || held().has(path)) return [];
      told.add(path);
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
    ].filter(({ path, kind }) => !isClosed(path) && (kind === "way" || !told.has(path)));
    for (const { path } of besides) told.add(path);
    const mayComeToLead = (link: AbsolutePath): boolean =>
      writable.includes(parentOf(link)) && !folders.has(link) && executedIn(link) !== null;
    const loose = await looseLinks(newLinks, mayComeToLead, told);
    const others = await flatMapInTurns(made, (path): readonly Appeared[] => {
      if (told.has(path) || isClosed(path) || held().has(path)) return [];
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
 * Picks new links right in a root, where no mount can hold a link: once one leads to a name that hosts execute, no call can start. A
 * link that leads to such a name already is told by that name.
 */
async function looseLinks(
  newLinks: ReadonlySet<AbsolutePath>,
  mayComeToLead: (link: AbsolutePath) => boolean,
  told: ReadonlySet<AbsolutePath>,
): Promise<ReadonlySet<AbsolutePath>> {
  const loose = new Set(await flatMapInTurns(newLinks, (link) => (mayComeToLead(link) ? link : [])));
  if (loose.size === 0) return loose;
  for (const above of await flatMapInTurns(told, (path) => [...upwards(parentOf(path))])) loose.delete(above);
  return loose;
}

const KINDS = ["repository", "protected", "link", "way", "started", "unprotectable"];

/** The same path may be several things. */
function byPathAndKind(a: Appeared, b: Appeared): number {
  return byPath(a.path, b.path) || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind);
}

/** What was there before a call. */
export interface Before extends Pick<Facts, "hits" | "gitLinks" | "strayLinks" | "mac"> {
  readonly unsearched: readonly Pick<Unsearched, "path">[];
  readonly repositories: readonly RepositorySign[];
  readonly treeStates: TreeStates;
}

/** Paths of stray links that were not there before the call, or that led elsewhere then. */
function newStrays(strays: readonly StrayLink[], { strayLinks }: Before): readonly AbsolutePath[] {
  const before = new Map(strayLinks.map(({ path, way }) => [path, way]));
  return strays.filter(({ path, way }) => before.get(path) !== way).map(({ path }) => path);
}

const UNDER_OUR_NAME = {
  by: OURSELVES,
  when: "npx, pnpm or yarn start it by name, or a program there imports it",
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

/** What keeps a look from knowing what is there, told; all else is thrown on. */
export function whyUnknown(cause: unknown): string {
  if (cause instanceof CofferdamError && ["NOT_ENFORCEABLE", "FACTS_UNSTABLE"].includes(cause.code))
    return cause.message;
  throw cause;
}

/** What the shipped masks protect in a repository's folder, and in those of submodules and worktrees in it. */
const OF_GIT =
  /\.git(?:\/(?:modules|worktrees)\/.+)?\/(?:hooks|config|config\.worktree|commondir|gitdir|remotes|branches)$/s;

/** What git itself keeps right in a repository's folder is told by the repository; whatever else lies there is not. */
function isOwnOf(repositories: ReadonlySet<AbsolutePath>, path: AbsolutePath): boolean {
  return repositories.has(parentOf(path)) && OF_GIT.test(path);
}

/** True where the profile lets calls make a name: one that a mask hides only by a wildcard, or by another spelling, too. */
function isOpenToCalls(profile: Profile, path: AbsolutePath): boolean {
  const isOpen = accessTo(profile, path, { kind: "file", bornInside: true }) === "write";
  return isOpen || accessTo(profile, path) === "read";
}

/** Half of a repository that is whole by now is a new one; one that was whole is none for being broken. */
function isNew(sign: RepositorySign, before: RepositorySign | undefined): boolean {
  return before === undefined || before.kind !== sign.kind || (sign.isWhole && !before.isWhole);
}
