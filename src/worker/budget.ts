/** Why a walk ended before its end. */
export type BudgetStop = "time" | "found" | "entries" | null;

const MAX_ENTRIES = 200_000;

/** The budget of a walk through a tree, and which part of it ran out first. */
export class Budget {
  readonly #deadline: number;
  #found: number;
  #entries = MAX_ENTRIES;
  #stopped: BudgetStop = null;

  constructor(maxFound: number, timeMs: number) {
    this.#deadline = performance.now() + timeMs;
    this.#found = maxFound;
  }

  get stopped(): BudgetStop {
    return this.#stopped;
  }

  hasTime(): boolean {
    if (this.#stopped === null && performance.now() > this.#deadline) this.#stopped = "time";
    return this.#stopped === null;
  }

  /** Counts a name; false if it exceeds the maximum. */
  passEntry(): boolean {
    if (this.#entries === 0) this.#stopped ??= "entries";
    this.#entries -= 1;
    return this.hasTime();
  }

  /** Counts a result; false if it exceeds the maximum. */
  takeFound(): boolean {
    if (this.#found === 0) this.#stopped ??= "found";
    this.#found -= 1;
    return this.#stopped === null;
  }
}
