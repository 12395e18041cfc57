import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { AbsolutePath } from "../../profile/path.ts";
import { unavailable } from "./failure.ts";

/** The application id of our files: `cofd` (https://www.sqlite.org/pragma.html#pragma_application_id). */
const OURS = 0x636f6664;

const Header = z.strictObject({ version: z.int(), program: z.int(), tables: z.int() });

/** The store version of a file; 0 for an empty one. Throws `STORE_UNAVAILABLE` for any other database. */
export function versionIn(database: DatabaseSync, file: AbsolutePath, newest: number): number {
  // In one statement: another process may be creating the file.
  const { version, program, tables } = Header.parse({
    ...database
      .prepare(
        `SELECT user_version AS version, application_id AS program, (SELECT count(*) FROM sqlite_schema) AS tables
         FROM pragma_user_version, pragma_application_id`,
      )
      .get(),
  });
  const isEmpty = version === 0 && program === 0 && tables === 0;
  if (!isEmpty && program !== OURS)
    throw unavailable(file, "is a database of another program", "name another file");
  if (version > newest)
    throw unavailable(
      file,
      `has version ${version}, but the latest supported version is ${newest}`,
      "use the newer cofferdam that created it, or name another file",
    );
  return version;
}

/** Brings a file of any version to the newest, whole or not at all, also if several begin at the same time. */
export function migrate(database: DatabaseSync, file: AbsolutePath, migrations: readonly string[]): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have been first.
    for (const migration of migrations.slice(versionIn(database, file, migrations.length)))
      database.exec(migration);
    database.exec(`PRAGMA application_id = ${OURS}; PRAGMA user_version = ${migrations.length}`);
    database.exec("COMMIT");
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}
