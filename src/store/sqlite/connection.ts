import { openSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { systemPath } from "../../host/nodes.ts";
import { type AbsolutePath, joinPath, nameOf, parentOf } from "../../profile/path.ts";
import { unavailable } from "./failure.ts";
import { ensureFile, type Identity, stillStands } from "./file.ts";
import { Flush, type Sync } from "./flush.ts";
import { loadSqlite } from "./load.ts";
import { migrate, versionIn } from "./migrate.ts";
import { Statements } from "./statements.ts";

/** How a file is opened. */
export interface Opening {
  readonly file: AbsolutePath;
  /** What makes each version from the one before. */
  readonly migrations: readonly string[];
  readonly sync?: Sync;
}

/**
 * `NORMAL` flushes no commit, only what is moved from the log into the file, there through the disk's own cache too: a
 * process that is killed loses nothing by that, and what has to outlive the machine is flushed behind the commit
 * (`Connection.flushed`). Forgotten bytes are overwritten, and what is sorted goes to no file. A log that was long is cut
 * to 4 MiB when it begins anew.
 */
const SETTINGS = `
  PRAGMA synchronous = NORMAL;
  PRAGMA checkpoint_fullfsync = ON;
  PRAGMA secure_delete = ON;
  PRAGMA temp_store = MEMORY;
  PRAGMA trusted_schema = OFF;
  PRAGMA cell_size_check = ON;
  PRAGMA journal_size_limit = ${4 * 1024 * 1024};
`;

/**
 * Opens the file of a store, and makes or migrates it where it must be. Throws `STORE_UNAVAILABLE` for a file that is none
 * of ours, and what SQLite throws, as when another process is at it: then nothing is left open.
 */
export function connect(opening: Opening): Connection {
  const { file } = opening;
  const identity = ensureFile(file);
  const { DatabaseSync } = loadSqlite();
  // Nobody is waited for in here: that would hold up the whole process.
  const database = new DatabaseSync(systemPath(file), {
    timeout: 0,
    enableForeignKeyConstraints: true,
    enableDoubleQuotedStringLiterals: false,
  });
  try {
    return new Connection(database, identity, opening);
  } catch (cause) {
    database.close();
    throw cause;
  }
}

/** An open file of a store. All that it does is done before anything else goes on in this process. */
export class Connection implements Disposable {
  readonly statements: Statements;
  readonly #database: DatabaseSync;
  readonly #file: AbsolutePath;
  readonly #identity: Identity;
  readonly #version: number;
  readonly #flush: Flush;
  readonly #versionNow: StatementSync;
  readonly #changes: StatementSync;
  readonly #commits: StatementSync;
  #seenCommits: unknown;

  constructor(database: DatabaseSync, identity: Identity, { file, migrations, sync }: Opening) {
    this.#database = database;
    this.#file = file;
    this.#identity = identity;
    this.#version = migrations.length;
    const version = versionIn(database, file, migrations.length);
    if (onlyValue(database.prepare("PRAGMA journal_mode = WAL")) !== "wal")
      throw unavailable(file, "lies where processes can't share it", "name one on a disk of this machine");
    database.exec(SETTINGS);
    if (version < migrations.length) migrate(database, file, migrations);
    this.statements = new Statements(database);
    this.#versionNow = database.prepare("PRAGMA user_version");
    this.#changes = database.prepare("SELECT total_changes()");
    this.#commits = database.prepare("PRAGMA data_version");
    this.#seenCommits = onlyValue(this.#commits);
    this.assertInPlace();
    const log = joinPath(parentOf(file), `${nameOf(file)}-wal`);
    // Nothing is locked by that file: to close it again takes no lock away.
    this.#flush = new Flush(openSync(systemPath(log), "r"), sync);
  }

  /** False when it had to be closed, as a step could not be taken back. */
  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  /** Reads at one moment. */
  read<Result>(step: (statements: Statements) => Result): Result {
    return this.#whole("BEGIN", step).result;
  }

  /** Changes something whole or not at all, as the only one who does; says whether anything is changed. */
  write<Result>(step: (statements: Statements) => Result): {
    readonly result: Result;
    readonly isChange: boolean;
  } {
    return this.#whole("BEGIN IMMEDIATE", step);
  }

  /** Until every step so far would outlive the machine. */
  flushed(): Promise<void> {
    return this.#flush.done();
  }

  /** True when another connection changed something since the last look, or since it was opened. */
  hasChanged(): boolean {
    const last = onlyValue(this.#commits);
    const hasChanged = last !== this.#seenCommits;
    this.#seenCommits = last;
    return hasChanged;
  }

  /** Throws `STORE_UNAVAILABLE` when the file is no longer the one that stands at its path. */
  assertInPlace(): void {
    if (stillStands(this.#file, this.#identity)) return;
    throw unavailable(
      this.#file,
      "was replaced or removed while it was open",
      "start this program again: what was asked here stands in the file that was there before",
    );
  }

  /** Moves everything from the log into the file and empties the log; false while others are at it. */
  putAway(): boolean {
    const { busy } = this.#database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? {};
    return busy === 0;
  }

  [Symbol.dispose](): void {
    this.#flush[Symbol.dispose]();
    if (this.#database.isOpen) this.#database.close();
  }

  #whole<Result>(
    begin: "BEGIN" | "BEGIN IMMEDIATE",
    step: (statements: Statements) => Result,
  ): { readonly result: Result; readonly isChange: boolean } {
    this.#database.exec(begin);
    try {
      this.#assertVersion();
      const before = onlyValue(this.#changes);
      const result = step(this.statements);
      const isChange = onlyValue(this.#changes) !== before;
      this.#database.exec("COMMIT");
      return { result, isChange };
    } catch (cause) {
      this.#takeBack();
      throw cause;
    }
  }

  /** A newer program may have made something else of the file meanwhile. */
  #assertVersion(): void {
    const version = onlyValue(this.#versionNow);
    if (version === this.#version) return;
    throw unavailable(
      this.#file,
      `was made one of version ${String(version)} meanwhile`,
      "start this program again",
    );
  }

  /** SQLite takes a step back by itself where a disk is full or fails (https://www.sqlite.org/lang_transaction.html). */
  #takeBack(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
    } catch {
      // What can't be taken back goes with the connection; the next step opens another.
      this[Symbol.dispose]();
    }
  }
}

/** What a statement says that answers with one value. */
function onlyValue(statement: StatementSync): unknown {
  return Object.values(statement.get() ?? {})[0];
}
