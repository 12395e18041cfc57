/** Why a walk ended before its end. */
export type Stopped = "time" | "found" | "entries" | null;

const MOST_ENTRIES = 200_000;

/** What a walk through a tree may use up, and which of it was used up first. */
export class Budget {
  readonly #deadline: number;
  #found: number;
  #entries = MOST_ENTRIES;
  #stopped: Stopped = null;

  constructor(mostFound: number, timeMs: number) {
    this.#deadline = performance.now() + timeMs;
    this.#found = mostFound;
  }

  get stopped(): Stopped {
    return this.#stopped;
  }

  /** True while there is time. */
  hasTime(): boolean {
    if (this.#stopped === null && performance.now() > this.#deadline) this.#stopped = "time";
    return this.#stopped === null;
  }

  /** Counts a name that is come by; false when there may be no more of them. */
  passEntry(): boolean {
    if (this.#entries === 0) this.#stopped ??= "entries";
    this.#entries -= 1;
    return this.hasTime();
  }

  /** Counts what was found; false when it is one too many. */
  takeFound(): boolean {
    if (this.#found === 0) this.#stopped ??= "found";
    this.#found -= 1;
    return this.#stopped === null;
  }
}
