import { openSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { systemPath } from "../../host/look/nodes.ts";
import { type AbsolutePath, joinPath, nameOf, parentOf } from "../../profile/path.ts";
import { unavailable } from "./failure.ts";
import { ensureFile, type Identity, stillStands } from "./file.ts";
import { Flush, type Sync } from "./flush.ts";
import { loadSqlite } from "./load.ts";
import { migrate, versionIn } from "./migrate.ts";
import { SqliteStatements } from "./statements.ts";

/** Settings to open a file with. */
export interface Opening {
  readonly file: AbsolutePath;
  readonly migrations: readonly string[];
  readonly sync?: Sync;
}

/**
 * `NORMAL` flushes no commit, only data moved from the log into the file, there through the disk's own cache too. A
 * killed process loses nothing by that; `Connection.flushed` makes data outlive the machine. Forgotten bytes are
 * overwritten, and sorting uses no file. A long log is cut to 4 MiB when it begins again.
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
 * Opens a store's file; creates or migrates it if needed. Throws `STORE_UNAVAILABLE` for a foreign file, and SQLite's
 * errors.
 */
export function connect(opening: Opening): SqliteConnection {
  const { file } = opening;
  const identity = ensureFile(file);
  const { DatabaseSync } = loadSqlite();
  // No waiting in here: it would hold up the whole process.
  const database = new DatabaseSync(systemPath(file), {
    timeout: 0,
    enableForeignKeyConstraints: true,
    enableDoubleQuotedStringLiterals: false,
  });
  try {
    return new SqliteConnection(database, identity, opening);
  } catch (cause) {
    database.close();
    throw cause;
  }
}

/** An open file of a store. All of its work is synchronous. */
export class SqliteConnection implements Disposable {
  readonly statements: SqliteStatements;
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
      throw unavailable(file, "is on a disk where processes can't share it", "name a file on a local disk");
    database.exec(SETTINGS);
    if (version < migrations.length) migrate(database, file, migrations);
    this.statements = new SqliteStatements(database);
    this.#versionNow = database.prepare("PRAGMA user_version");
    this.#changes = database.prepare("SELECT total_changes()");
    this.#commits = database.prepare("PRAGMA data_version");
    this.#seenCommits = onlyValue(this.#commits);
    this.assertInPlace();
    const log = joinPath(parentOf(file), `${nameOf(file)}-wal`);
    // Nothing is locked by that file: closing it releases no lock.
    this.#flush = new Flush(openSync(systemPath(log), "r"), sync);
  }

  /** False if it had to be closed, as a step could not be rolled back. */
  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  read<Result>(step: (statements: SqliteStatements) => Result): Result {
    return this.#whole("BEGIN", step).result;
  }

  /** Changes something whole or not at all, as the only writer; says whether anything changed. */
  write<Result>(step: (statements: SqliteStatements) => Result): {
    readonly result: Result;
    readonly isChange: boolean;
  } {
    return this.#whole("BEGIN IMMEDIATE", step);
  }

  /** Resolves when every step so far would outlive the machine. */
  flushed(): Promise<void> {
    return this.#flush.done();
  }

  /** True if another connection changed something since the last look, or since the opening. */
  hasChanged(): boolean {
    const last = onlyValue(this.#commits);
    const hasChanged = last !== this.#seenCommits;
    this.#seenCommits = last;
    return hasChanged;
  }

  /** Throws `STORE_UNAVAILABLE` if the file is no longer the one at its path. */
  assertInPlace(): void {
    if (stillStands(this.#file, this.#identity)) return;
    throw unavailable(
      this.#file,
      "was replaced or removed while it was open",
      "restart this program: its requests are in the previous file",
    );
  }

  /** Moves everything from the log into the file and empties the log; false while others use it. */
  checkpoint(): boolean {
    const { busy } = this.#database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? {};
    return busy === 0;
  }

  [Symbol.dispose](): void {
    this.#flush[Symbol.dispose]();
    if (this.#database.isOpen) this.#database.close();
  }

  #whole<Result>(
    begin: "BEGIN" | "BEGIN IMMEDIATE",
    step: (statements: SqliteStatements) => Result,
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

  /** A newer program may have migrated the file meanwhile. */
  #assertVersion(): void {
    const version = onlyValue(this.#versionNow);
    if (version === this.#version) return;
    throw unavailable(
      this.#file,
      `was upgraded to version ${String(version)} while it was open`,
      "restart this program",
    );
  }

  /** SQLite itself rolls a step back if a disk is full or fails (https://www.sqlite.org/lang_transaction.html). */
  #takeBack(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
    } catch {
      // A step that can't be rolled back ends with the connection; the next step opens another.
      this[Symbol.dispose]();
    }
  }
}

function onlyValue(statement: StatementSync): unknown {
  return Object.values(statement.get() ?? {})[0];
}
