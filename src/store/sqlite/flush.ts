import { closeSync, fdatasync } from "node:fs";

/** Flushes a file's data to its disk. */
export type Sync = (fd: number) => Promise<void>;

/**
 * Flushes one file after the steps that wrote to it, in Node's thread pool: neither the event loop nor another
 * process's step waits for the disk, and steps that end meanwhile share the next flush. On macOS Node flushes the
 * disk's own cache too (libuv's `uv__fs_fsync`).
 */
export class Flush implements Disposable {
  readonly #fd: number;
  readonly #sync: Sync;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #isOver = false;

  constructor(fd: number, sync: Sync = synced) {
    this.#fd = fd;
    this.#sync = sync;
  }

  /** Resolves when everything written so far is on the disk. Rejects with node's errors. */
  done(): Promise<void> {
    // The current flush may have begun before the last write.
    this.#next ??= this.#after(this.#running);
    return this.#next;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    if (this.#running === null && this.#next === null) closeSync(this.#fd);
  }

  async #after(before: Promise<void> | null): Promise<void> {
    await before?.catch(() => undefined);
    this.#running = this.#next;
    this.#next = null;
    try {
      await this.#sync(this.#fd);
    } finally {
      this.#running = null;
      if (this.#isOver && this.#next === null) closeSync(this.#fd);
    }
  }
}

function synced(fd: number): Promise<void> {
  return new Promise((resolve, reject) =>
    fdatasync(fd, (cause) => (cause === null ? resolve() : reject(cause))),
  );
}
