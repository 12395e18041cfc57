import type { StrayLink, Unsearched } from "../../../backend/facts.ts";
import type { RepositorySign } from "../../../backend/repositories.ts";
import { regionsOf } from "../../../backend/search-regions.ts";
import type { CofferdamError } from "../../../errors.ts";
import { maskIndex } from "../../../profile/mask-index.ts";
import { type AbsolutePath, byPath } from "../../../profile/path.ts";
import type { Profile } from "../../../profile/profile.ts";
import type { SearchSection } from "../../../tool/settings.ts";
import { inLongTurns, sortedInTurns } from "../../turns.ts";
import type { WatchFilter } from "./folder.ts";
import { Installed, mayHoldInstalled, packageState } from "./installed.ts";
import { type ListNames, listBytes, listNames, listNamesNow } from "./list.ts";
import {
  type Bound,
  type MaskIndex,
  type Memory,
  type Searchable,
  searchable,
  type WatchedPaths,
} from "./searchable.ts";
import { type Clocks, LookTime, Pace, workMs } from "./time.ts";
import { linksOutsideTrees } from "./tree-links.ts";
import { RegionWalk } from "./walk.ts";
import { watchedNames } from "./watched-names.ts";

/** Bounds of one look, and the reaction if there is more. */
export interface SearchBounds {
  /** Maximum of names searched below one folder. */
  readonly entries: number;
  /** Milliseconds of processor time in all. */
  readonly timeMs: number;
  readonly over: Unsearched["over"];
}

/** The bounds that a config sets. */
export function boundsFrom({ entries, time, over }: SearchSection): SearchBounds {
  return { entries, timeMs: time, over };
}

/** The bounds without a config: the defaults of `sandbox.search`. */
export const USUAL_BOUNDS: SearchBounds = { entries: 1_000_000, timeMs: 30_000, over: "refuse" };

/** Silence after which a file system counts as dead (server gone, program hung); a disk at rest needs ten seconds. */
const MAX_SILENCE_MS = 30_000;

/** Functions of the machine that a search needs besides `lstat`. */
export interface SearchPorts extends Clocks {
  readonly list: ListNames;
  /** Reads folders that are surely quick. */
  readonly listNow: ListNames;
  /** Reads folders on which one of the others failed. */
  readonly listAgain: ListNames;
  readonly silenceMs: number;
  readonly watch: WatchFilter;
}

/** Existing paths that glob masks cover, signs of repositories, links in these, and what could not be searched. */
export interface SearchResult {
  readonly hits: readonly AbsolutePath[];
  readonly signs: readonly RepositorySign[];
  readonly gitLinks: readonly AbsolutePath[];
  readonly strayLinks: readonly StrayLink[];
  readonly manifests: readonly AbsolutePath[];
  /** Watched paths that were first seen after the given moment. */
  readonly fresh: readonly AbsolutePath[];
  /** Folders with content too deep for a path, and links to too many names; filled if a look overcomes that. */
  readonly unprotectable: readonly AbsolutePath[];
  readonly unsearched: readonly Unsearched[];
  /** The first reason why something could not be searched, if a look overcomes that; null if all was searched. */
  readonly problem: CofferdamError | null;
}

/** A walk, and the bound that it came to. */
type Walked = readonly [walk: RegionWalk, bound: Bound | null];

/** How one look differs from others. */
export interface SearchOptions {
  /** The index of masks, the same in every look. */
  readonly index?: MaskIndex;
  /** Watched paths first seen after this moment of `performance.now()` are fresh; by default none is. */
  readonly sinceMs?: number;
  /** Replaces the bounds of the search. */
  readonly bounds?: SearchBounds;
  /**
   * If true, folders that their owner, this user, closed are opened, and stay open. Other obstacles are reported as
   * `unprotectable` or the `problem`. By default all of these are thrown.
   */
  readonly overcomes?: boolean;
}

/**
 * Finds the paths that glob masks cover in granted folders, and repositories there. It remembers folders by identity
 * and change time, so that a second search only looks at folders that changed. Links are not followed: their targets
 * are granted elsewhere or hidden. Folders are read in the pool of threads; the event loop is held for 8 ms at a time.
 */
export class MaskSearch {
  readonly #bounds: SearchBounds;
  readonly #ports: SearchPorts;
  readonly #pace = new Pace();
  readonly #regions = new WeakMap<Profile, readonly Searchable[]>();
  readonly #memory = new Map<string, Memory>();
  readonly #watched = new Map<string, readonly string[]>();
  /** The state of the system's packages before each region was last searched whole. */
  readonly #packages = new Map<string, string | null>();
  readonly #unanswered = new Map<string, RegionWalk>();

  constructor(bounds: SearchBounds = USUAL_BOUNDS, ports: Partial<SearchPorts> = {}) {
    this.#bounds = bounds;
    const { list = listNames, listNow = ports.list ?? listNamesNow, listAgain = listBytes } = ports;
    const { now = () => performance.now(), work = workMs, silenceMs = MAX_SILENCE_MS } = ports;
    const { watch = NOTHING } = ports;
    this.#ports = { list, listNow, listAgain, now, work, silenceMs, watch };
  }

