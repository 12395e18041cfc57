import { afterAll, beforeAll, inject } from "vitest";
import { PostgresStore } from "../../../src/store/postgres.ts";
import { storeContract } from "../../contract/store.ts";
import { describeWithPostgres } from "../../support/postgres/must-be-there.ts";
import { PostgresServer } from "../../support/postgres/server.ts";

describeWithPostgres("a PostgreSQL of the system's", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start({ folder: inject("runFolder"), fsync: false });
  });
  afterAll(async () => server[Symbol.asyncDispose]());

  let made = 0;
  storeContract("a store in Postgres", async (kept) => {
    made += 1;
    const options = { connection: server.url(), schema: `contract ${made}`, ...kept };
    return { store: new PostgresStore(options), other: new PostgresStore(options) };
  });
});
