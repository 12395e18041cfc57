import type { Stats } from "node:fs";
import type { Unsearched } from "../../backend/facts.ts";
import type { Region } from "../../backend/search-regions.ts";
import { everywhere, type MaskFinder } from "../../profile/mask-index.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { Mask } from "../../profile/profile.ts";
import type { Remembered, Watch } from "./folder.ts";
import type { Installed } from "./installed.ts";
import { folderFinder, type Tails, tailsOf } from "./linked.ts";
import type { ListNames } from "./list.ts";
import type { Part } from "./parts.ts";

/** A region, compiled; `findLasting` is for what lies below a hidden folder, null where no mask speaks of that. */
export interface Searchable {
  readonly start: AbsolutePath;
  readonly key: string;
  readonly find: MaskFinder;
  readonly findLasting: MaskFinder | null;
  /** What is looked for behind links that stand for folders, and what finds these. */
  readonly tails: Tails;
  readonly findFolder: MaskFinder;
}

/** How masks are made into what finds what they cover: `maskIndex`, or as a machine's disk compares names. */
export type MaskIndex = (masks: readonly Mask[]) => MaskFinder;

/** Compiles what is looked for in a region. */
export function searchable({ start, key, masks: given }: Region, index: MaskIndex): Searchable {
  // What hosts execute is known in dependency and build trees as well: it is only not mounted over there.
  const masks = given.map(everywhere);
  const lasting = masks.filter((mask) => mask.atMost === "read");
  const findLasting = lasting.length === 0 ? null : index(lasting);
  const links = { tails: tailsOf(masks), findFolder: folderFinder(masks, index) };
  return { start, key, find: index(masks), findLasting, ...links };
}

/** A folder that is still to be seen; its state where that is known to have changed. */
export interface Ahead {
  readonly folder: AbsolutePath;
  readonly isHidden: boolean;
  /** It lies in a repository's folder, as far as is known before it is read. */
  readonly isOfGit: boolean;
  readonly stats: Stats | null;
  readonly part: Part;
}

/** What each folder of a region held when it was last read. */
export type Memory = Map<AbsolutePath, Remembered>;

/** Which bound a walk came to. */
export type Bound = Unsearched["bound"]["kind"];

/** Ways to read a folder: off the event loop, at once, and where these failed. */
export interface Lists {
  readonly list: ListNames;
  readonly listNow: ListNames;
  readonly listAgain: ListNames;
}

/** What is told besides hits: paths that are watched for, those that were first seen after `sinceMs`. */
export interface Watching {
  readonly watch: Watch;
  readonly now: () => number;
  readonly sinceMs: number;
  /** What keeps the rest from being found is overcome, or told, instead of thrown: see `Look.overcomes`. */
  readonly overcomes: boolean;
  readonly installed: Installed;
}
