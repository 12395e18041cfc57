import type { HostMount } from "../backend/facts.ts";
import type { ExpectedMount } from "../backend/plan.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { MountWatch } from "./proof.ts";

/** How often the mounts are looked at while a program runs, in milliseconds: a look costs 0.1 ms. */
const LOOK_MS = 250;

/**
 * Looks again and again whether what hides something still does. Who saves a file on the host by renaming another over
 * it takes the mask off in every sandbox: it can't be held on to, only noticed.
 */
export class MaskWatch implements Disposable {
  readonly #found = new AbortController();
  readonly #expected: readonly ExpectedMount[];
  readonly #mounts: MountWatch;
  readonly #proven: readonly HostMount[];
  #last: readonly HostMount[];
  readonly #timer: NodeJS.Timeout | null;
  /** Where something that is to be hidden can be read; what was seen once stays. */
  uncovered: readonly AbsolutePath[] = [];

  /** `mounts` was last read when the walls were proven. Without `goesOn` it looks only when it is asked to. */
  constructor(expected: readonly ExpectedMount[], mounts: MountWatch, goesOn: boolean) {
    this.#expected = expected.filter((mount) => mount.hides);
    this.#mounts = mounts;
    this.#proven = mounts.last;
    this.#last = mounts.last;
    const isNeeded = goesOn && this.#expected.length > 0;
    this.#timer = isNeeded ? setInterval(() => this.look(), LOOK_MS).unref() : null;
  }

  /** Aborted as soon as something is seen to be uncovered. */
  get signal(): AbortSignal {
    return this.#found.signal;
  }

  /** Looks now. */
  look(): void {
    this.#mounts.read();
    this.judge();
  }

  /** Judges the mounts as they were last read. */
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
 * The points of mounts that hid something when the walls were proven and are gone by now: the kernel takes a mount off
 * when whoever is outside removes what it stands on, or renames another over it (fs/namei.c, `detach_mounts`). One that
 * moved along with a folder that was renamed still hides what it hid.
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

/** Of several mounts on one point the last is the one that is seen. */
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
