import type { Stats } from "node:fs";
import type { Unsearched } from "../../../backend/facts.ts";
import type { Region } from "../../../backend/search-regions.ts";
import { everywhere, type MaskFinder, passedMasks } from "../../../profile/mask-index.ts";
import type { AbsolutePath } from "../../../profile/path.ts";
import type { Mask } from "../../../profile/profile.ts";
import type { NameFinder, Remembered, WatchFilter } from "./folder.ts";
import type { Installed } from "./installed.ts";
import { folderFinder, type Tails, tailsOf } from "./linked.ts";
import type { ListNames } from "./list.ts";
import type { RegionPart } from "./parts.ts";

/**
 * A region, compiled. `findLasting` finds what `read` masks cover. `findHidden` is for the content of hidden folders;
 * null if no mask applies there.
 */
export interface Searchable {
  readonly start: AbsolutePath;
  readonly key: string;
  readonly find: MaskFinder;
  readonly findLasting: MaskFinder;
  readonly findHidden: NameFinder | null;
  /** The paths searched after links in the place of folders, and the finder of these links. */
  readonly tails: Tails;
  readonly findFolder: MaskFinder;
}

/** Makes masks into a finder of the paths they cover: `maskIndex`, or as a machine's disk compares names. */
export type MaskIndex = (masks: readonly Mask[]) => MaskFinder;

/** Compiles the masks of a region. */
export function searchable({ start, key, masks: given }: Region, index: MaskIndex): Searchable {
  // Files that hosts execute are known in dependency and build trees as well: there they are only not mounted over.
  const masks = given.map(everywhere);
  const lasting = masks.filter((mask) => mask.atMost === "read");
  const findLasting = index(lasting);
  const links = { tails: tailsOf(masks), findFolder: folderFinder(masks, index) };
  // The only mask hides all that it covers, and it is not passed on by links in there.
  const findHidden = lasting.length === 0 && masks.length < 2 ? null : hiddenFinder(masks, findLasting);
  return { start, key, find: index(masks), findLasting, findHidden, ...links };
}

/** A link in a hidden folder passes masks on to its target, which need not be hidden. */
function hiddenFinder(masks: readonly Mask[], findLasting: MaskFinder): NameFinder {
  const passed = passedMasks(masks);
  return (path, kind) => findLasting(path) ?? (kind === "link" ? (passed(path, path)[0] ?? null) : null);
}

/** A folder that is still to be seen; its state if that is known to have changed. */
export interface Ahead {
  readonly folder: AbsolutePath;
  readonly isHidden: boolean;
  /** True if it lies in a repository's folder, as far as is known before it is read. */
  readonly isOfGit: boolean;
  readonly stats: Stats | null;
  readonly part: RegionPart;
}

/** The content of each folder of a region when it was last read. */
export type Memory = Map<AbsolutePath, Remembered>;

/** The kind of a bound that a walk came to. */
export type Bound = Unsearched["bound"]["kind"];

/** Ways to read a folder: off the event loop, at once, and after these failed. */
export interface FolderListing {
  readonly list: ListNames;
  readonly listNow: ListNames;
  readonly listAgain: ListNames;
}

/** Paths to report besides hits: watched ones, and those first seen after `sinceMs`. */
export interface WatchedPaths {
  readonly watch: WatchFilter;
  readonly now: () => number;
  readonly sinceMs: number;
  /** If true, obstacles of the search are overcome, or reported, instead of thrown: see `Look.overcomes`. */
  readonly overcomes: boolean;
  readonly installed: Installed;
}
