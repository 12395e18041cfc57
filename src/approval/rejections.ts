import { RecentMap } from "../host/recent-map.ts";

/** So many times the same is answered no before nobody is asked about it any more. */
const ENOUGH = 3;
/** So many different questions are counted; the one that was answered longest ago is forgotten first. */
const MOST_COUNTED = 1_000;

/** Counts how often a session's questions were answered no, so that nobody is worn down by the same one. */
export class Rejections {
  /** Of each cache key, the requests that were answered no. */
  readonly #rejected = new RecentMap<string, ReadonlySet<string>>(MOST_COUNTED);

  /** Counts a request's no to what has this cache key; the same no is read any number of times, and counts once. */
  add(cacheKey: string, approvalId: string): void {
    const before = this.#rejected.get(cacheKey) ?? new Set();
    this.#rejected.set(cacheKey, before.size < ENOUGH ? new Set([...before, approvalId]) : before);
  }

  /** True when the same was answered no often enough. */
  isEnough(cacheKey: string): boolean {
    return (this.#rejected.get(cacheKey)?.size ?? 0) >= ENOUGH;
  }
}
