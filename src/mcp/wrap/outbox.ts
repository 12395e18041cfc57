/** How long a reader may take none of what it is sent, in milliseconds. */
const STUCK_MS = 30_000;
/** So many of these times a line may wait behind others that are taken. */
const MOST_LAG = 4;
/** So many bytes may wait before whoever sends more has to wait, too. */
const MOST_WAITING = 32 * 1024 ** 2;
/** A reader behind whom more waits is given up. */
const MOST_EVER = 64 * 1024 ** 2;
/** What a line takes besides its own bytes. */
const OF_A_LINE = 64;

/**
 * Where lines wait for a reader that may be slow, in order. One that reads nothing for too long is given up, and so is one that
 * reads so little that it falls ever further behind.
 */
export class Outbox {
  readonly #onStuck: () => void;
  readonly #stuckMs: number;
  #write: ((line: string) => Promise<void>) | null = null;
  #waiting: string[] = [];
  #bytes = 0;
  /** How many lines were ever sent, and taken. */
  #sent = 0;
  #taken = 0;
  #isWriting = false;
  #isClosed = false;
  #lag: NodeJS.Timeout | undefined;
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
    this.#bytes = 0;
    this.#isClosed = true;
    clearTimeout(this.#lag);
    this.#room.resolve();
  }

  send(line: string): void {
    if (this.#isClosed) return;
    this.#waiting.push(line);
    this.#bytes += sizeOf(line);
    this.#sent += 1;
    if (this.#bytes > MOST_EVER) this.#giveUp();
    else void this.#drain();
  }

  /** Until there is room for more; for however many wait. */
  async untilRoom(): Promise<void> {
    if (this.#bytes > MOST_WAITING) await this.#room.promise;
  }

  async #drain(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#watch();
    for (let line = this.#next(); line !== null; line = this.#next()) {
      const timer = setTimeout(() => this.#giveUp(), this.#stuckMs);
      await this.#write?.(line);
      clearTimeout(timer);
      this.#taken += 1;
      this.#bytes = Math.max(0, this.#bytes - sizeOf(line));
      if (this.#bytes <= MOST_WAITING) this.#makeRoom();
    }
    clearTimeout(this.#lag);
    this.#isWriting = false;
  }

  /** What waits now has to be taken by and by, whatever is taken before it. */
  #watch(): void {
    const last = this.#sent;
    clearTimeout(this.#lag);
    this.#lag = setTimeout(() => {
      if (this.#taken < last) this.#giveUp();
      else this.#watch();
    }, MOST_LAG * this.#stuckMs);
  }

  #giveUp(): void {
    this.close();
    this.#onStuck();
  }

  #makeRoom(): void {
    this.#room.resolve();
    this.#room = Promise.withResolvers<void>();
  }

  #next(): string | null {
    return this.#write === null ? null : (this.#waiting.shift() ?? null);
  }
}

function sizeOf(line: string): number {
  return Buffer.byteLength(line) + OF_A_LINE;
}
