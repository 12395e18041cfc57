import { closeSync, fdatasync } from "node:fs";

/** Brings what was written to a file onto its disk. */
export type Sync = (fd: number) => Promise<void>;

/**
 * Flushes one file behind the steps that were written to it, in Node's thread pool: neither the event loop nor another
 * process's step waits for the disk, and steps that end meanwhile share the next flush. On macOS Node asks the disk for its
 * own cache too (libuv's `uv__fs_fsync`).
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

  /** Until all that was written so far is on the disk. Rejects with node's errors. */
  done(): Promise<void> {
    // What runs may have begun before the last write.
    this.#next ??= this.#after(this.#running);
    return this.#next;
  }

  /** Closes the file behind the last flush. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    if (this.#running === null && this.#next === null) closeSync(this.#fd);
  }

  async #after(before: Promise<void> | null): Promise<void> {
    // Those who wait for it are told what went wrong with it.
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
