import type { Stats } from "node:fs";
import type { RepositorySign } from "../../../backend/repositories.ts";
import { CofferdamError } from "../../../errors.ts";
import { type AbsolutePath, joinPath, nameOf, parentOf } from "../../../profile/path.ts";
import { isGitName, isInGitFolder, isMadeByGit } from "../git/marks.ts";
import { isManifest } from "../manifest-claims.ts";
import {
  isAsRead,
  type Remembered,
  reachable,
  readFolder,
  statsToSearch,
  statsToSearchLater,
} from "./folder.ts";
import { behindLink, type Candidates, LinksAhead } from "./linked.ts";
import type { ListNames } from "./list.ts";
import { NamesBehind } from "./names-behind.ts";
import { Parts, type RegionPart } from "./parts.ts";
import { Reads } from "./reads.ts";
import type { Ahead, Bound, FolderListing, Memory, Searchable, WatchedPaths } from "./searchable.ts";
import type { LookTime } from "./time.ts";

/** Maximum of changed folders that are read synchronously in a turn. */
const MAX_AT_ONCE = 8;

/** A folder with more names is processed in several turns, with a look at the clock after each part. */
const MAX_IN_A_TURN = 2_048;
const NAMES_AT_A_TIME = 512;

/** One walk through a region: unchanged folders are not read again. */
export class RegionWalk {
  readonly memory: Memory = new Map();
  readonly hits: AbsolutePath[] = [];
  readonly signs: RepositorySign[] = [];
  readonly gitLinks: AbsolutePath[] = [];
  readonly fresh: AbsolutePath[] = [];
  readonly manifests: AbsolutePath[] = [];
  readonly unprotectable: AbsolutePath[] = [];
  problem: CofferdamError | null = null;
  readonly #region: Searchable;
  readonly #before: Memory;
  readonly #lists: FolderListing;
  readonly #max: number;
  readonly #watching: WatchedPaths;
  readonly #ahead: Ahead[];
  readonly links: LinksAhead;
  readonly reads = new Reads();
  readonly #behindLinks = new NamesBehind();
  readonly #large: Iterator<void>[] = [];
  readonly #parts: Parts;
  #entries = 0;
  #isOver = false;

  constructor(
    region: Searchable,
    before: Memory | undefined,
    lists: FolderListing,
    maxEntries: number,
    watching: WatchedPaths,
  ) {
    this.#watching = watching;
    this.#region = region;
    this.links = new LinksAhead(region);
    this.#before = before ?? new Map();
    this.#lists = lists;
    this.#max = maxEntries;
    const { start: folder } = region;
    this.#parts = new Parts(folder);
    const part = this.#parts.start;
    this.#ahead = [{ folder, isHidden: false, isOfGit: isInGitFolder(folder), stats: null, part }];
  }

  get start(): AbsolutePath {
    return this.#region.start;
  }

  get fullest(): RegionPart | null {
    return this.#parts.fullest;
  }

  /** Walks until everything was seen, then null, or until a bound is passed, then its kind. */
  async run(time: LookTime): Promise<Bound | null> {
    const bound = await this.#run(time);
    // Abandoned reads end at the next name.
    this.#isOver = true;
    // Folders not reached this time are looked at faster the next time.
    if (bound === "time" || bound === "silence")
      for (const [folder, seen] of this.#before) if (!this.memory.has(folder)) this.memory.set(folder, seen);
    return bound;
  }

  async #run(time: LookTime): Promise<Bound | null> {
    while (this.#ahead.length > 0) {
      if (time.isOver) return "time";
      const unread = this.#nextUnread(time);
      if (unread.length > 0) {
        const read = await time.within(() => Promise.all(unread.map((one, at) => this.#read(one, at))), {
          names: () => this.#entries,
          progress: () => this.#entries + this.reads.ended,
        });
        if (read === null) return "silence";
        if (this.#entries <= this.#max)
          for (const [at, one] of unread.entries()) this.#handle(one, read[at] ?? null);
      }
      if (this.#entries > this.#max) return "entries";
      if (time.isTurnOver) await time.pause();
      if (this.#large.length > 0 && (await this.#seesNoEnd(time))) return "time";
    }
    for (const [link, candidates] of this.links) {
      if (time.isOver) return "time";
      for (const path of this.#behind(link, candidates))
        if (this.#region.findLasting(path) !== null) this.#hit(path);
      if (time.isTurnOver) await time.pause();
    }
    return null;
  }

  async #seesNoEnd(time: LookTime): Promise<boolean> {
    for (let large = this.#large.pop(); large !== undefined; large = this.#large.pop())
      while (large.next().done !== true) {
        if (time.isOver) return true;
        if (time.isTurnOver) await time.pause();
      }
    return false;
  }

  /** Looks at folders until one batch of reads is full, or the turn is over. */
  #nextUnread(time: LookTime): readonly Ahead[] {
    const unread: Ahead[] = [];
    for (let looked = 0; unread.length < time.pace.width && this.#entries <= this.#max; looked += 1) {
      // However busy the machine is, each turn gets further.
      if (looked > 0 && time.isTurnOver) {
        time.pace.looked(looked);
        break;
      }
      const next = this.#ahead.pop();
      if (next === undefined) break;
      const before = this.#before.get(next.folder);
      // Folders that need no look: see `Installed`.
      const isSettled = before !== undefined && this.#watching.installed.isAsRead(next.folder, before);
      const stats = isSettled || time.pace.isSlow ? null : this.#lookAgain(next);
      const known = isSettled ? this.#counted(next, before) : this.#asRead(next, stats);
      if (known === null) unread.push({ ...next, stats });
      else this.#handle(next, known);
    }
    return unread;
  }

  #asRead(one: Ahead, stats: Stats | null): Remembered | null {
    const known = this.#before.get(one.folder);
    return known !== undefined && stats !== null && isAsRead(known, stats) ? this.#counted(one, known) : null;
  }

  #counted({ part }: Ahead, known: Remembered): Remembered {
    this.#entries += known.entries;
    part.entries += known.entries;
    return known;
  }

  /** A few folders that changed since are read at once, unless the disk is slow: the pool costs more than that. */
  #listFor({ folder, stats }: Ahead, at: number): ListNames {
    const { list, listNow } = this.#lists;
    return stats !== null && at < MAX_AT_ONCE && this.#before.has(folder) ? listNow : list;
  }

  /** The content of a folder, or null if there is none; a hidden one that can't be read shows nothing inside either. */
  async #read(one: Ahead, at: number): Promise<Remembered | null> {
    const { folder, isHidden } = one;
    const { find, findHidden } = this.#region;
    this.reads.begin(folder);
    const isInBounds = (): boolean => {
      this.#entries += 1;
      one.part.entries += 1;
      return this.#entries <= this.#max && !this.#isOver;
    };
    try {
      const stats = one.stats ?? (await statsToSearchLater(folder));
      if (stats?.isDirectory() !== true) {
        if (stats !== null) this.#noteFile(folder, stats);
        return null;
      }
      const known = one.stats === null ? this.#asRead(one, stats) : null;
      if (known !== null) return known;
      return await readFolder(folder, stats, {
        list: this.#listFor(one, at),
        listAgain: this.#lists.listAgain,
        find: isHidden && findHidden !== null ? findHidden : find,
        isInBounds,
        watch: this.#watching.watch,
        nowMs: this.#watching.now(),
        before: this.#before.get(folder),
        opens: this.#watching.overcomes,
      });
    } catch (cause) {
      return isHidden ? null : this.#overcome(cause);
    } finally {
      this.reads.end(folder);
    }
  }

  #lookAgain({ folder, isHidden }: Ahead): Stats | null {
    try {
      return statsToSearch(folder);
    } catch (cause) {
      return isHidden ? null : this.#overcome(cause);
    }
  }

