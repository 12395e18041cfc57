import { z } from "zod";
import type { Connection } from "./connections.ts";
import { unavailable } from "./failure.ts";
import { onlyOne, quoted, type Statement } from "./statement.ts";

/**
 * What makes the tables of each version from those of the version before; the first from none. Versions that were released
 * are never changed: a change is another one behind them, also of what stands in the JSON, which others could not read.
 *
 * Ids are compared byte by byte: the order of a language changes with the system's library, and an index with it
 * (https://wiki.postgresql.org/wiki/Locale_data_changes). JSON stands in `text`: `jsonb` holds no U+0000 and forgets the
 * order of keys. `place` is the order in which things came, `token` the last step that was done to a request; that of an
 * event is the step that it tells of. The counter's row is written with every event: there is room beside it for its next
 * versions, so that no index has to follow.
 */
export const MIGRATIONS: readonly string[] = [
  `
  create table meta (
    is_only boolean primary key default true check (is_only),
    version integer not null,
    store_id text not null,
    last_seq bigint not null
  ) with (fillfactor = 10);
  insert into meta (version, store_id, last_seq) values (0, gen_random_uuid()::text, -1);

  create table requests (
    approval_id text collate "C" primary key,
    place bigint generated always as identity,
    status text not null,
    request text not null,
    belongings text,
    decision text,
    edited text,
    deadline timestamptz,
    run_id text collate "C",
    token uuid,
    settled_at timestamptz
  );
  create index requests_open on requests (place) where settled_at is null;
  create index requests_settled on requests (settled_at, place) where settled_at is not null;

  create table notes (
    approval_id text collate "C" references requests on delete cascade,
    channel text collate "C",
    body text not null,
    primary key (approval_id, channel)
  );

  create table grants (
    grant_id text collate "C" primary key,
    place bigint generated always as identity,
    session_id text collate "C" not null,
    run_id text collate "C" not null,
    body text not null
  );
  create index grants_session on grants (session_id, place);

  create table runs (
    run_id text collate "C" primary key,
    alive_until timestamptz not null
  );

  create table events (
    seq bigint primary key,
    run_id text collate "C" not null,
    token uuid not null constraint events_token unique,
    body text not null
  );
  create index events_run on events (run_id, seq);
  `,
];

/** What a database is, before a store is in it. */
const Footing = z.strictObject({
  encoding: z.string(),
  commit: z.string(),
  has_schema: z.boolean(),
  has_meta: z.boolean(),
});
type Footing = z.infer<typeof Footing>;
const Version = z.strictObject({ version: z.int() });

// Of the catalogue's tables, not by `to_regclass`: that may remember what was not there before the lock was had.
const FOOTING: Statement<Footing> = {
  name: null,
  row: Footing,
  text: `
    select current_setting('server_encoding') as encoding, current_setting('synchronous_commit') as commit,
      exists (select from pg_namespace where nspname = $1) as has_schema,
      exists (select from pg_class join pg_namespace as space on space.oid = relnamespace
        where nspname = $1 and relname = 'meta') as has_meta`,
};
const LOCK: Statement<unknown> = {
  name: null,
  row: z.unknown(),
  text: "select pg_advisory_xact_lock(hashtextextended('cofferdam ' || $1, 0))",
};

/**
 * Brings the tables of a schema to the version that is known here, where they are not: one of many that start at once does
 * it, the others wait. Throws `STORE_UNAVAILABLE` where they are of a newer version, and in a database that can't hold what
 * is put into it, or forgets it when it loses its power.
 */
export async function migrate(connection: Connection, schemaName: string): Promise<void> {
  const schema = quoted(schemaName);
  const { encoding, commit, has_meta } = await footingOf(connection, schemaName);
  if (encoding !== "UTF8")
    throw unavailable(`is in a database of the encoding ${encoding}`, "create one with the encoding UTF8");
  // What was run, and is forgotten with the machine's memory, would be run again.
  if (commit === "off")
    throw unavailable(
      "is in a database that says that something is written before it is",
      "set `synchronous_commit` to `on` for this user or database",
    );
  if (has_meta && isCurrent(await versionIn(connection, schema))) return;
  // Each statement sees what others committed before it, whatever the database's own default is.
  await connection.run("begin isolation level read committed");
  // The lock goes with the transaction: behind a pooler the connection stays somebody's.
  await connection.ask(LOCK, [schemaName]);
  const now = await footingOf(connection, schemaName);
  const version = now.has_meta ? await versionIn(connection, schema) : 0;
  if (!isCurrent(version)) {
    if (!now.has_schema) await connection.run(`create schema ${schema}`);
    await connection.run(`set local search_path = ${schema}`);
    for (const migration of MIGRATIONS.slice(version)) await connection.run(migration);
    await connection.run(`update meta set version = ${MIGRATIONS.length}`);
  }
  await connection.run("commit");
}

async function footingOf(connection: Connection, schema: string): Promise<Footing> {
  return onlyOne(await connection.ask(FOOTING, [schema]));
}

async function versionIn(connection: Connection, schema: string): Promise<number> {
  const text = `select version from ${schema}.meta`;
  return onlyOne(await connection.ask({ name: null, row: Version, text }, [])).version;
}

/** True for the version that is known here. */
function isCurrent(version: number): boolean {
  if (version > MIGRATIONS.length)
    throw unavailable(
      `is of version ${version}, and ${MIGRATIONS.length} is the latest that is known here`,
      "use a cofferdam that is as new as the one that changed it",
    );
  return version === MIGRATIONS.length;
}
