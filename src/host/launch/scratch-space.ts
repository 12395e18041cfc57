import { closeSync, constants, openSync, statfsSync } from "node:fs";
import { orNull } from "../or-null.ts";
import type { ProcessId } from "./process-id.ts";

/** A bounded place of a sandbox's own, and its fill level when the program had ended. */
export interface SpaceLeft {
  readonly place: "/tmp" | "/dev/shm";
  readonly totalBytes: number;
  readonly freeBytes: number;
}

const PLACES = ["/tmp", "/dev/shm"] as const;
/** open(2): nothing of a folder is read, it is only held. Node lacks this flag alone. */
const O_PATH = 0o10_000_000;

/**
 * Holds the scratch space of a sandbox, so that its fill level can be read after every process in it has ended. Made
 * before the program starts: until then nothing but the sandbox's own mounts can be there.
 */
export class ScratchSpace implements Disposable {
  readonly #held: readonly { readonly place: SpaceLeft["place"]; readonly fd: number }[];

  constructor({ pid }: ProcessId) {
    this.#held = PLACES.flatMap((place) => {
      const fd = openPlace(`/proc/${pid}/root${place}`);
      return fd === null ? [] : [{ place, fd }];
    });
  }

  /** The fill level of each place; unreadable ones are left out. */
  left(): readonly SpaceLeft[] {
    return this.#held.flatMap(({ place, fd }) => {
      try {
        const { bsize, blocks, bavail } = statfsSync(`/proc/self/fd/${fd}`);
        return [{ place, totalBytes: blocks * bsize, freeBytes: bavail * bsize }];
      } catch {
        return [];
      }
    });
  }

  [Symbol.dispose](): void {
    for (const { fd } of this.#held) closeSync(fd);
  }
}

function openPlace(path: string): number | null {
  return orNull(() => openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW));
}
