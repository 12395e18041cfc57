import { MemoryStore } from "../../../src/store/memory.ts";

/** Lets other work have this number of turns of the event loop. */
export const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
};

/** A store whose steps wait before and after their work: each for the next number of turns in `delays`. */
export class SlowStore extends MemoryStore {
  override readonly outlivesProcess: boolean;
  readonly #delays: readonly number[];
  #steps = 0;

  constructor(delays: readonly number[], { now = Date.now, outlivesProcess = false } = {}) {
    super({ now });
    this.outlivesProcess = outlivesProcess;
    this.#delays = delays;
  }

  override add(...given: Parameters<MemoryStore["add"]>) {
    return this.#slowly(() => super.add(...given));
  }

  override find(...given: Parameters<MemoryStore["find"]>) {
    return this.#slowly(() => super.find(...given));
  }

  override resolve(...given: Parameters<MemoryStore["resolve"]>) {
    return this.#slowly(() => super.resolve(...given));
  }

  override append(...given: Parameters<MemoryStore["append"]>) {
    return this.#slowly(() => super.append(...given));
  }

  override eventsAfter(...given: Parameters<MemoryStore["eventsAfter"]>) {
    return this.#slowly(() => super.eventsAfter(...given));
  }

  async #slowly<Result>(step: () => Promise<Result>): Promise<Result> {
    this.#steps += 1;
    const delay = this.#delays[this.#steps % this.#delays.length] ?? 0;
    await turns(delay);
    const result = await step();
    await turns(delay);
    return result;
  }
}
