import { pointsOf } from "../backend/bubblewrap/transitions.ts";
import type { Facts, Launcher } from "../backend/facts.ts";
import type { Held } from "../backend/held.ts";
import { areMany, type RepositorySign, repositoryMasks, withNear } from "../backend/repositories.ts";
import { withinSearch } from "../backend/search-bound.ts";
import { coveredIndex } from "../backend/seatbelt/covered-index.ts";
import { foldedMasks } from "../backend/seatbelt/file-rules.ts";
import { normalDevices } from "../profile/devices.ts";
import { maskIndex } from "../profile/mask-index.ts";
import { type AbsolutePath, byPath, joinPath, knownPath } from "../profile/path.ts";
import { normalProfile, type Profile, writableIn } from "../profile/profile.ts";
import { takesFile } from "../profile/suffix.ts";
import type { Link } from "../tool/facts.ts";
import { lookAtDeviceNodes } from "./device-nodes.ts";
import { repositoriesAbove } from "./git/above.ts";
import { RepositoryReader } from "./git/repositories.ts";
import type { Host } from "./host.ts";
import { Copies } from "./installation/copies.ts";
import { type Look, lookingOnce } from "./leads.ts";
import { Manifests } from "./manifests.ts";
import { MountTableParser } from "./mount-table.ts";
import { NodeLooker } from "./node-looker.ts";
import { statsOf } from "./nodes.ts";
import { isSameFacts } from "./same-facts.ts";
import { listNames } from "./search/list.ts";
import { type Found, MaskSearch, type Look as SearchLook } from "./search/search.ts";
import { Surveyor } from "./surveyor.ts";
import { inLongTurns, WorkTurn } from "./turns.ts";

/** More matching files than this below a folder with a suffix list are not shown one by one. */
const MOST_SHOWN = 64;

/** Nor are those of a folder with more names below it than this. */
const MOST_NAMES = 10_000;

/** What a call is about: the folder that it starts in, and what its words may name. */
export interface Near {
  readonly start: AbsolutePath;
  readonly named: readonly AbsolutePath[];
}

/** About the mounts that a repository takes, with the folders above it. */
export const MOUNTS_OF_A_REPOSITORY = 6;

/** Fewer mounts than this leave room in every plan. */
export const FEW_MOUNTS = 128;

/** What stays the same while a supervisor lives: the launcher, whom tools run as, the runtimes' links. */
export interface StandingFacts {
  readonly launcher: Launcher;
  readonly user: Facts["user"];
  readonly links: readonly Link[];
  readonly emptyFile: AbsolutePath | null;
  readonly devices: Facts["devices"];
  readonly coversLinks: Facts["coversLinks"];
  readonly tree: Facts["tree"];
  readonly coreDumps: Facts["coreDumps"];
  readonly mac: Facts["mac"];
}

/** What is remembered between looks, so that a machine on which nothing changed costs little. */
export class FactsMemory {
  readonly search: MaskSearch;
  readonly repositories = new RepositoryReader();
  readonly mounts = new MountTableParser();
  readonly manifests = new Manifests();
  readonly copies = new Copies();
  readonly #folded = new WeakMap<Profile, Profile>();
  #last: Facts | null = null;

  constructor(search: MaskSearch = new MaskSearch()) {
    this.search = search;
  }

