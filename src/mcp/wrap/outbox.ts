/** How long a reader may take none of what it is sent, in milliseconds. */
const STUCK_MS = 30_000;
/** So many characters may wait before whoever sends more has to wait, too. */
const MOST_WAITING = 32 * 1024 ** 2;

/** Where lines wait for a reader that may be slow, in order; one that reads nothing for too long is given up. */
export class Outbox {
  readonly #onStuck: () => void;
  readonly #stuckMs: number;
  #write: ((line: string) => Promise<void>) | null = null;
  #waiting: string[] = [];
  #length = 0;
  #isWriting = false;
  #room = Promise.withResolvers<void>();

  constructor(onStuck: () => void, stuckMs = STUCK_MS) {
    this.#onStuck = onStuck;
    this.#stuckMs = stuckMs;
  }

  /** From now on there is a reader; what was sent before goes first. */
  open(write: (line: string) => Promise<void>): void {
    this.#write = write;
    void this.#drain();
  }

  /** Nothing is sent any more. */
  close(): void {
    this.#write = null;
    this.#waiting = [];
    this.#length = 0;
    this.#room.resolve();
  }

  send(line: string): void {
    this.#waiting.push(line);
    this.#length += line.length;
    void this.#drain();
  }

  /** Until there is room for more. */
  async untilRoom(): Promise<void> {
    if (this.#length <= MOST_WAITING) return;
    this.#room = Promise.withResolvers<void>();
    await this.#room.promise;
  }

  async #drain(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    for (let line = this.#next(); line !== null; line = this.#next()) {
      const timer = setTimeout(this.#onStuck, this.#stuckMs);
      await this.#write?.(line);
      clearTimeout(timer);
      this.#length = Math.max(0, this.#length - line.length);
      if (this.#length <= MOST_WAITING) this.#room.resolve();
    }
    this.#isWriting = false;
  }

  #next(): string | null {
    return this.#write === null ? null : (this.#waiting.shift() ?? null);
  }
}
