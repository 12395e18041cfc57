import { promisify } from "node:util";
import { inflate } from "node:zlib";

const inflateLater = promisify(inflate);

/** Maximum of bytes unpacked in all: a repository's objects may be compressed so that a few bytes become gigabytes. */
const MAX_BYTES = 128 * 1024 ** 2;

/** The remaining number of bytes that may be unpacked. */
export class UnpackBudget {
  #left: number;

  constructor(bytes = MAX_BYTES) {
    this.#left = bytes;
  }

  /** Throws for more than `max` bytes, or too many in all: each attempt counts, even a failed one. */
  async inflate(packed: Uint8Array, max: number): Promise<Buffer> {
    this.spend(max);
    const bytes = await inflateLater(packed, { maxOutputLength: max });
    this.#left += max - bytes.length;
    return bytes;
  }

  /** Counts bytes made in other ways. Throws if there are too many. */
  spend(bytes: number): void {
    if (bytes > this.#left) throw new RangeError("the unpacked objects are too large");
    this.#left -= bytes;
  }
}
