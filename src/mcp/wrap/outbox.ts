/** Maximum time in which a reader takes nothing, in milliseconds. */
const STUCK_MS = 30_000;
/** Maximum wait of a line while others are taken, as a multiple of that time. */
const MAX_LAG = 4;
/** Maximum number of bytes that wait before senders have to wait. */
const MAX_WAITING_BYTES = 32 * 1024 ** 2;
/** Maximum number of bytes that wait before the outbox is closed. */
const MAX_TOTAL_BYTES = 64 * 1024 ** 2;
const LINE_OVERHEAD_BYTES = 64;

/** The stream that a reader reads. `done` is called when it has taken the line. */
export interface OutboxInput {
  write(line: string, done: () => void): unknown;
}

/** Lines that wait, in order, for a slow reader. Closes if it reads nothing for too long or falls behind. */
export class Outbox {
  readonly #onStuck: () => void;
  readonly #stuckMs: number;
  #input: OutboxInput | null = null;
  #waiting: string[] = [];
  #bytes = 0;
  /** Numbers of lines that were sent and taken since the start. */
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

  /** Sets the reader. Lines that were sent before go first. */
  open(input: OutboxInput): void {
    this.#input = input;
    void this.#drain();
  }

  close(): void {
    this.#input = null;
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
    if (this.#bytes > MAX_TOTAL_BYTES) this.#fail();
    else void this.#drain();
  }

  /** Waits for room; any number of senders may wait. */
  async untilRoom(): Promise<void> {
    if (this.#bytes > MAX_WAITING_BYTES) await this.#room.promise;
  }

  async #drain(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#watch();
    for (let line = this.#next(); line !== null; line = this.#next()) {
      const timer = setTimeout(() => this.#fail(), this.#stuckMs);
      await new Promise<void>((resolve) => this.#input?.write(line, () => resolve()));
      clearTimeout(timer);
      this.#taken += 1;
      this.#bytes = Math.max(0, this.#bytes - sizeOf(line));
      if (this.#bytes > MAX_WAITING_BYTES) continue;
      this.#room.resolve();
      this.#room = Promise.withResolvers<void>();
    }
    clearTimeout(this.#lag);
    this.#isWriting = false;
  }

  /** Limits the time of the lines that wait now, even if earlier ones are taken meanwhile. */
  #watch(): void {
    const last = this.#sent;
    clearTimeout(this.#lag);
    this.#lag = setTimeout(() => {
      if (this.#taken < last) this.#fail();
      else this.#watch();
    }, MAX_LAG * this.#stuckMs);
  }

  #fail(): void {
    this.close();
    this.#onStuck();
  }

  #next(): string | null {
    return this.#input === null ? null : (this.#waiting.shift() ?? null);
  }
}

function sizeOf(line: string): number {
  return Buffer.byteLength(line) + LINE_OVERHEAD_BYTES;
}
