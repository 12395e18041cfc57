import type { HostMount } from "../../backend/facts.ts";
import type { ExpectedMount } from "../../backend/plan.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { MountWatch } from "./proof.ts";

/** Milliseconds between looks at the mounts while a program runs: a look costs 0.1 ms. */
const LOOK_MS = 250;

/**
 * Checks repeatedly that each mask still hides its path. Saving a file on the host by renaming another over it takes
 * the mask off in every sandbox: that can't be prevented, only noticed.
 */
export class MaskWatch implements Disposable {
  readonly #found = new AbortController();
  readonly #expected: readonly ExpectedMount[];
  readonly #mounts: MountWatch;
  readonly #proven: readonly HostMount[];
  #last: readonly HostMount[];
  readonly #timer: NodeJS.Timeout | null;
  /** Hidden paths that can be read; once seen, they stay in the list. */
  uncovered: readonly AbsolutePath[] = [];

  /** `mounts` was last read when the sandbox was proven. Without `goesOn` it looks only on request. */
  constructor(expected: readonly ExpectedMount[], mounts: MountWatch, goesOn: boolean) {
    this.#expected = expected.filter((mount) => mount.hides);
    this.#mounts = mounts;
    this.#proven = mounts.last;
    this.#last = mounts.last;
    const isNeeded = goesOn && this.#expected.length > 0;
    this.#timer = isNeeded ? setInterval(() => this.look(), LOOK_MS).unref() : null;
  }

  get signal(): AbortSignal {
    return this.#found.signal;
  }

  look(): void {
    this.#mounts.read();
    this.judge();
  }

  judge(): void {
    const now = this.#mounts.last;
    if (now === this.#last) return;
    this.#last = now;
    this.uncovered = uncoveredPoints(this.#expected, this.#proven, now);
    if (this.uncovered.length > 0) {
      this[Symbol.dispose]();
      this.#found.abort();
    }
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }
}

/**
 * The points of mounts that hid something when the sandbox was proven and are gone by now: the kernel takes a mount off
 * if its point is removed on the host, or replaced by a rename (fs/namei.c, `detach_mounts`). One that moved along with
 * a renamed folder still hides its content.
 */
export function uncoveredPoints(
  expected: readonly ExpectedMount[],
  proven: readonly HostMount[],
  now: readonly HostMount[],
): readonly AbsolutePath[] {
  const hiding = new Set(expected.flatMap((mount) => (mount.hides ? [mount.point] : [])));
  const [before, there] = [lastOfEach(proven), lastOfEach(now)];
  const masks = before.filter((mount) => hiding.has(mount.point));
  const [then, left] = [countByKey(before), countByKey(there)];
  const still = new Set(there.map((mount) => `${keyOf(mount)} ${mount.point}`));
  return masks.flatMap((mask) => {
    const isFewer = (left.get(keyOf(mask)) ?? 0) < (then.get(keyOf(mask)) ?? 0);
    return isFewer && !still.has(`${keyOf(mask)} ${mask.point}`) ? [mask.point] : [];
  });
}

/** The visible mount of each point: the last of several. */
function lastOfEach(mounts: readonly HostMount[]): readonly HostMount[] {
  return [...new Map(mounts.map((mount) => [mount.point, mount])).values()];
}

function countByKey(mounts: readonly HostMount[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const mount of mounts) counts.set(keyOf(mount), (counts.get(keyOf(mount)) ?? 0) + 1);
  return counts;
}

/** Each file system made for a call has a device of its own; the files that hide files are all the same one. */
function keyOf({ device, root }: HostMount): string {
  return `${device} ${root}`;
}
