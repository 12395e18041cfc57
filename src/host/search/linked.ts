import type { StrayLink } from "../../backend/facts.ts";
import { isInTree } from "../../profile/dependency-trees.ts";
import type { MaskFinder } from "../../profile/mask-index.ts";
import { type AbsolutePath, foldedText, isInside, joinPath, nameOf, parentOf } from "../../profile/path.ts";
import { nameTest, plainText } from "../../profile/pattern.ts";
import { foldersOfPattern } from "../../profile/pattern-folders.ts";
import type { Mask } from "../../profile/profile.ts";
import { wayOf } from "../leads.ts";
import { statsOf, systemPath } from "../nodes.ts";
import { canEnter } from "./folder.ts";
import { NamesBehind } from "./names-behind.ts";

/** One name below a folder: that very name, or any that passes. */
type Name = string | ((name: string) => boolean);

/** Paths below a folder, which masks name. */
export type Candidates = readonly (readonly Name[])[];

/** Folders that masks name by what lies in them, in lower case, each with those paths below: `.vscode` with `tasks.json`. */
export type Tails = ReadonlyMap<string, Candidates>;

/** What masks with wildcards keep from being written behind plain names of folders. */
export function tailsOf(masks: readonly Mask[]): Tails {
  const tails = new Map<string, Map<number, readonly Name[]>>();
  // By a number for each tail: its text, written into the next one again and again, would double with every name.
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  for (const { pattern, atMost, ignoreCase } of masks) {
    let tail: readonly Name[] = [];
    let written = numberOf(String(ignoreCase));
    if (atMost !== "read") continue;
    for (const segment of pattern.segments.toReversed()) {
      if (segment.kind !== "name") break;
      const name = plainText(segment.pieces);
      if (name !== null && tail.length > 0) {
        const key = foldedText(name);
        tails.set(key, (tails.get(key) ?? new Map<number, readonly Name[]>()).set(written, tail));
      }
      tail = [name ?? nameTest(segment.pieces, ignoreCase), ...tail];
      written = numberOf(`${written} ${JSON.stringify(segment.pieces)}`);
    }
  }
  return new Map([...tails].map(([name, those]) => [name, [...those.values()]]));
}

/** What finds the folders that masks name by what lies in them, by their whole path; compiled at the first look. */
export function folderFinder(
  masks: readonly Mask[],
  index: (masks: readonly Mask[]) => MaskFinder,
): MaskFinder {
  let find: MaskFinder | null = null;
  return (path) => {
    find ??= index(
      masks
        .filter(({ atMost }) => atMost === "read")
        .flatMap((mask) => foldersOfPattern(mask.pattern).map((pattern) => ({ ...mask, pattern }))),
    );
    return find(path);
  };
}

/** The links of a region that stand in the place of folders: noted on a walk, and followed when folders that were closed are open. */
export class LinksAhead {
  readonly strays: StrayLink[] = [];
  readonly #links: AbsolutePath[] = [];
  readonly #start: AbsolutePath;
  readonly #tails: Tails;
  readonly #findFolder: MaskFinder;

  constructor({ start, tails, findFolder }: { start: AbsolutePath; tails: Tails; findFolder: MaskFinder }) {
    this.#start = start;
    this.#tails = tails;
    this.#findFolder = findFolder;
  }

  note(folder: AbsolutePath, name: string): void {
    if (this.#tails.has(foldedText(name))) this.#links.push(joinPath(folder, name));
  }

  /** Each link, and what may be protected behind it; which of them are strays is known once all were passed. */
  *[Symbol.iterator](): Generator<readonly [link: AbsolutePath, candidates: Candidates]> {
    for (const link of this.#links) {
      const candidates = this.#tails.get(foldedText(nameOf(link)));
      if (candidates === undefined || this.#findFolder(link) === null) continue;
      const way = strayWayOf(link, this.#start);
      if (way !== null) this.strays.push({ path: link, way });
      yield [link, candidates];
    }
  }
}

/**
 * Which way a link goes that stands in the place of such a folder, where no look can vouch for what will lie behind it: see `StrayLink`.
 * Null for one that leads straight to a folder in the granted one, in which what is made is found by its name there.
 */
function strayWayOf(link: AbsolutePath, start: AbsolutePath): string | null {
  const { end, links, places } = wayOf(nameOf(link), parentOf(link));
  const isPlain =
    end !== null &&
    links.length === 1 &&
    isInside(end, start) &&
    (isInTree(link, start) || !isInTree(end, start)) &&
    statsOf(end)?.isDirectory() === true &&
    canEnter(systemPath(end));
  return isPlain ? null : places.join(":");
}

/**
 * Which of these paths there are below a link in the place of such a folder. A search goes behind no link by itself. Throws
 * `NOT_ENFORCEABLE` where a folder holds too many names, or all together do.
 */
export function behindLink(
  link: AbsolutePath,
  tails: Candidates,
  behind: NamesBehind = new NamesBehind(),
): readonly AbsolutePath[] {
  return tails.flatMap((tail) =>
    tail
      .reduce<readonly AbsolutePath[]>(
        (folders, name) => folders.flatMap((at) => pathsIn(at, name, behind)),
        [link],
      )
      .filter(isThere),
  );
}

function pathsIn(folder: AbsolutePath, name: Name, behind: NamesBehind): readonly AbsolutePath[] {
  const names = typeof name === "string" ? [name] : behind.in(folder).filter(name);
  return names.map((one) => joinPath(folder, one));
}

function isThere(path: AbsolutePath): boolean {
  return statsOf(path) !== null;
}
