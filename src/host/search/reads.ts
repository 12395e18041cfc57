import type { AbsolutePath } from "../../profile/path.ts";

/** The reads of one walk. */
export class Reads {
  readonly #pending = new Set<AbsolutePath>();
  #ended = 0;

  /** How many have ended. */
  get ended(): number {
    return this.#ended;
  }

  /** The folder that was asked first of those that have not answered yet; null where all have. */
  get oldest(): AbsolutePath | null {
    return this.#pending.values().next().value ?? null;
  }

  /** Notes a read until it ends. */
  async of<Value>(folder: AbsolutePath, read: Promise<Value>): Promise<Value> {
    this.#pending.add(folder);
    try {
      return await read;
    } finally {
      this.#pending.delete(folder);
      this.#ended += 1;
    }
  }
}
