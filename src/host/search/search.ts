import type { StrayLink, Unsearched } from "../../backend/facts.ts";
import type { RepositorySign } from "../../backend/repositories.ts";
import { regionsOf } from "../../backend/search-regions.ts";
import type { CofferdamError } from "../../errors.ts";
import { maskIndex } from "../../profile/mask-index.ts";
import { type AbsolutePath, byPath } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import type { SearchSection } from "../../tool/settings.ts";
import { inLongTurns, sortedInTurns } from "../turns.ts";
import type { Watch } from "./folder.ts";
import { Installed, mayHoldInstalled, packageState } from "./installed.ts";
import { type ListNames, listBytes, listNames, listNamesNow } from "./list.ts";
import {
  type Bound,
  type MaskIndex,
  type Memory,
  type Searchable,
  searchable,
  type Watching,
} from "./searchable.ts";
import { type Clocks, LookTime, Pace, workMs } from "./time.ts";
import { linksOutsideTrees } from "./tree-links.ts";
import { Walk } from "./walk.ts";
import { watchedNames } from "./watched-names.ts";

/** How far one look goes, and what if there is more. */
export interface SearchBounds {
  /** So many names are searched below one folder. */
  readonly entries: number;
  /** Milliseconds of processor time in all. */
  readonly timeMs: number;
  readonly over: Unsearched["over"];
}

/** The bounds that a config sets. */
export function boundsFrom({ entries, time, over }: SearchSection): SearchBounds {
  return { entries, timeMs: time, over };
}

/** What holds where no config says anything: the defaults of `sandbox.search`. */
export const USUAL_BOUNDS: SearchBounds = { entries: 1_000_000, timeMs: 30_000, over: "refuse" };

/**
 * A file system that gives no answer for so long is taken for dead: a server that is gone, a program that hangs. A disk that
 * stood still needs ten seconds.
 */
const MOST_SILENCE_MS = 30_000;

/** What a search needs of the machine besides `lstat`. */
export interface SearchPorts extends Clocks {
  /** Reads off the event loop. */
  readonly list: ListNames;
  /** Reads what is surely quick. */
  readonly listNow: ListNames;
  /** Reads what one of the others failed to. */
  readonly listAgain: ListNames;
  readonly silenceMs: number;
  /** What is to be told when it is new, besides what masks cover. */
  readonly watch: Watch;
}

/** Existing paths that glob masks cover, signs of repositories, links in these, and what could not be searched whole. */
export interface Found {
  readonly hits: readonly AbsolutePath[];
  readonly signs: readonly RepositorySign[];
  readonly gitLinks: readonly AbsolutePath[];
  readonly strayLinks: readonly StrayLink[];
  /** Each manifest that is watched for: see `Manifests`. */
  readonly manifests: readonly AbsolutePath[];
  /** What is watched for and was first seen after the moment that was asked about. */
  readonly fresh: readonly AbsolutePath[];
  /** Folders of which something lies so deep that it has no path, and links that lead to too many names: where a look overcomes that. */
  readonly unprotectable: readonly AbsolutePath[];
  readonly unsearched: readonly Unsearched[];
  /** Why something could not be searched, where a look overcomes that; null where all was. */
  readonly problem: CofferdamError | null;
}

/** A walk, and the bound that it came to. */
type Walked = readonly [walk: Walk, bound: Bound | null];

/** How one look differs from others. */
export interface Look {
  /** How masks are found, the same in every look. */
  readonly index?: MaskIndex;
  /** Of what is watched for, what was first seen after this moment of `performance.now()` is fresh; by default nothing is. */
  readonly sinceMs?: number;
  /** Instead of those of the search. */
  readonly bounds?: SearchBounds;
  /**
   * Folders that their owner, this user, closed are opened, and stay open; what else keeps the rest from being found is told, as
   * `unprotectable` or the `problem`. By default all that is thrown.
   */
  readonly overcomes?: boolean;
}

