import type { Loaded } from "../config/config.ts";
import { withVariables } from "../config/variables.ts";
import type { Host } from "../host/host.ts";
import { makeStateFolder } from "../host/state-folder.ts";
import { joinPath } from "../profile/path.ts";
import { MemoryStore } from "../store/memory.ts";
import { SqliteStore } from "../store/sqlite.ts";
import type { Store } from "../store/store.ts";
import { withPeers } from "./peer.ts";

/** The file of the state folder in which requests, grants and events are kept. */
const FILE = "approvals.sqlite";

/**
 * The store that a config names. Nothing is opened before something is asked. Throws `CONFIG_INVALID` for a variable that
 * is not set, `USAGE` where the driver of a database is not installed.
 */
export async function openStore({ config }: Loaded, host: Host): Promise<Store> {
  const { store } = config.approval;
  const now = (): number => host.now();
  if (store === "memory") return new MemoryStore({ now });
  if (store === "sqlite") {
    makeStateFolder(host);
    return new SqliteStore(joinPath(host.stateFolder, FILE), { now });
  }
  const { PostgresStore } = await withPeers(() => import("../store/postgres.ts"), "pg");
  return new PostgresStore({ connection: withVariables(store.postgres, host.env) });
}
