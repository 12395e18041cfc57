import type { AbsolutePath } from "../../../profile/path.ts";

/** The reads of one walk. */
export class Reads {
  readonly #pending = new Set<AbsolutePath>();
  #ended = 0;

  get ended(): number {
    return this.#ended;
  }

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
