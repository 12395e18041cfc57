import { promisify } from "node:util";
import { inflate } from "node:zlib";

const inflateLater = promisify(inflate);

/** What was made in a repository may be so compressed that a few bytes stand for gigabytes: no more than this is unpacked in all. */
const MAX_BYTES = 128 * 1024 ** 2;

/** How much may still be unpacked. */
export class UnpackBudget {
  #left: number;

  constructor(bytes = MAX_BYTES) {
    this.#left = bytes;
  }

  /** Throws where there would be more than `most` bytes, or too many in all: each attempt counts, whatever comes of it. */
  async inflate(packed: Uint8Array, most: number): Promise<Buffer> {
    this.spend(most);
    const bytes = await inflateLater(packed, { maxOutputLength: most });
    this.#left += most - bytes.length;
    return bytes;
  }

  /** Counts bytes that are made otherwise. Throws where they are too many. */
  spend(bytes: number): void {
    if (bytes > this.#left) throw new RangeError("too much was unpacked");
    this.#left -= bytes;
  }
}
