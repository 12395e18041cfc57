import type { Facts } from "../backend/facts.ts";
import type { RepositorySign } from "../backend/repositories.ts";
import { printUnsearched } from "../backend/search-bound.ts";
import { CofferdamError } from "../errors.ts";
import { accessTo } from "../profile/access-to.ts";
import { type AbsolutePath, byPath, parentOf } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { FactsMemory } from "./facts.ts";
import { isPlainWorktree } from "./git/worktrees.ts";
import type { Host } from "./host.ts";

/** Something that came to be while a call ran, and that other programs on this machine may obey. */
export interface Appeared {
  readonly path: AbsolutePath;
  /**
   * By which git finds a repository; a name that a wildcard protects where it exists: read-only, or hidden; or a link in a
   * repository's folder, where git makes none and writes through those that there are.
   */
  readonly kind: "repository" | "protected" | "link";
  /**
   * What git may run in that repository by itself, as `hooks/pre-commit` and `core.fsmonitor`: see `RepositoryReader.runs`
   * and `settingsThatRun`.
   */
  readonly runs: readonly string[];
}

/** What appeared, or why that is not known. */
export interface Appearances {
  readonly found: readonly Appeared[];
  /** Why the folders could not all be searched again; null where they were. */
  readonly unknown: string | null;
}

/** Where nothing did. */
export const NOTHING_APPEARED: Appearances = { found: [], unknown: null };

/**
 * Searches the writable folders of a profile again and tells what was not there when the facts were looked up: what a call
 * makes under a name that only a wildcard protects is its own, so it is told instead of refused. Placeholders that stand
 * now are nobody's. A profile that grants no writing costs nothing.
 */
export async function lookForAppeared(
  host: Host,
  profile: Profile,
  facts: Facts,
  memory: FactsMemory,
  placeholders: () => ReadonlySet<AbsolutePath>,
): Promise<Appearances> {
  if (!profile.files.some((entry) => entry.access === "write")) return NOTHING_APPEARED;
  try {
    const { hits, signs, gitLinks, unsearched } = await memory.find([profile], facts.mac);
    const before = new Set(facts.hits);
    const fresh = signs.filter((sign) => isNew(sign, facts));
    const repositories = fresh
      .map((sign) => ({ sign, runs: memory.repositories.runs(host, sign, facts.repositories) }))
      // A worktree's part in a repository that was there is told by the file that leads to it.
      .filter(({ sign, runs }) => runs.length > 0 || !isPlainWorktree(sign, facts.repositories))
      .map(({ sign, runs }): Appeared => ({ path: sign.path, kind: "repository", runs }));
    const folders = new Set(fresh.map(({ path }) => path));
    const named = hits.filter(
      (path) => !before.has(path) && isOpenToCalls(profile, path) && !isOwnOf(folders, path),
    );
    const held = named.length === 0 ? new Set<AbsolutePath>() : placeholders();
    const names = named
      .filter((path) => !held.has(path))
      .map((path): Appeared => ({ path, kind: "protected", runs: [] }));
    const linked = new Set(facts.gitLinks);
    const links = gitLinks
      .filter((path) => !linked.has(path))
      .map((path): Appeared => ({ path, kind: "link", runs: [] }));
    const found = [...repositories, ...names, ...links];
    // What could not be searched before was read-only.
    const grown = unsearched.find(({ path }) => !facts.unsearched.some((one) => one.path === path));
    return {
      found: found.sort((a, b) => byPath(a.path, b.path)),
      unknown: grown === undefined ? null : printUnsearched(grown),
    };
  } catch (cause) {
    return { found: [], unknown: whyUnknown(cause) };
  }
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
function isNew(sign: RepositorySign, { repositories }: Facts): boolean {
  const before = repositories.find(({ path }) => path === sign.path);
  return before === undefined || before.kind !== sign.kind || (sign.isWhole && !before.isWhole);
}
