import type { ReadOnlyPart } from "../../../backend/read-only-parts.ts";
import { type AbsolutePath, isInside, joinPath, nameOf, parentOf, upwards } from "../../../profile/path.ts";
import { CLOCK_GRAIN_MS } from "../clock-grain.ts";
import { realPathOf, statsOf } from "../nodes.ts";
import { Folders, namesOfDependencies, searchedFolders } from "./packages.ts";
import type { InstalledPart } from "./part.ts";
import { readOnlyAt } from "./read-only-at.ts";

/** Maximum of a copy's dependencies. With more it is held without them: no tool can change a real one's list. */
const MAX_DEPENDENCIES = 4_096;

interface CopySurroundings {
  readonly paths: readonly AbsolutePath[];
  /** Manifests and folders by which these were found, and folders where a missing package may be made. */
  readonly looks: readonly AbsolutePath[];
  /** Null if the places changed while they were read. */
  readonly stamp: string | null;
}

/**
 * Copies of the product in folders that calls may write: a search before each call finds them by their name. The
 * packages they load are held with them, as programs there load these. Remembers each copy until it changes.
 */
export class Copies {
  #known: ReadonlyMap<AbsolutePath, CopySurroundings> = new Map();

  /**
   * The places to hold for the copies among these paths, in the folders that calls may write: the folders of packages
   * that they lie in, and load from. Copies in a part of the installation are held with that. In short steps.
   */
  *heldFor(
    found: readonly AbsolutePath[],
    tops: readonly AbsolutePath[],
    parts: readonly Pick<InstalledPart, "path">[],
  ): Generator<void, readonly ReadOnlyPart[]> {
    const copies = found.filter(
      (path) => IS_COPY.test(path) && !parts.some((part) => isInside(path, part.path)),
    );
    const known = new Map<AbsolutePath, CopySurroundings>();
    const places = new Set<AbsolutePath>();
    const whole = new Set<AbsolutePath>();
    for (const copy of copies) {
      yield;
      const before = this.#known.get(copy);
      const isAsBefore = before !== undefined && before.stamp === (yield* stampOf(before.looks));
      const one = isAsBefore ? before : yield* around(copy);
      if (one !== null) known.set(copy, one);
      for (const path of one?.paths ?? [copy]) {
        yield;
        const outermost = wholeIn(path, tops);
        places.add(path);
        if (outermost !== null) whole.add(outermost);
      }
    }
    this.#known = known;
    const [held, all]: [ReadOnlyPart[], readonly AbsolutePath[]] = [[], [...places]];
    for (const path of whole) {
      yield;
      if (![...upwards(parentOf(path))].some((above) => whole.has(above))) held.push(readOnlyAt(path, all));
    }
    return held;
  }
}

/** The path by which programs find a copy. Case does not count, as some file systems ignore it. */
const IS_COPY = /\/node_modules\/cofferdam$/i;

/** A copy's folder, its packages, and folders, missing or not, searched for them first. Null if it lists too many. */
function* around(copy: AbsolutePath): Generator<void, CopySurroundings | null> {
  const startedMs = Date.now();
  const real = realPathOf(copy) ?? copy;
  const folders = new Folders();
  const packages = new Set([real]);
  const paths = new Set([copy, real]);
  const lacking = new Set<AbsolutePath>();
  let looked = 0;
  for (const path of packages) {
    const searched = searchedFolders(path);
    for (const name of namesOfDependencies(path)) {
      yield;
      looked += 1;
      if (looked > MAX_DEPENDENCIES) return null;
      const place = folders.placeOf(name, searched);
      for (const folder of place === null ? searched : []) lacking.add(folder);
      if (place === null) continue;
      for (const folder of searched.slice(0, place.at + 1)) paths.add(folder);
      for (const known of [packages, paths]) known.add(place.real);
    }
  }
  const manifests = [...packages].map((path) => joinPath(path, "package.json"));
  const looks = [...new Set([...paths, ...lacking, ...manifests])];
  return { paths: [...paths], looks, stamp: yield* stampOf(looks, startedMs - CLOCK_GRAIN_MS) };
}

/** A text for the state of these places; null if one changed since. No process can set the change time (inode(7)). */
function* stampOf(
  paths: readonly AbsolutePath[],
  sinceMs = Number.POSITIVE_INFINITY,
): Generator<void, string | null> {
  const stamps: string[] = [];
  for (const path of paths) {
    yield;
    const stats = statsOf(path);
    if (stats !== null && stats.ctimeMs > sinceMs) return null;
    stamps.push(stats === null ? "" : `${stats.dev}:${stats.ino}:${stats.ctimeMs}`);
  }
  return stamps.join(" ");
}

/** The outermost folder of packages in which a path lies, within one of these folders; else the path. */
function wholeIn(path: AbsolutePath, tops: readonly AbsolutePath[]): AbsolutePath | null {
  const inTops = [...upwards(path)].filter((at) => tops.some((top) => isInside(at, top)));
  return inTops.findLast((at) => nameOf(at) === "node_modules") ?? inTops[0] ?? null;
}