/**
 * Finds what glob masks cover in granted folders, and repositories there. It remembers folders by identity and
 * change time, so that a second search only looks at folders that changed. Links are not followed: what they lead to is
 * granted elsewhere or hidden. Folders are read in the pool of threads; the event loop is held for 8 ms at a time.
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
  /** Walks whose reads got no answer. */
  readonly #unanswered = new Map<string, Walk>();

  constructor(bounds: SearchBounds = USUAL_BOUNDS, ports: Partial<SearchPorts> = {}) {
    this.#bounds = bounds;
    const { list = listNames, listNow = ports.list ?? listNamesNow, listAgain = listBytes } = ports;
    const { now = () => performance.now(), work = workMs, silenceMs = MOST_SILENCE_MS } = ports;
    const { watch = NOTHING } = ports;
    this.#ports = { list, listNow, listAgain, now, work, silenceMs, watch };
  }

  /**
   * One look for several profiles. Hits are existing paths that a glob mask covers and that an entry would give more;
   * below one that is hidden only those of `read` masks count: what they protect must not be moved away with the folder
   * that hides it. Signs are those in writable folders, and in others that are searched for a mask. A bound that is passed is told, not thrown. Lists are sorted: what did not change is the same.
   * Throws `NOT_ENFORCEABLE` for what lies too deep for a path, and for a folder that can't be read; `FACTS_UNSTABLE` for one
   * that others keep moving; unless the look overcomes these.
   */
  async find(profiles: readonly Profile[], look: Look = {}): Promise<Found> {
    const { index = maskIndex, sinceMs = Number.POSITIVE_INFINITY, bounds = this.#bounds } = look;
    const { overcomes = false } = look;
    const all = profiles.flatMap((one) => this.#regionsOf(one, index));
    const regions = new Map(all.map((one) => [one.key, one]));
    const walks: Walk[] = [];
    const unsearched = new Map<AbsolutePath, Unsearched>();
    const { silenceMs } = this.#ports;
    // Outside of the system's folders nothing is of its packages, and their state does not matter.
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
    const pathsOf = (of: (walk: Walk) => readonly AbsolutePath[]) => sortedInTurns(walks.map(of), byPath);
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

  /** Links that lie in no tree of installed packages, as the last look for this profile found them; null for too many. */
  async linksOutsideTrees(profile: Profile): Promise<readonly AbsolutePath[] | null> {
    const links: (readonly AbsolutePath[])[] = [];
    for (const { start, key } of this.#regions.get(profile) ?? []) {
      const some = await inLongTurns(linksOutsideTrees(start, this.#memory.get(key) ?? new Map()));
      if (some === null) return null;
      links.push(some);
    }
    return links.flat();
  }

  /** False only where the last look for this profile found no such link; true where nothing was searched for it, or for too many links. */
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

  /** What the last look for this profile found of what is watched for: see `watchedNames`. */
  watchedIn(profile: Profile): readonly string[] {
    const regions = this.#regions.get(profile) ?? [];
    return regions.flatMap(({ key }) => this.#watched.get(key) ?? []);
  }

  /** Walks through a region, which is remembered. */
  async #walked(region: Searchable, most: number, watching: Watching, time: LookTime): Promise<Walked> {
    const walk = new Walk(region, this.#memory.get(region.key), this.#ports, most, watching);
    const bound = await walk.run(time);
    this.#memory.set(region.key, walk.memory);
    this.#watched.set(region.key, await inLongTurns(watchedNames(walk.start, walk.memory)));
    if (bound === "silence") this.#unanswered.set(region.key, walk);
    else this.#unanswered.delete(region.key);
    return [walk, bound];
  }

  /** The last walk through a region where its reads still get no answer: each more would keep a thread of the pool from all others. */
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

function unsearchedBy(bounds: SearchBounds, silenceMs: number, walk: Walk, kind: Bound): Unsearched {
  const { start: path, fullest, reads } = walk;
  const bound = {
    entries: { kind: "entries", most: bounds.entries },
    time: { kind: "time", mostMs: bounds.timeMs },
    silence: { kind: "silence", mostMs: silenceMs, folder: reads.oldest ?? path },
  } as const;
  return {
    path,
    bound: bound[kind],
    over: bounds.over,
    ...(fullest === null ? {} : { fullest: { ...fullest } }),
  };
}

const NOTHING: Watch = () => false;

function inOrder(a: { readonly path: AbsolutePath }, b: { readonly path: AbsolutePath }): number {
  return byPath(a.path, b.path);
}
