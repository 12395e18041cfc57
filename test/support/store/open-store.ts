import { absolutePath } from "../../../src/profile/path.ts";
import { PostgresStore } from "../../../src/store/postgres.ts";
import { SqliteStore } from "../../../src/store/sqlite.ts";
import type { Store } from "../../../src/store/store.ts";

/** A server that is started again under a test is away for a while. */
const PATIENCE_MS = 20_000;

/** A store by the word that says where it is: the path of a file, or the URL of a database. */
export function openStore(where: string): Store {
  return where.startsWith("postgres")
    ? new PostgresStore({ connection: where, patienceMs: PATIENCE_MS })
    : new SqliteStore(absolutePath(where));
}
