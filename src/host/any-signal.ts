/**
 * One signal for several: aborted with the reason of the first. It listens to each until disposal. `AbortSignal.any`
 * may lose a timeout that is over before the first listener is added, and keeps composites of composites alive (Node
 * 24.21, lib/internal/abort_controller.js: `refreshCompositeSignal`, `gcPersistentSignals`).
 */
export class AnySignal implements Disposable {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];

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
