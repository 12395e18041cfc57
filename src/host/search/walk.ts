import type { Stats } from "node:fs";
import type { RepositorySign } from "../../backend/repositories.ts";
import { CofferdamError } from "../../errors.ts";
import { type AbsolutePath, joinPath, nameOf, parentOf } from "../../profile/path.ts";
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
import { type Part, Parts } from "./parts.ts";
import { Reads } from "./reads.ts";
import type { Ahead, Bound, Lists, Memory, Searchable, Watching } from "./searchable.ts";
import type { LookTime } from "./time.ts";

/** So many folders that changed are read at once in a turn. */
const MOST_AT_ONCE = 8;

/** What a folder of more names holds is taken in several turns, and these are taken between two looks at the clock. */
const MOST_IN_A_TURN = 2_048;
const NAMES_AT_A_TIME = 512;

/** One walk through a region: what is as it was when it was last read is not read again. */
export class Walk {
  readonly memory: Memory = new Map();
  readonly hits: AbsolutePath[] = [];
  readonly signs: RepositorySign[] = [];
  readonly gitLinks: AbsolutePath[] = [];
  /** What is watched for and was first seen after the moment that was asked about. */
  readonly fresh: AbsolutePath[] = [];
  readonly manifests: AbsolutePath[] = [];
  /** Folders of which something lies so deep that it has no path, and links that lead to too many names. */
  readonly unprotectable: AbsolutePath[] = [];
  /** Why something could not be searched, the first time. */
  problem: CofferdamError | null = null;
  readonly #region: Searchable;
  readonly #before: Memory;
  readonly #lists: Lists;
  readonly #most: number;
  readonly #watching: Watching;
  readonly #ahead: Ahead[];
  readonly links: LinksAhead;
  readonly reads = new Reads();
  readonly #behindLinks = new NamesBehind();
  /** Of folders with many names what was not taken yet. */
  readonly #large: Iterator<void>[] = [];
  readonly #parts: Parts;
  #entries = 0;
  #isOver = false;

  constructor(
    region: Searchable,
    before: Memory | undefined,
    lists: Lists,
    mostEntries: number,
    watching: Watching,
  ) {
    this.#watching = watching;
    this.#region = region;
    this.links = new LinksAhead(region);
    this.#before = before ?? new Map();
    this.#lists = lists;
    this.#most = mostEntries;
    const { start: folder } = region;
    this.#parts = new Parts(folder);
    const part = this.#parts.start;
    this.#ahead = [{ folder, isHidden: false, isOfGit: isInGitFolder(folder), stats: null, part }];
  }

  get start(): AbsolutePath {
    return this.#region.start;
  }

  /** See `Parts`. */
  get fullest(): Part | null {
    return this.#parts.fullest;
  }

