/**
 * One signal for several: aborted with the reason of the first that is. From now on until disposal it listens to each.
 * `AbortSignal.any` keeps its sources weakly and looks at them when somebody first listens: a timeout that is over by then
 * may be collected, and is never heard of. It also keeps every composite of a timeout alive that is in another composite
 * (Node 24.21, lib/internal/abort_controller.js: `refreshCompositeSignal`, `gcPersistentSignals`).
 */
export class AnySignal implements Disposable {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];

  /** What is missing is never aborted. */
  constructor(...sources: readonly (AbortSignal | null | undefined)[]) {
    this.#sources = sources.filter((one) => one !== null && one !== undefined);
    for (const source of this.#sources) {
      source.addEventListener("abort", this.#follow, { once: true });
      if (source.aborted) this.#follow();
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    for (const source of this.#sources) source.removeEventListener("abort", this.#follow);
  }

  readonly #follow = (): void => {
    const first = this.#sources.find(({ aborted }) => aborted);
    this.#controller.abort(first?.reason);
    this[Symbol.dispose]();
  };
}
