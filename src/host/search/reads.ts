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

  begin(folder: AbsolutePath): void {
    this.#pending.add(folder);
  }

  end(folder: AbsolutePath): void {
    this.#pending.delete(folder);
    this.#ended += 1;
  }
}
