import type { StrayLink } from "../../../backend/facts.ts";
import { isInTree } from "../../../profile/dependency-trees.ts";
import type { MaskFinder } from "../../../profile/mask-index.ts";
import {
  type AbsolutePath,
  foldedText,
  isInside,
  joinPath,
  nameOf,
  parentOf,
} from "../../../profile/path.ts";
import { nameTest, plainText } from "../../../profile/pattern.ts";
import { foldersOfPattern } from "../../../profile/pattern-folders.ts";
import type { Mask } from "../../../profile/profile.ts";
import { wayOf } from "../leads.ts";
import { statsOf, systemPath } from "../nodes.ts";
import { canEnter } from "./folder.ts";
import { NamesBehind } from "./names-behind.ts";

type Name = string | ((name: string) => boolean);

/** Paths below a folder, which masks name. */
export type Candidates = readonly (readonly Name[])[];

/** Folders that masks name by their content, in lower case, each with the paths below: `.vscode` with `tasks.json`. */
export type Tails = ReadonlyMap<string, Candidates>;

/** Folders that masks with wildcards protect from writes below plain names. */
export function tailsOf(masks: readonly Mask[]): Tails {
  const tails = new Map<string, Map<number, readonly Name[]>>();
  // A number for each tail: its text, written into the next one again and again, would double with every name.
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

/** A finder of the folders that masks name by their content, by their whole path; compiled at the first look. */
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

/** The links of a region in the place of folders: noted on a walk, and followed when closed folders are open. */
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

  /** Each link, and the paths that may be protected after it. Strays among them are known once all were passed. */
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
 * The way of a link in the place of such a folder, if no look can vouch for its later content: see `StrayLink`. Null
 * for a link straight to a folder in the granted one: new content is found there by its name.
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
 * The existing ones of these paths below a link in the place of such a folder. A search follows no link by itself.
 * Throws `NOT_ENFORCEABLE` if a folder, or all together, hold too many names.
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
      .filter((path) => statsOf(path) !== null),
  );
}

function pathsIn(folder: AbsolutePath, name: Name, behind: NamesBehind): readonly AbsolutePath[] {
  const names = typeof name === "string" ? [name] : behind.in(folder).filter(name);
  return names.map((one) => joinPath(folder, one));
}
