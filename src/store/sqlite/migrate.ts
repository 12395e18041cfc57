import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { AbsolutePath } from "../../profile/path.ts";
import { unavailable } from "./failure.ts";

/** What the header of our files says they are: `cofd` (https://www.sqlite.org/pragma.html#pragma_application_id). */
const OURS = 0x636f6664;

const Header = z.strictObject({ version: z.int(), program: z.int(), tables: z.int() });

/**
 * Which version of a store the file holds; 0 for an empty one. Changes nothing. Throws `STORE_UNAVAILABLE` for another
 * program's database, and for a version that this program does not know.
 */
export function versionIn(database: DatabaseSync, file: AbsolutePath, newest: number): number {
  // In one statement: another process may be making the file.
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
    throw unavailable(file, "is another program's database", "name another file");
  if (version > newest)
    throw unavailable(
      file,
      `is of version ${version}, and this program knows ${newest}`,
      "use the newer cofferdam that made it, or name another file",
    );
  return version;
}

/** Makes a file of the newest version from whatever it is, whole or not at all, also where several begin at once. */
export function migrate(database: DatabaseSync, file: AbsolutePath, migrations: readonly string[]): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    // Somebody else may have been first.
    for (const migration of migrations.slice(versionIn(database, file, migrations.length)))
      database.exec(migration);
    database.exec(`PRAGMA application_id = ${OURS}; PRAGMA user_version = ${migrations.length}`);
    database.exec("COMMIT");
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}
