import { z } from "zod";
import type { StepConnection } from "./connections.ts";
import { unavailable } from "./failure.ts";
import { onlyOne, quoted, type Statement } from "./statement.ts";

/**
 * The statements that bring each version's tables to the next; the first creates them. Released versions never change:
 * a change is a new version at the end, also a change of the JSON, which other versions could not read.
 * Ids are compared byte by byte: the order of a language changes with the system's library, and an index with it
 * (https://wiki.postgresql.org/wiki/Locale_data_changes). JSON is stored as `text`: `jsonb` holds no U+0000 and forgets
 * the order of keys. `place` is the order of arrival, `token` the last step done to a request; that of an event is the
 * step it reports. The counter's row is written with every event: it has room for its next versions, so that no index
 * has to follow.
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
  `
  alter table grants add column until timestamptz, add column uses_left integer;
  `,
];

const Footing = z.strictObject({
  encoding: z.string(),
  commit: z.string(),
  has_schema: z.boolean(),
  has_meta: z.boolean(),
});
type Footing = z.infer<typeof Footing>;
const Version = z.strictObject({ version: z.int() });

// From the catalogue's tables, not by `to_regclass`: that may remember a state from before the lock was taken.
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
 * Brings a schema's tables to the current version; if many start at the same time, one does it and the others wait.
 * Throws `STORE_UNAVAILABLE` for a newer version, or a database that can't hold all values or loses commits in a power
 * failure.
 */
export async function migrate(connection: StepConnection, schemaName: string): Promise<void> {
  const schema = quoted(schemaName);
  const { encoding, commit, has_meta } = await footingOf(connection, schemaName);
  if (encoding !== "UTF8")
    throw unavailable(`is in a database of the encoding ${encoding}`, "create one with the encoding UTF8");
  // A run that is forgotten after a power failure would be run again.
  if (commit === "off")
    throw unavailable(
      "is in a database with `synchronous_commit = off`, which can lose answers",
      "set `synchronous_commit` to `on` for this user or database",
    );
  if (has_meta && isCurrent(await versionIn(connection, schema))) return;
  // Each statement sees what others committed before it, whatever the database's own default is.
  await connection.run("begin isolation level read committed");
  // The lock ends with the transaction: with a pooler the connection stays someone else's.
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

async function footingOf(connection: StepConnection, schema: string): Promise<Footing> {
  return onlyOne(await connection.ask(FOOTING, [schema]));
}

async function versionIn(connection: StepConnection, schema: string): Promise<number> {
  const text = `select version from ${schema}.meta`;
  return onlyOne(await connection.ask({ name: null, row: Version, text }, [])).version;
}

function isCurrent(version: number): boolean {
  if (version > MIGRATIONS.length)
    throw unavailable(
      `has version ${version}, but the latest supported version is ${MIGRATIONS.length}`,
      "use the newer cofferdam that changed it",
    );
  return version === MIGRATIONS.length;
}
