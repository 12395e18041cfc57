import { utimesSync } from "node:fs";
import { systemPath } from "../../host/look/nodes.ts";
import { orNull } from "../../host/or-null.ts";
import { pause } from "../../host/pause.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { connect, type Opening, type SqliteConnection } from "./connection.ts";
import { isBusy, storeError } from "./failure.ts";
import { fileAt } from "./file.ts";
import type { SqliteStatements } from "./statements.ts";

/** Settings of a file's use. */
export interface FileUsage extends Opening {
  /** How long a step waits for its turn, in milliseconds. */
  readonly patienceMs: number;
  readonly onChange: () => void;
}

/** The result of a step, and the flush it waits for; null if it changed nothing. */
interface Written<Result> {
  readonly result: Result;
  readonly flushed: Promise<void> | null;
}

/** Maximum of the pause before a step is tried again. Pauses are random, so that processes don't collide again. */
const LONGEST_PAUSE_MS = 8;

/** The delay until forgotten data is in none of the bytes, in milliseconds; repeated while others use the file. */
const PUT_AWAY_MS = 5_000;

/**
 * The file of a store, opened by the first step that needs it, also after `asyncDispose`. Every step throws
 * `STORE_UNAVAILABLE` if it can't be done: then nothing of it is.
 */
export class OpenFile implements AsyncDisposable {
  readonly #use: FileUsage;
  #connection: SqliteConnection | null = null;
  #timer: NodeJS.Timeout | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(use: FileUsage) {
    this.#use = use;
  }

  /** Reads; returns `nothing` if there is no file, and creates none. */
  read<Result>(nothing: Result, step: (statements: SqliteStatements) => Result): Promise<Result> {
    return this.#inTurn(() => (this.#isMissing() ? nothing : this.#open().read(step)));
  }

  change<Result>(nothing: Result, step: (statements: SqliteStatements) => Result): Promise<Result> {
    return this.#written(() => (this.#isMissing() ? { result: nothing, flushed: null } : this.#write(step)));
  }

  /** Changes data, and creates the file if missing. */
  make<Result>(step: (statements: SqliteStatements) => Result): Promise<Result> {
    return this.#written(() => this.#write(step));
  }

  /** True if anything may have changed since the last call. Throws nothing: reads report the errors. */
  hasChanged(): boolean {
    try {
      // Until it was read, everything in it is new.
      if (this.#connection === null) return !this.#isMissing();
      this.#connection.assertInPlace();
      return this.#connection.hasChanged();
    } catch {
      return true;
    }
  }

  /** A step overwrites forgotten data in the log; soon that is moved into the file, and the log emptied. */
  forgetSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      if (!this.#isPutAway()) this.forgetSoon();
    }, PUT_AWAY_MS).unref();
  }

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

  #open(): SqliteConnection {
    if (this.#connection?.isOpen !== true) {
      this.#connection = connect(this.#use);
      // A process that was killed may have left forgotten data.
      this.forgetSoon();
    }
    this.#connection.assertInPlace();
    return this.#connection;
  }

  #write<Result>(step: (statements: SqliteStatements) => Result): Written<Result> {
    const connection = this.#open();
    const { result, isChange } = connection.write(step);
    return { result, flushed: isChange ? connection.flushed() : null };
  }

  /**
   * One at a time, so that steps of one process don't block each other, and all others. Done when it would outlive the
   * machine: a step that others know of must not be undone.
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
      throw storeError(file, cause);
    });
    return result;
  }

  /** Tries until the file is free. The process goes on meanwhile: SQLite's own wait would hold up all of it. */
  async #inTurn<Result>(step: () => Result): Promise<Result> {
    const { file, patienceMs } = this.#use;
    const until = performance.now() + patienceMs;
    for (let longest = 1; ; longest = Math.min(2 * longest, LONGEST_PAUSE_MS)) {
      try {
        return step();
      } catch (cause) {
        if (!isBusy(cause) || performance.now() > until) throw storeError(file, cause);
      } finally {
        if (this.#isOver) this.#close();
      }
      await pause(Math.random() * longest);
    }
  }

  #isPutAway(): boolean {
    // The next user of the file gets the error; the data is removed with the next that is forgotten.
    return orNull(() => this.#connection?.checkpoint() ?? true) ?? true;
  }

  #close(): void {
    const connection = this.#connection;
    this.#connection = null;
    try {
      connection?.[Symbol.dispose]();
    } catch (cause) {
      throw storeError(this.#use.file, cause);
    }
  }
}

/** Notifies other processes, which watch the folder. A process that is not notified looks again soon. */
function ring(file: AbsolutePath): void {
  const now = new Date();
  try {
    utimesSync(systemPath(file), now, now);
  } catch {
    // The file is gone: the next step reports it.
  }
}
