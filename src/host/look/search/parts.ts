import { type AbsolutePath, parentOf } from "../../../profile/path.ts";

/** The start of a region, or a folder right in it, and how many names were seen in it, however deep. */
export interface RegionPart {
  readonly path: AbsolutePath;
  entries: number;
}

/** Counts where the names of a region lie. */
export class Parts {
  readonly start: RegionPart;
  readonly #others: RegionPart[] = [];

  constructor(start: AbsolutePath) {
    this.start = { path: start, entries: 0 };
  }

  /** The part that a folder lies in, or is; `above` is that of the folder that it lies in. */
  of(folder: AbsolutePath, above: RegionPart): RegionPart {
    if (parentOf(folder) !== this.start.path) return above;
    const part: RegionPart = { path: folder, entries: 0 };
    this.#others.push(part);
    return part;
  }

  /** The folder right in the region that holds more than half of the names seen; null if none does. */
  get fullest(): RegionPart | null {
    const all = this.#others.reduce((sum, { entries }) => sum + entries, this.start.entries);
    return this.#others.find(({ entries }) => entries > all / 2) ?? null;
  }
}
