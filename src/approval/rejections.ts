/** So many times the same is answered no before nobody is asked about it any more. */
const ENOUGH = 3;
/** So many different questions are counted; the oldest is forgotten first. */
const MOST_COUNTED = 1_000;

/** Counts how often a session's questions were answered no, so that nobody is worn down by the same one. */
export class Rejections {
  readonly #counts = new Map<string, number>();

  /** Counts one no to what has this cache key. */
  add(cacheKey: string): void {
    const count = (this.#counts.get(cacheKey) ?? 0) + 1;
    this.#counts.delete(cacheKey);
    this.#counts.set(cacheKey, count);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MOST_COUNTED && oldest !== undefined) this.#counts.delete(oldest);
  }

  /** True when the same was answered no often enough. */
  isEnough(cacheKey: string): boolean {
    return (this.#counts.get(cacheKey) ?? 0) >= ENOUGH;
  }
}
