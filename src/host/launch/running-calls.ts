import { maskIndex } from "../../profile/mask-index.ts";
import { type AbsolutePath, isInside } from "../../profile/path.ts";
import { type Profile, writableIn } from "../../profile/profile.ts";
import { isChangedSince, mayBeBroughtSince } from "../look/changed-since.ts";
import { statsOf } from "../look/nodes.ts";
import type { Before } from "./appeared.ts";

/** The content before a call, and the time (ms since 1970) from which new content counts as made by the call. */
export interface Basis {
  readonly before: Omit<Before, "mac">;
  readonly startedAt: number;
}

interface Doubt {
  readonly call: RunningCall;
  readonly paths: ReadonlySet<AbsolutePath>;
}

/**
 * The running calls of one supervisor. A call may hide its files until it is over, and another one that saw them may
 * bring them back. So a file that one call did not find never counts as there before for a later call beside it.
 */
export class RunningCalls {
  readonly #running = new Set<RunningCall>();

  get isAnyRunning(): boolean {
    return this.#running.size > 0;
  }

  begin(basis: Basis, profile: Profile): RunningCall {
    const call = new RunningCall(basis, profile, [...this.#running]);
    this.#running.add(call);
    return call;
  }

  end(call: RunningCall): void {
    call.end();
    this.#running.delete(call);
  }
}

/** One call, as others that begin meanwhile know it. */
export class RunningCall {
  #own: Basis;
  readonly #profile: Profile;
  #doubts: readonly Doubt[];
  #isOver = false;

  constructor(own: Basis, profile: Profile, beside: readonly RunningCall[]) {
    this.#own = own;
    this.#profile = profile;
    this.#doubts = beside.flatMap((call) => {
      const paths = call.#lacks(own.before);
      return paths.size === 0 ? [] : [{ call, paths }];
    });
  }

  /**
   * The content that counts as there before it now. A call that still runs looks after its own files. Files that such a
   * call made and left count no more than hidden ones: each may differ from the one this call found, and be open to it.
   */
  basis(): Basis {
    return without(
      this.#own,
      this.#doubts.filter(({ call }) => call.#isOver),
    );
  }

  leastBasis(): Basis {
    return without(this.#own, this.#doubts);
  }

  end(): void {
    this.#isOver = true;
  }

  get startedAt(): number {
    return this.basis().startedAt;
  }

  /** Releases its knowledge of other calls: only its beginning is asked for from now on. */
  forget(): void {
    this.#own = this.basis();
    this.#doubts = [];
  }

  #lacks({
    hits,
    gitLinks,
    strayLinks,
    repositories,
    treeStates,
  }: Basis["before"]): ReadonlySet<AbsolutePath> {
    const { before, startedAt } = this.basis();
    // Mostly it is the same list.
    const [named, linked, strays, signs] = [
      hits === before.hits ? [] : absentFrom(before.hits, hits),
      gitLinks === before.gitLinks ? [] : absentFrom(before.gitLinks, gitLinks),
      strayLinks === before.strayLinks ? [] : newIn(before.strayLinks, strayLinks, ({ way }) => way),
      repositories === before.repositories
        ? []
        : newIn(before.repositories, repositories, ({ isWhole }) => String(isWhole)),
    ];
    for (const [path, state] of treeStates)
      if ((before.treeStates.get(path) ?? state) !== state) named.push(path);
    if (named.length + linked.length + strays.length + signs.length === 0) return new Set();
    const find = maskIndex(this.#profile.masks);
    const roots = writableIn(this.#profile);
    const isMade = (path: AbsolutePath): boolean =>
      statsOf(path) === null || isChangedSince(path, startedAt) || mayBeBroughtSince(path, startedAt, roots);
    const closed = before.unsearched.map(({ path }) => path);
    const isOpen = (path: AbsolutePath): boolean =>
      this.#profile.files.some((file) => file.access === "write" && isInside(path, file.path)) &&
      !closed.some((folder) => isInside(path, folder));
    const made = [...named.filter((path) => find(path) !== null), ...linked, ...strays].filter(isMade);
    return new Set([...made, ...signs].filter(isOpen));
  }
}

function without({ before, startedAt }: Basis, doubts: readonly Doubt[]): Basis {
  const open = doubts.filter(({ paths }) => paths.size > 0);
  if (open.length === 0) return { before, startedAt };
  const isSure = (path: AbsolutePath): boolean => !open.some(({ paths }) => paths.has(path));
  return {
    before: {
      ...before,
      hits: before.hits.filter(isSure),
      gitLinks: before.gitLinks.filter(isSure),
      strayLinks: before.strayLinks.filter(({ path }) => isSure(path)),
      repositories: before.repositories.filter(({ path }) => isSure(path)),
    },
    startedAt: Math.min(startedAt, ...open.map(({ call }) => call.startedAt)),
  };
}

function absentFrom(before: readonly AbsolutePath[], now: readonly AbsolutePath[]): AbsolutePath[] {
  const there = new Set(before);
  return now.filter((path) => !there.has(path));
}

function newIn<Item extends { readonly path: AbsolutePath }>(
  before: readonly Item[],
  now: readonly Item[],
  stateOf: (item: Item) => string,
): readonly AbsolutePath[] {
  const keyOf = (item: Item): string => `${stateOf(item)} ${item.path}`;
  const there = new Set(before.map(keyOf));
  return now.flatMap((item) => (there.has(keyOf(item)) ? [] : [item.path]));
}