  /** What globs cover and repositories, on a Mac as its disks compare names: `.ENV` may be what `**\/.env` covers there. */
  async find(
    profiles: readonly Profile[],
    mac: Facts["mac"],
    look: Omit<SearchLook, "index"> = {},
  ): Promise<Found> {
    const index = mac === null ? maskIndex : coveredIndex;
    const found = await this.search.find(
      profiles.map((profile) => this.#foldedOn(profile, mac)),
      { ...look, index },
    );
    this.manifests.saw(found.manifests);
    return found;
  }

  /** See `MaskSearch.linksOutsideTrees`. */
  linksOutsideTrees(profile: Profile, mac: Facts["mac"]): Promise<readonly AbsolutePath[] | null> {
    return this.search.linksOutsideTrees(this.#foldedOn(profile, mac));
  }

  /** See `MaskSearch.hasLinksOutsideTrees`. */
  hasLinksOutsideTrees(profile: Profile, mac: Facts["mac"]): boolean {
    return this.search.hasLinksOutsideTrees(this.#foldedOn(profile, mac));
  }

  /** See `MaskSearch.watchedIn`. */
  watchedIn(profile: Profile, mac: Facts["mac"]): readonly string[] {
    return this.search.watchedIn(this.#foldedOn(profile, mac));
  }

  #foldedOn(profile: Profile, mac: Facts["mac"]): Profile {
    if (mac === null) return profile;
    const known = this.#folded.get(profile);
    if (known !== undefined) return known;
    const literals = profile.masks.filter(({ pattern }) => pattern.literal !== null);
    const globs = profile.masks.filter(({ pattern }) => pattern.literal === null);
    const made = normalProfile({ ...profile, masks: [...literals, ...foldedMasks(globs, { mac })] });
    this.#folded.set(profile, made);
    return made;
  }

  /** The same object as the last time when nothing differs: what was computed from it still holds. */
  recall(facts: Facts): Facts {
    if (this.#last !== null && isSameFacts(facts, this.#last)) return this.#last;
    this.#last = facts;
    return facts;
  }
}

/**
 * Looks at everything that rendering these profiles may ask about: their paths with all folders above, what glob masks
 * cover, repositories, the files that suffix lists show, the mount table. Placeholders of live calls count as missing.
 * `near` tells what a call is about: it is asked where perhaps not everything can stay writable.
 * Throws `NOT_ENFORCEABLE` for a folder that can't be searched, and `FACTS_UNSTABLE` for one that others keep moving.
 */
export async function lookUpFacts(
  host: Host,
  standing: StandingFacts,
  profiles: readonly Profile[],
  memory: FactsMemory,
  held: ReadonlySet<AbsolutePath> = new Set(),
  near: () => Near | null = () => null,
): Promise<Facts> {
  const mounts = memory.mounts.now();
  const { hits, signs, gitLinks, strayLinks, unsearched } = await memory.find(profiles, standing.mac);
  const shown = await shownFiles(profiles);
  // From here on each place is seen once.
  const see = lookingOnce(held);
  const looker = new NodeLooker(see);
  const writable = allWritableIn(profiles);
  const all = await inLongTurns(
    memory.repositories.read(host, allSigns(signs, writable, see), writable, see),
  );
  const isTight = areMany(all) || hits.length + MOUNTS_OF_A_REPOSITORY * all.length > FEW_MOUNTS;
  const about = isTight ? near() : null;
  const repositories = isTight
    ? withNear(all, about === null ? [] : [about.start, ...about.named], writable)
    : all;
  const copies = await inLongTurns(memory.copies.heldFor(hits, writable, host.installation().parts));
  const points = profiles.flatMap((profile) => pointsOf(profile, { hits, shown }));
  const around = new Surveyor(looker, mounts, see);
  const turn = new WorkTurn();
  const masked = repositoryMasks(repositories).flatMap(({ pattern }) => pattern.literal ?? []);
  const detours = repositories.flatMap((one) => one.detours);
  const readOnly = profiles.flatMap((profile) => readOnlyIn(profile, unsearched));
  for (const path of [...points, ...readOnly, ...masked, ...detours, ...copies.flatMap(pathsOf)]) {
    if (turn.isOver) await turn.pause();
    around.look(path);
  }
  for (const path of [
    standing.launcher.shell,
    knownPath("/sys/devices/system/cpu"),
    ...standing.links.map((link) => link.path),
  ])
    looker.look(path);
  const hasNames = standing.mac === null && profiles.some(({ network }) => network === "host");
  const groups = normalDevices(profiles.flatMap(({ devices }) => devices));
  return memory.recall({
    arch: host.arch,
    ...standing,
    deviceNodes: standing.mac === null ? lookAtDeviceNodes(host, standing, groups) : [],
    nameFiles: hasNames ? host.nameFiles() : null,
    nodes: looker.found,
    ways: around.ways,
    hits,
    shown,
    repositories,
    copies,
    gitLinks,
    strayLinks,
    unsearched,
    mounts,
    ...(about === null ? {} : { start: about.start }),
  });
}

/** What rendering takes for read-only, because it could not be searched. */
function readOnlyIn(profile: Profile, unsearched: Facts["unsearched"]): readonly AbsolutePath[] {
  const searched = withinSearch(profile, { unsearched });
  return "reason" in searched ? [] : searched.limits.map(({ path }) => path);
}

function pathsOf(held: Held): readonly AbsolutePath[] {
  return held.kind === "packages" ? [held.path, ...held.caches] : [held.path];
}

function allWritableIn(profiles: readonly Profile[]): readonly AbsolutePath[] {
  return [...new Set(profiles.flatMap(writableIn))];
}

/** Repositories in what may be written, and those that it lies in. */
function allSigns(
  found: readonly RepositorySign[],
  writable: readonly AbsolutePath[],
  see: Look,
): readonly RepositorySign[] {
  const known = new Set(found.map(({ path }) => path));
  return [...found, ...repositoriesAbove(writable, see).filter(({ path }) => !known.has(path))];
}

async function shownFiles(
  profiles: readonly Profile[],
): Promise<ReadonlyMap<AbsolutePath, readonly AbsolutePath[]>> {
  const shown = new Map<AbsolutePath, readonly AbsolutePath[]>();
  for (const { path, access, suffixes } of profiles.flatMap((profile) => profile.files))
    if (suffixes !== "any" && access !== "none") shown.set(path, await filesBelow(path, suffixes));
  return shown;
}

/** The plain files of these suffixes below a folder, in order; none when there are too many to show, or to look through. */
async function filesBelow(top: AbsolutePath, suffixes: readonly string[]): Promise<readonly AbsolutePath[]> {
  const found: AbsolutePath[] = [];
  const ahead = [top];
  let names = 0;
  const isInBounds = (): boolean => names <= MOST_NAMES && found.length <= MOST_SHOWN;
  for (let folder = ahead.pop(); folder !== undefined && isInBounds(); folder = ahead.pop()) {
    const [at, stats] = [folder, statsOf(folder)];
    if (stats?.isDirectory() !== true) continue;
    const listed = listNames(at, stats, (name, kind) => {
      names += 1;
      const path = joinPath(at, name);
      if (kind === "folder") ahead.push(path);
      else if (kind === "file" && takesFile(suffixes, name) && statsOf(path)?.isFile() === true)
        found.push(path);
      return isInBounds();
    });
    // What can't be read shows nothing.
    await listed.catch(() => undefined);
  }
  return isInBounds() ? found.sort(byPath) : [];
}