  /**
   * One look for several profiles. Hits are existing paths that a glob mask covers and that an entry would give more;
   * below a hidden one only masked links count, and those of `read` masks, which must not move with their folder. Signs
   * are those in writable folders, and in others that are searched for a mask. A passed bound is returned, not thrown.
   * Lists are sorted. Throws `NOT_ENFORCEABLE` for content too deep for a path, and for a folder that can't be read;
   * `FACTS_UNSTABLE` for one that others keep moving; unless the look overcomes these.
   */
  async find(profiles: readonly Profile[], look: SearchOptions = {}): Promise<SearchResult> {
    const { index = maskIndex, sinceMs = Number.POSITIVE_INFINITY, bounds = this.#bounds } = look;
    const { overcomes = false } = look;
    const all = profiles.flatMap((one) => this.#regionsOf(one, index));
    const regions = new Map(all.map((one) => [one.key, one]));
    const walks: RegionWalk[] = [];
    const unsearched = new Map<AbsolutePath, Unsearched>();
    const { silenceMs } = this.#ports;
    // Folders outside of the system's hold none of its packages, so the state of these does not matter.
    const packages = [...regions.values()].some(({ start }) => mayHoldInstalled(start))
      ? packageState()
      : null;
    using time = new LookTime({ workMs: bounds.timeMs, silenceMs }, this.#ports, this.#pace);
    for (const region of regions.values()) {
      const isSame = packages !== null && this.#packages.get(region.key) === packages;
      const installed = new Installed(isSame, profiles);
      const watching = { ...this.#ports, sinceMs, overcomes, installed };
      const [walk, bound] =
        this.#stillWaiting(region) ?? (await this.#walked(region, bounds.entries, watching, time));
      this.#packages.set(region.key, bound === null ? packages : null);
      if (bound !== null) unsearched.set(region.start, unsearchedBy(bounds, silenceMs, walk, bound));
      walks.push(walk);
    }
    const pathsOf = (of: (walk: RegionWalk) => readonly AbsolutePath[]) =>
      sortedInTurns(walks.map(of), byPath);
    return {
      hits: await pathsOf((walk) => walk.hits),
      signs: await sortedInTurns(
        walks.map((walk) => walk.signs),
        inOrder,
      ),
      gitLinks: await pathsOf((walk) => walk.gitLinks),
      strayLinks: await sortedInTurns(
        walks.map((walk) => walk.links.strays),
        inOrder,
      ),
      manifests: await pathsOf((walk) => walk.manifests),
      fresh: await pathsOf((walk) => walk.fresh),
      unprotectable: await pathsOf((walk) => walk.unprotectable),
      unsearched: [...unsearched.values()].sort(inOrder),
      problem: walks.find((walk) => walk.problem !== null)?.problem ?? null,
    };
  }

  /** Links outside of trees of installed packages, as the last look for this profile found them; null for too many. */
  async linksOutsideTrees(profile: Profile): Promise<readonly AbsolutePath[] | null> {
    const links: (readonly AbsolutePath[])[] = [];
    for (const { start, key } of this.#regions.get(profile) ?? []) {
      const some = await inLongTurns(linksOutsideTrees(start, this.#memory.get(key) ?? new Map()));
      if (some === null) return null;
      links.push(some);
    }
    return links.flat();
  }

  /** False only if the last look found no such link; true if nothing was searched, or for too many links. */
  hasLinksOutsideTrees(profile: Profile): boolean {
    const regions = this.#regions.get(profile);
    if (regions === undefined) return true;
    return regions.some(({ start, key }) => {
      const memory = this.#memory.get(key);
      if (memory === undefined) return true;
      const steps = linksOutsideTrees(start, memory);
      for (let step = steps.next(); ; step = steps.next())
        if (step.done === true) return step.value?.length !== 0;
    });
  }

  watchedIn(profile: Profile): readonly string[] {
    const regions = this.#regions.get(profile) ?? [];
    return regions.flatMap(({ key }) => this.#watched.get(key) ?? []);
  }

  async #walked(region: Searchable, max: number, watching: WatchedPaths, time: LookTime): Promise<Walked> {
    const walk = new RegionWalk(region, this.#memory.get(region.key), this.#ports, max, watching);
    const bound = await walk.run(time);
    this.#memory.set(region.key, walk.memory);
    this.#watched.set(region.key, await inLongTurns(watchedNames(walk.start, walk.memory)));
    if (bound === "silence") this.#unanswered.set(region.key, walk);
    else this.#unanswered.delete(region.key);
    return [walk, bound];
  }

  /** The last walk through a region, if its reads are still unanswered: another would keep one more thread busy. */
  #stillWaiting({ key }: Searchable): Walked | null {
    const walk = this.#unanswered.get(key);
    return walk === undefined || walk.reads.oldest === null ? null : [walk, "silence"];
  }

  #regionsOf(profile: Profile, index: MaskIndex): readonly Searchable[] {
    const known = this.#regions.get(profile);
    if (known !== undefined) return known;
    const regions = regionsOf(profile).map((region) => searchable(region, index));
    this.#regions.set(profile, regions);
    return regions;
  }
}

function unsearchedBy(bounds: SearchBounds, silenceMs: number, walk: RegionWalk, kind: Bound): Unsearched {
  const { start: path, fullest, reads } = walk;
  const bound = {
    entries: { kind: "entries", max: bounds.entries },
    time: { kind: "time", maxMs: bounds.timeMs },
    silence: { kind: "silence", maxMs: silenceMs, folder: reads.oldest ?? path },
  } as const;
  return {
    path,
    bound: bound[kind],
    over: bounds.over,
    ...(fullest === null ? {} : { fullest: { ...fullest } }),
  };
}

const NOTHING: WatchFilter = () => false;

function inOrder(a: { readonly path: AbsolutePath }, b: { readonly path: AbsolutePath }): number {
  return byPath(a.path, b.path);
}