  #overcome(cause: unknown, unprotectable: AbsolutePath | null = null): null {
    if (!this.#watching.overcomes || !(cause instanceof CofferdamError)) throw cause;
    if (unprotectable === null) this.problem ??= cause;
    else this.unprotectable.push(unprotectable);
    return null;
  }

  #handle(one: Ahead, seen: Remembered | null): void {
    if (seen === null) return;
    this.memory.set(one.folder, seen);
    const steps = this.#taking(one, seen);
    if (seen.entries > MAX_IN_A_TURN) this.#large.push(steps);
    else while (steps.next().done !== true);
  }

  /** Works in steps: the clock may be looked at between two of them. */
  *#taking(one: Ahead, seen: Remembered): Generator<void> {
    const { findHidden } = this.#region;
    const { folder, isHidden } = one;
    let names = 0;
    for (const [name, seenMs] of seen.watched ?? []) {
      if (seenMs > this.#watching.sinceMs) this.fresh.push(joinPath(folder, name));
      if (isManifest(name)) this.manifests.push(joinPath(folder, name));
      if (++names % NAMES_AT_A_TIME === 0) yield;
    }
    for (const sign of seen.signs) this.signs.push(sign);
    const isBare = seen.signs.some(({ path, isWhole }) => path === folder && isWhole);
    const isOfGit = (name: string): boolean => one.isOfGit || (isBare && isMadeByGit(name));
    for (const name of seen.links) if (isOfGit(name)) this.gitLinks.push(joinPath(folder, name));
    for (const name of seen.links) {
      this.links.note(folder, name);
      if (++names % NAMES_AT_A_TIME === 0) yield;
    }
    const hidden = new Set<string>();
    for (const { name, atMost } of seen.hits) {
      this.#hit(joinPath(folder, name));
      if (atMost === "none") hidden.add(name);
      if (++names % NAMES_AT_A_TIME === 0) yield;
    }
    for (const name of seen.folders) {
      if (++names % NAMES_AT_A_TIME === 0) yield;
      const isBelowHidden = isHidden || hidden.has(name);
      const inner = !isBelowHidden || findHidden !== null ? this.#reached(joinPath(folder, name)) : null;
      if (inner !== null)
        this.#ahead.push({
          folder: inner,
          isHidden: isBelowHidden,
          isOfGit: isOfGit(name) || isInGitFolder(name),
          stats: null,
          part: this.#parts.of(inner, one.part),
        });
    }
  }

  #hit(path: AbsolutePath): void {
    const reached = this.#reached(path);
    if (reached !== null) this.hits.push(reached);
  }

  #reached(path: AbsolutePath): AbsolutePath | null {
    try {
      return reachable(path, this.#region.start);
    } catch (cause) {
      return this.#overcome(cause, parentOf(path));
    }
  }

  /** Paths that a mask protects in a folder of such a name are protected after a link of that name, too. */
  #behind(link: AbsolutePath, candidates: Candidates): readonly AbsolutePath[] {
    try {
      return behindLink(link, candidates, this.#behindLinks);
    } catch (cause) {
      return this.#overcome(cause, link) ?? [];
    }
  }

  /** A granted file may be one that leads git to a repository. */
  #noteFile(path: AbsolutePath, stats: Stats): void {
    if (path !== this.#region.start || !isGitName(nameOf(path))) return;
    this.signs.push({ kind: stats.isSymbolicLink() ? "link" : "file", path, isWhole: true });
  }
}