  /** Walks until everything was seen, then null, or until a bound is passed, then which one. */
  async run(time: LookTime): Promise<Bound | null> {
    const bound = await this.#run(time);
    // Reads that are not waited for any more end at the next name.
    this.#isOver = true;
    // What was not come to is looked at faster the next time.
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
        if (this.#entries <= this.#most)
          for (const [at, one] of unread.entries()) this.#take(one, read[at] ?? null);
      }
      if (this.#entries > this.#most) return "entries";
      if (time.isTurnOver) await time.pause();
      if (this.#large.length > 0 && (await this.#seesNoEnd(time))) return "time";
    }
    for (const [link, candidates] of this.links) {
      if (time.isOver) return "time";
      for (const path of this.#behind(link, candidates))
        if (this.#region.find(path)?.atMost === "read") this.#hit(path);
      if (time.isTurnOver) await time.pause();
    }
    return null;
  }

  /** Takes what was put off, in turns; true where time was over before. */
  async #seesNoEnd(time: LookTime): Promise<boolean> {
    for (let large = this.#large.pop(); large !== undefined; large = this.#large.pop())
      while (large.next().done !== true) {
        if (time.isOver) return true;
        if (time.isTurnOver) await time.pause();
      }
    return false;
  }

  /** Looks at folders until there are so many to read as are read at a time, or the turn is over. */
  #nextUnread(time: LookTime): readonly Ahead[] {
    const unread: Ahead[] = [];
    for (let looked = 0; unread.length < time.pace.width && this.#entries <= this.#most; looked += 1) {
      // However busy the machine is, each turn gets further.
      if (looked > 0 && time.isTurnOver) {
        time.pace.looked(looked);
        break;
      }
      const next = this.#ahead.pop();
      if (next === undefined) break;
      const before = this.#before.get(next.folder);
      // What need not be looked at: see `Installed`.
      const isSettled = before !== undefined && this.#watching.installed.isAsRead(next.folder, before);
      const stats = isSettled || time.pace.isSlow ? null : this.#lookAgain(next);
      const known = isSettled ? this.#counted(next, before) : this.#asRead(next, stats);
      if (known === null) unread.push({ ...next, stats });
      else this.#take(next, known);
    }
    return unread;
  }

  /** What a folder held when it was last read; null where it has changed since. */
  #asRead(one: Ahead, stats: Stats | null): Remembered | null {
    const known = this.#before.get(one.folder);
    return known !== undefined && stats !== null && isAsRead(known, stats) ? this.#counted(one, known) : null;
  }

  #counted({ part }: Ahead, known: Remembered): Remembered {
    this.#entries += known.entries;
    part.entries += known.entries;
    return known;
  }

  /** A few that changed since they were read are read at once, unless the disk is slow: the pool costs more than that. */
  #listFor({ folder, stats }: Ahead, at: number): ListNames {
    const { list, listNow } = this.#lists;
    return stats !== null && at < MOST_AT_ONCE && this.#before.has(folder) ? listNow : list;
  }

  /** What a folder holds, or null when there is none; a hidden one that can't be read shows nothing inside either. */
  async #read(one: Ahead, at: number): Promise<Remembered | null> {
    const { folder, isHidden } = one;
    const { find, findLasting } = this.#region;
    this.reads.begin(folder);
    const isInBounds = (): boolean => {
      this.#entries += 1;
      one.part.entries += 1;
      return this.#entries <= this.#most && !this.#isOver;
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
        find: isHidden && findLasting !== null ? findLasting : find,
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

  /** The state of a folder; null when there is none, or one that is hidden can't be seen. */
  #lookAgain({ folder, isHidden }: Ahead): Stats | null {
    try {
      return statsToSearch(folder);
    } catch (cause) {
      return isHidden ? null : this.#overcome(cause);
    }
  }

  /** Null for what was refused, where that is overcome; else throws it. */
  #overcome(cause: unknown, unprotectable: AbsolutePath | null = null): null {
    if (!this.#watching.overcomes || !(cause instanceof CofferdamError)) throw cause;
    if (unprotectable === null) this.problem ??= cause;
    else this.unprotectable.push(unprotectable);
    return null;
  }

  #take(one: Ahead, seen: Remembered | null): void {
    if (seen === null) return;
    this.memory.set(one.folder, seen);
    const steps = this.#taking(one, seen);
    if (seen.entries > MOST_IN_A_TURN) this.#large.push(steps);
    else while (steps.next().done !== true);
  }

  /** Between two steps the clock may be looked at. */
  *#taking(one: Ahead, seen: Remembered): Generator<void> {
    const { findLasting } = this.#region;
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
    for (const name of isHidden ? [] : seen.links) {
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
      const inner = !isBelowHidden || findLasting !== null ? this.#reached(joinPath(folder, name)) : null;
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

  /** The path, or null where there can be none and that is overcome. Throws what `reachable` throws. */
  #reached(path: AbsolutePath): AbsolutePath | null {
    try {
      return reachable(path, this.#region.start);
    } catch (cause) {
      return this.#overcome(cause, parentOf(path));
    }
  }

  /** What a mask protects in a folder by such a name is protected where a link leads by that name, too. */
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
