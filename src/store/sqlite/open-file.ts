import { utimesSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { systemPath } from "../../host/nodes.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { type Connection, connect, type Opening } from "./connection.ts";
import { isBusy, told } from "./failure.ts";
import { fileAt } from "./file.ts";
import type { Statements } from "./statements.ts";

/** How a file is used. */
export interface Use extends Opening {
  /** How long a step waits for its turn, in milliseconds. */
  readonly patienceMs: number;
  /** Called behind each step of this process that changed something. */
  readonly onChange: () => void;
}

/** What a step came to, and until when it is not yet on the disk; null where it changed nothing. */
interface Written<Result> {
  readonly result: Result;
  readonly flushed: Promise<void> | null;
}

/** The longest pause before a step is tried again. Each is of a random length, so that those who wait don't meet again. */
const LONGEST_PAUSE_MS = 8;

/** What was forgotten is in none of the bytes so much later, unless others are at the file just then: then again so much. */
const PUT_AWAY_MS = 5_000;

/**
 * The file of a store, opened by the first step that needs it, and closed by `asyncDispose`. A step that comes later, as the
 * end of a call that was still under way, opens it for itself. Every step throws `STORE_UNAVAILABLE` when it can't be done:
 * then nothing of it is.
 */
export class OpenFile implements AsyncDisposable {
  readonly #use: Use;
  #connection: Connection | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Ends when every step so far that changes something has, or has failed. */
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(use: Use) {
    this.#use = use;
  }

  /** Reads; where there is no file, `nothing` is read, and none is made. */
  read<Result>(nothing: Result, step: (statements: Statements) => Result): Promise<Result> {
    return this.#inTurn(() => (this.#isMissing() ? nothing : this.#open().read(step)));
  }

  /** Changes what there is; where there is no file, that is `nothing`, and none is made. */
  change<Result>(nothing: Result, step: (statements: Statements) => Result): Promise<Result> {
    return this.#written(() => (this.#isMissing() ? { result: nothing, flushed: null } : this.#write(step)));
  }

  /** Changes something, and makes the file where there is none. */
  make<Result>(step: (statements: Statements) => Result): Promise<Result> {
    return this.#written(() => this.#write(step));
  }

  /**
   * True when something may have changed, by another process or in another way, since this was last asked. Throws nothing:
   * what went wrong is told to who reads.
   */
  hasChanged(): boolean {
    try {
      // As long as nobody has read it, everything in it is new.
      if (this.#connection === null) return !this.#isMissing();
      this.#connection.assertInPlace();
      return this.#connection.hasChanged();
    } catch {
      return true;
    }
  }

  /** What was forgotten in a step is overwritten by it in the log; soon that is moved into the file, and the log emptied. */
  forgetSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      if (!this.#isPutAway()) this.forgetSoon();
    }, PUT_AWAY_MS).unref();
  }

  /** Waits for what was begun. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last;
    this.#isOver = true;
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#isPutAway();
    }
    this.#close();
  }

  #isMissing(): boolean {
    return this.#connection === null && fileAt(this.#use.file) === null;
  }

  #open(): Connection {
    if (this.#connection?.isOpen !== true) {
      this.#connection = connect(this.#use);
      // One that was killed may have left what it forgot.
      this.forgetSoon();
    }
    this.#connection.assertInPlace();
    return this.#connection;
  }

  #write<Result>(step: (statements: Statements) => Result): Written<Result> {
    const connection = this.#open();
    const { result, isChange } = connection.write(step);
    return { result, flushed: isChange ? connection.flushed() : null };
  }

  /**
   * One at a time: those of one process that tried at once would keep each other, and all others, from their turn. It is
   * done when it would outlive the machine: what others are told, or a tool runs on, must not be undone.
   */
  async #written<Result>(write: () => Written<Result>): Promise<Result> {
    const { file, onChange } = this.#use;
    const written = this.#last.then(() => this.#inTurn(write));
    this.#last = written.catch(() => undefined);
    const { result, flushed } = await written;
    if (flushed === null) return result;
    ring(file);
    onChange();
    await flushed.catch((cause: unknown) => {
      throw told(file, cause);
    });
    return result;
  }

  /** Tries until it is nobody else's turn. The process goes on meanwhile: SQLite's own wait would hold up all of it. */
  async #inTurn<Result>(step: () => Result): Promise<Result> {
    const { file, patienceMs } = this.#use;
    const until = performance.now() + patienceMs;
    for (let longest = 1; ; longest = Math.min(2 * longest, LONGEST_PAUSE_MS)) {
      try {
        return step();
      } catch (cause) {
        if (!isBusy(cause) || performance.now() > until) throw told(file, cause);
      } finally {
        if (this.#isOver) this.#close();
      }
      await pause(Math.random() * longest);
    }
  }

  #isPutAway(): boolean {
    try {
      return this.#connection?.putAway() ?? true;
    } catch {
      // What keeps it from that is told to whoever needs the file; it goes with the next that is forgotten.
      return true;
    }
  }

  #close(): void {
    const connection = this.#connection;
    this.#connection = null;
    try {
      connection?.[Symbol.dispose]();
    } catch (cause) {
      throw told(this.#use.file, cause);
    }
  }
}

/** Tells other processes, who watch the folder. One that is not told looks again soon. */
function ring(file: AbsolutePath): void {
  const now = new Date();
  try {
    utimesSync(systemPath(file), now, now);
  } catch {
    // The file is gone: the next step says so.
  }
}
