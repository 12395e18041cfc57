import { pointsOf } from "../../backend/bubblewrap/transitions.ts";
import type { Facts, Launcher } from "../../backend/facts.ts";
import type { ReadOnlyPart } from "../../backend/read-only-parts.ts";
import { areMany, type RepositorySign, repositoryMasks, withNear } from "../../backend/repositories.ts";
import { withinSearch } from "../../backend/search-bound.ts";
import { coveredIndex } from "../../backend/seatbelt/covered-index.ts";
import { foldedMasks } from "../../backend/seatbelt/file-rules.ts";
import { DEVICE_GROUPS } from "../../profile/devices.ts";
import { meetGroups } from "../../profile/groups.ts";
import { maskIndex } from "../../profile/mask-index.ts";
import { type AbsolutePath, byPath, joinPath, knownPath } from "../../profile/path.ts";
import { normalProfile, type Profile, writableIn } from "../../profile/profile.ts";
import { takesFile } from "../../profile/suffix.ts";
import type { Link } from "../../tool/facts.ts";
import { repositoriesAbove } from "../look/git/above.ts";
import { RepositoryReader } from "../look/git/repositories.ts";
import type { Host } from "../look/host.ts";
import { Copies } from "../look/installation/copies.ts";
import { type Lstat, lookingOnce } from "../look/leads.ts";
import { Manifests } from "../look/manifests.ts";
import { MountTableParser } from "../look/mount-table.ts";
import { NodeLooker } from "../look/node-looker.ts";
import { statsOf } from "../look/nodes.ts";
import { isSameFacts } from "../look/same-facts.ts";
import { listNames } from "../look/search/list.ts";
import { MaskSearch, type SearchOptions as SearchLook, type SearchResult } from "../look/search/search.ts";
import { Surveyor } from "../look/surveyor.ts";
import { inLongTurns, WorkTurn } from "../turns.ts";
import { lookAtDeviceNodes } from "./device-nodes.ts";

/** Maximum of matching files below a folder with a suffix list that are shown one by one. */
const MAX_SHOWN = 64;

const MAX_NAMES = 10_000;

/** The subject of a call: the folder that it starts in, and the paths that its words may name. */
export interface Near {
  readonly start: AbsolutePath;
  readonly named: readonly AbsolutePath[];
}

/** The approximate number of mounts for a repository, with the folders above it. */
export const MOUNTS_OF_A_REPOSITORY = 6;

/** Fewer mounts than this leave room in every plan. */
export const FEW_MOUNTS = 128;

/** Facts that stay the same while a supervisor lives: the launcher, the user of tools, the runtimes' links. */
export interface MachineFacts {
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

/** Remembered results of looks, so that a machine on which nothing changed costs little. */
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

  /** The paths that globs cover, and repositories. Macs compare names by their disks: `**\/.env` may cover `.ENV`. */
  async find(
    profiles: readonly Profile[],
    mac: Facts["mac"],
    look: Omit<SearchLook, "index"> = {},
  ): Promise<SearchResult> {
    const index = mac === null ? maskIndex : coveredIndex;
    const found = await this.search.find(
      profiles.map((profile) => this.#foldedOn(profile, mac)),
      { ...look, index },
    );
    this.manifests.saw(found.manifests);
    return found;
  }

  linksOutsideTrees(profile: Profile, mac: Facts["mac"]): Promise<readonly AbsolutePath[] | null> {
    return this.search.linksOutsideTrees(this.#foldedOn(profile, mac));
  }

  hasLinksOutsideTrees(profile: Profile, mac: Facts["mac"]): boolean {
    return this.search.hasLinksOutsideTrees(this.#foldedOn(profile, mac));
  }

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

  /** The same object as the last time if nothing differs: results computed from it stay valid. */
  recall(facts: Facts): Facts {
    if (this.#last !== null && isSameFacts(facts, this.#last)) return this.#last;
    this.#last = facts;
    return facts;
  }
}

/**
 * Looks at everything that rendering these profiles may ask about: their paths with all folders above, paths that glob
 * masks cover, repositories, files that suffix lists show, the mount table. Placeholders of live calls count as
 * missing. `near` returns the subject of a call; it is called if perhaps not everything can stay writable. Throws
 * `NOT_ENFORCEABLE` for a folder that can't be searched, and `FACTS_UNSTABLE` for one that others keep moving.
 */
export async function lookUpFacts(
  host: Host,
  machine: MachineFacts,
  profiles: readonly Profile[],
  memory: FactsMemory,
  held: ReadonlySet<AbsolutePath> = new Set(),
  near: () => Near | null = () => null,
): Promise<Facts> {
  const mounts = memory.mounts.now();
  const { hits, signs, gitLinks, strayLinks, unsearched } = await memory.find(profiles, machine.mac);
  const shown = await shownFiles(profiles);
  // From here on each path is looked at once.
  const see = lookingOnce(held);
  const looker = new NodeLooker(see);
  const writable = [...new Set(profiles.flatMap(writableIn))];
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
    machine.launcher.shell,
    knownPath("/sys/devices/system/cpu"),
    ...machine.links.map((link) => link.path),
  ])
    looker.look(path);
  const hasNames = machine.mac === null && profiles.some(({ network }) => network === "host");
  const groups = meetGroups(
    DEVICE_GROUPS,
    profiles.flatMap(({ devices }) => devices),
  );
  return memory.recall({
    arch: host.arch,
    ...machine,
    deviceNodes: machine.mac === null ? lookAtDeviceNodes(host, machine, groups) : [],
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

/** Folders that rendering makes read-only, because they could not be searched. */
function readOnlyIn(profile: Profile, unsearched: Facts["unsearched"]): readonly AbsolutePath[] {
  const searched = withinSearch(profile, { unsearched });
  return "reason" in searched ? [] : searched.limits.map(({ path }) => path);
}

function pathsOf(held: ReadOnlyPart): readonly AbsolutePath[] {
  return held.kind === "packages" ? [held.path, ...held.caches] : [held.path];
}

/** Repositories in writable folders, and those that contain such a folder. */
function allSigns(
  found: readonly RepositorySign[],
  writable: readonly AbsolutePath[],
  see: Lstat,
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

/** The plain files of these suffixes below a folder, in order; none if there are too many to show or look through. */
async function filesBelow(top: AbsolutePath, suffixes: readonly string[]): Promise<readonly AbsolutePath[]> {
  const found: AbsolutePath[] = [];
  const ahead = [top];
  let names = 0;
  const isInBounds = (): boolean => names <= MAX_NAMES && found.length <= MAX_SHOWN;
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
    // An unreadable folder shows nothing.
    await listed.catch(() => undefined);
  }
  return isInBounds() ? found.sort(byPath) : [];
}
