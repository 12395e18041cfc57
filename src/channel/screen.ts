/** Whether a question stands on the person's terminal. What else is written there waits until none does. */
export class Screen {
  #free: PromiseWithResolvers<void> | null = null;

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
}
