/**
 * Whose the person's terminal is: nobody's, while a question stands there the question's, or a program's that it was lent
 * to. What else is written there waits until no question is up; a question waits until the terminal is no program's.
 */
export class Screen {
  #free: PromiseWithResolvers<void> | null = null;
  #back: PromiseWithResolvers<void> | null = null;

  /** A question is put up. */
  take(): void {
    this.#free ??= Promise.withResolvers<void>();
  }

  /** The last question has been put away. */
  release(): void {
    this.#free?.resolve();
    this.#free = null;
  }

  /** Resolves when no question is up. */
  async free(): Promise<void> {
    while (this.#free !== null) await this.#free.promise;
  }

  /**
   * Lends the terminal to a program, as soon as no question is up and no other has it: until that is disposed of, no
   * question is put there.
   */
  async lend(): Promise<Disposable> {
    while (this.#free !== null || this.#back !== null) await Promise.all([this.free(), this.back()]);
    const lent = Promise.withResolvers<void>();
    this.#back = lent;
    return {
      [Symbol.dispose]: () => {
        if (this.#back === lent) this.#back = null;
        lent.resolve();
      },
    };
  }

  /** Whether a program has the terminal. */
  get isLent(): boolean {
    return this.#back !== null;
  }

  /** Resolves when no program has the terminal. */
  async back(): Promise<void> {
    while (this.#back !== null) await this.#back.promise;
  }
}
