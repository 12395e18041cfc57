import type { LoadedConfig } from "../config/config.ts";
import { withVariables } from "../config/variables.ts";
import { makeStateFolder } from "../host/launch/state-folder.ts";
import type { Host } from "../host/look/host.ts";
import { joinPath } from "../profile/path.ts";
import { MemoryStore } from "../store/memory.ts";
import { SqliteStore } from "../store/sqlite.ts";
import type { Store } from "../store/store.ts";
import { withPeers } from "./peer.ts";

const FILE = "approvals.sqlite";

/** The configured store, opened at first use. Throws `CONFIG_INVALID` for an unset variable, `USAGE` without driver. */
export async function openStore({ config }: LoadedConfig, host: Host): Promise<Store> {
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
