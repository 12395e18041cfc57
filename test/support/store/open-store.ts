import { absolutePath, joinPath } from "../../../src/profile/path.ts";
import { PostgresStore } from "../../../src/store/postgres.ts";
import { SqliteStore } from "../../../src/store/sqlite.ts";
import type { Store } from "../../../src/store/store.ts";
import { folderOfTest } from "./folders.ts";

/** A kind of store that processes share, and how a fresh one of it is named, by a word that `openStore` knows. */
export interface Place {
  readonly kind: string;
  readonly fresh: () => string;
}

/** Every kind that is tried here. */
export const PLACES: readonly Place[] = [
  { kind: "a file", fresh: () => joinPath(folderOfTest("disk"), "approvals.sqlite") },
];

/** A server that is started again under a test is away for a while. */
const PATIENCE_MS = 20_000;

/** A store by the word that says where it is: the path of a file, or the URL of a database. */
export function openStore(where: string): Store {
  return where.startsWith("postgres")
    ? new PostgresStore({ connection: where, patienceMs: PATIENCE_MS })
    : new SqliteStore(absolutePath(where));
}
