/** Choices that follow from a seed alone (mulberry32), for what is too large to be an arbitrary of its own. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to, and without, the limit. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** True one time in so many. */
  isLucky(times: number): boolean {
    return this.below(times) === 0;
  }

  /** At most so many of them, in their order; each as likely as any other. */
  some<One>(all: readonly One[], max: number): readonly One[] {
    let wanted = Math.min(max, all.length);
    return all.filter((_, at) => {
      const isTaken = this.below(all.length - at) < wanted;
      if (isTaken) wanted -= 1;
      return isTaken;
    });
  }
}
