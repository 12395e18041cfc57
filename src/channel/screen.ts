/**
 * The owner of the person's terminal: none, the pending request, or the program that borrowed it. Other output waits
 * until no request is shown. A request waits until no program has the terminal.
 */
export class TerminalScreen {
  #free: PromiseWithResolvers<void> | null = null;
  #back: PromiseWithResolvers<void> | null = null;

  /** Marks a request as shown. */
  take(): void {
    this.#free ??= Promise.withResolvers<void>();
  }

  /** Marks the last request as removed. */
  release(): void {
    this.#free?.resolve();
    this.#free = null;
  }

  /** Resolves when no request is shown. */
  async free(): Promise<void> {
    while (this.#free !== null) await this.#free.promise;
  }

  /**
   * Lends the terminal to a program once no request and no other program has it. No request is shown until the loan is
   * closed.
   */
  async lend(): Promise<Disposable & { close(): void }> {
    while (this.#free !== null || this.#back !== null) await Promise.all([this.free(), this.back()]);
    const lent = Promise.withResolvers<void>();
    this.#back = lent;
    const close = (): void => {
      if (this.#back === lent) this.#back = null;
      lent.resolve();
    };
    return { close, [Symbol.dispose]: close };
  }

  /** True while a program has the terminal. */
  get isLent(): boolean {
    return this.#back !== null;
  }

  /** Resolves when no program has the terminal. */
  async back(): Promise<void> {
    while (this.#back !== null) await this.#back.promise;
  }
}
