import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { CofferdamError } from "../../../src/errors.ts";
import { storeError } from "../../../src/store/postgres/failure.ts";
import {
  type PostgresConnection,
  type PostgresOptions,
  secretsOf,
} from "../../../src/store/postgres/options.ts";
import { PostgresStore } from "../../../src/store/postgres.ts";
import type { Store } from "../../../src/store/store.ts";
import { requestWith } from "../../support/approval/request.ts";
import { describeWithPostgres } from "../../support/postgres/must-be-there.ts";
import { PostgresServer } from "../../support/postgres/server.ts";
import { newsOf } from "../../support/store/named-news.ts";
import { add, append, decide, NO, statusOf, YES } from "../../support/store/steps.ts";
import { CERTIFICATE, KEY } from "../../support/web/certificate.ts";

const PASSWORD = "Gehe!m/ß&42";
const POLL = { interval: 5, timeout: 10_000 };
const HBA = `
local all all trust
host all secret 127.0.0.1/32 scram-sha-256
hostssl all walled 127.0.0.1/32 trust
host all walled 127.0.0.1/32 reject
host all all 127.0.0.1/32 trust
`;

describeWithPostgres("a store in a database", () => {
  let server: PostgresServer;
  let authority = "";
  beforeAll(async () => {
    server = await PostgresServer.start({ folder: inject("runFolder"), fsync: false });
    await server.configure("server.crt", CERTIFICATE);
    await server.configure("server.key", KEY);
    await server.configure("pg_hba.conf", HBA);
    authority = join(inject("runFolder"), "authority.crt");
    writeFileSync(authority, CERTIFICATE);
  });
  afterAll(async () => server[Symbol.asyncDispose]());

  let made = 0;
  const left: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const one of left.splice(0)) await one[Symbol.asyncDispose]();
  });
  const fresh = (): string => {
    made += 1;
    return `set_up_${made}`;
  };
  const open = (schema: string, more: Partial<PostgresOptions> = {}): PostgresStore => {
    const store = new PostgresStore({ connection: server.url(), schema, ...more });
    left.push(store);
    return store;
  };
  const setTls = async (ssl: "on" | "off"): Promise<void> => {
    await server.query(`alter system set ssl = ${ssl}`);
    await server.query("select pg_reload_conf()");
    while ((await server.query("show ssl"))[0]?.["ssl"] !== ssl);
  };
  /** What is thrown by a store that can't be used. */
  const thrownBy = async (store: Store): Promise<CofferdamError> => {
    const thrown: unknown = await store.id().catch((error: unknown) => error);
    if (thrown instanceof CofferdamError) return thrown;
    throw new Error(`it can be used: ${String(thrown)}`);
  };
  const said = ({ code, message, hint }: CofferdamError) => ({ code, message, hint });

  describe("makes its tables", () => {
    test("once, when many start at once", async () => {
      const schema = fresh();
      const stores = Array.from({ length: 12 }, () => open(schema));
      const ids = await Promise.all(stores.map(async (store) => store.id()));
      expect(new Set(ids).size).toBe(1);
      expect(await server.query(`select version from ${schema}.meta`)).toEqual([{ version: 2 }]);
    });

    test.each([`we"ird'; drop schema "x`, "Ünder $1 \\ \n", "x".repeat(63)])(
      "in the schema that it is told, whatever its name: %j",
      async (schema) => {
        const [store, other] = [open(schema), open(schema)];
        await append(store, "a");
        const woken = Promise.withResolvers<void>();
        using _watching = other.watch(woken.resolve);
        await woken.promise;
        expect(await other.lastSeq()).toBe(0);
        const found = await server.query("select nspname from pg_namespace where nspname = $1", [schema]);
        expect(found).toHaveLength(1);
      },
    );

    test("nowhere else: stores in two schemas know nothing of each other", async () => {
      const [one, two] = [open(fresh()), open(fresh())];
      await add(one, "a");
      expect([await two.find("a"), await two.lastSeq()]).toEqual([null, -1]);
      expect(await one.id()).not.toBe(await two.id());
    });

    test("as a user that may write them and no more, once they are there", async () => {
      const schema = fresh();
      await server.query("create role writer login");
      const connection = server.url("writer");
      expect(said(await thrownBy(open(schema, { connection })))).toEqual({
        code: "STORE_UNAVAILABLE",
        message: "the store in Postgres can't be used: `permission denied for database postgres`",
        hint: "let this user create the schema, or read and write its tables",
      });
      await append(open(schema), "a");
      await server.query(`grant usage on schema ${schema} to writer`);
      await server.query(`grant select, insert, update, delete on all tables in schema ${schema} to writer`);
      const store = open(schema, { connection });
      for (const did of [add, decide(YES), append]) await did(store, "a");
      expect(await statusOf(store, "a")).toBe("approved");
    });
  });

  test("is reached by a socket of the system's, in a URL and in parts", async () => {
    const schema = fresh();
    const url = `postgres://cofferdam@/postgres?host=${encodeURIComponent(server.socket)}&port=${server.port}`;
    await append(open(schema, { connection: url }), "a");
    const parts = { host: server.socket, port: server.port, user: "cofferdam", database: "postgres" };
    expect(await open(schema, { connection: parts }).lastSeq()).toBe(0);
  });

  describe("is refused", () => {
    test("when a newer version made its tables", async () => {
      const schema = fresh();
      await append(open(schema), "a");
      await server.query(`update ${schema}.meta set version = 99`);
      expect(said(await thrownBy(open(schema)))).toEqual({
        code: "STORE_UNAVAILABLE",
        message: "the store in Postgres has version 99, but the latest supported version is 2",
        hint: "use the newer cofferdam that changed it",
      });
    });

    test("when its tables are another program's, or are gone", async () => {
      const schema = fresh();
      await server.query(`create schema ${schema}`);
      await server.query(`create table ${schema}.events (at date)`);
      expect((await thrownBy(open(schema))).message).toContain('relation "events" already exists');
    });

    test("in a database that says that something is written before it is", async () => {
      await server.query("create role careless login superuser");
      await server.query("alter role careless set synchronous_commit = off");
      expect(said(await thrownBy(open(fresh(), { connection: server.url("careless") })))).toEqual({
        code: "STORE_UNAVAILABLE",
        message:
          "the store in Postgres is in a database with `synchronous_commit = off`, which can lose answers",
        hint: "set `synchronous_commit` to `on` for this user or database",
      });
    });

    test("in a database that can't hold every text", async () => {
      await server.query("create database latin encoding 'LATIN1' locale 'C' template template0");
      const connection = server.url().replace(/postgres$/, "latin");
      expect(said(await thrownBy(open(fresh(), { connection })))).toEqual({
        code: "STORE_UNAVAILABLE",
        message: "the store in Postgres is in a database of the encoding LATIN1",
        hint: "create one with the encoding UTF8",
      });
    });

    test("in a database that there is none of", async () => {
      const connection = server.url().replace(/postgres$/, "nowhere");
      expect(said(await thrownBy(open(fresh(), { connection })))).toEqual({
        code: "STORE_UNAVAILABLE",
        message: 'the store in Postgres can\'t be used: `database "nowhere" does not exist`',
        hint: "create the database, or correct its name in the connection",
      });
    });
  });

  describe("takes a password", () => {
    const inUrl = (password: string) =>
      `postgres://secret:${encodeURIComponent(password)}@127.0.0.1:${server.port}/postgres`;
    const inParts = (password: PostgresConnection["password"]): PostgresConnection => ({
      host: "127.0.0.1",
      port: server.port,
      user: "secret",
      database: "postgres",
      ...(password === undefined ? {} : { password }),
    });
    const ways: readonly (readonly [string, (password: string) => string | PostgresConnection])[] = [
      ["in a URL", inUrl],
      [
        "behind a question mark",
        (password) => `${server.url("secret")}?password=${encodeURIComponent(password)}`,
      ],
      ["as a part", inParts],
      ["from a function", (password) => inParts(async () => password)],
    ];
    beforeAll(async () => {
      await server.query(`create role secret login superuser password '${PASSWORD}'`);
    });

    test.each(ways)("%s, and never tells it when it is wrong", async (_way, connect) => {
      const wrong = `${PASSWORD}?`;
      const thrown = await thrownBy(open(fresh(), { connection: connect(wrong) }));
      expect(said(thrown)).toEqual({
        code: "STORE_UNAVAILABLE",
        message: 'the store in Postgres can\'t be used: `password authentication failed for user "secret"`',
        hint: "set the password in the connection, or in PGPASSWORD",
      });
      const all = inspect(thrown, { depth: 20, showHidden: true });
      for (const secret of [wrong, encodeURIComponent(wrong)]) expect(all).not.toContain(secret);
      expect(await open(fresh(), { connection: connect(PASSWORD) }).lastSeq()).toBe(-1);
    });

    test("and says which one is missing", async () => {
      const thrown = await thrownBy(open(fresh(), { connection: inParts(undefined) }));
      expect(said(thrown)).toMatchObject({
        code: "STORE_UNAVAILABLE",
        hint: "set the password in the connection, or in PGPASSWORD",
      });
    });

    test("that stands in what a server says, and hides it there", () => {
      const secrets = secretsOf("postgres://u:s%40cret@h/d");
      for (const words of ["with s@cret and", "with s%40cret and", "at postgres://u:s%40cret@h/d and"])
        expect(storeError(new Error(words), secrets).message).toMatch(/: `(with|at) … and`$/);
    });
  });

  describe("is reached through TLS", () => {
    const strict = () => `${server.url("walled")}?sslmode=verify-full`;
    beforeAll(async () => {
      await server.query("create role walled login superuser");
      await setTls("on");
    });

    test("where its server wants that, and says so where it is not", async () => {
      const thrown = await thrownBy(open(fresh(), { connection: server.url("walled") }));
      expect(said(thrown)).toEqual({
        code: "STORE_UNAVAILABLE",
        message: expect.stringMatching(/can't be used: `pg_hba.conf rejects connection .* no encryption`$/),
        hint: "the server requires TLS: add `sslmode=verify-full` to the connection's URL",
      });
      const store = open(fresh(), { connection: `${strict()}&sslrootcert=${authority}` });
      expect(await store.lastSeq()).toBe(-1);
      const used =
        "select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'walled'";
      expect(await server.query(used)).toEqual([{ ssl: true }]);
    });

    test("only by a certificate that is trusted", async () => {
      expect(said(await thrownBy(open(fresh(), { connection: strict() })))).toEqual({
        code: "STORE_UNAVAILABLE",
        message: expect.stringMatching(/can't be used: `self-signed certificate/),
        hint: "name the authority of the server's certificate with `sslrootcert`",
      });
      const ssl = { ca: CERTIFICATE };
      const connection = { host: "127.0.0.1", port: server.port, user: "walled", database: "postgres", ssl };
      expect(await open(fresh(), { connection }).lastSeq()).toBe(-1);
    });

    test("and by nothing less where that is asked for", async () => {
      await setTls("off");
      expect(said(await thrownBy(open(fresh(), { connection: strict() })))).toEqual({
        code: "STORE_UNAVAILABLE",
        message: "the store in Postgres can't be used: `The server does not support SSL connections`",
        hint: "the server has no TLS: enable it there",
      });
    });
  });

  describe("keeps", () => {
    test("ids apart that differ in anything, and texts as they are", async () => {
      const store = open(fresh());
      const ids = ["a", "A", "a\0", "a\ud800", "a\ufffd", "a\\u0000", 'a"', "a\\", "é", "e\u0301", ""];
      for (const id of ids) {
        await add(store, id);
        await store.note(id, id, `note ${id}`);
        await store.keepAlive(id, 60_000);
      }
      await decide(YES)(store, "a\0");
      for (const id of ids) {
        expect((await store.find(id))?.request).toEqual(requestWith({ approvalId: id }));
        expect(await statusOf(store, id)).toBe(id === "a\0" ? "approved" : "pending");
        expect(await store.noted(id, id)).toBe(`note ${id}`);
        expect(await store.noted(id, `${id}.`)).toBeNull();
      }
      expect(await store.find("a\0\0")).toBeNull();
      expect(await store.isAlive("\0")).toBe(false);
    });

    test.each([
      ["requests", "request", '{"approvalId":1}', async (store: Store) => store.find("a")],
      ["requests", "request", "no JSON", async (store: Store) => store.pending()],
      ["requests", "status", "perhaps", async (store: Store) => store.find("a")],
      ["requests", "belongings", "[]", async (store: Store) => store.belongings("a")],
      ["events", "body", '{"type":"call.ended"}', async (store: Store) => store.eventsAfter(null, 1, null)],
    ])(
      "nothing that it takes for its own where another wrote it: %s.%s = %s",
      async (table, column, value, look) => {
        const schema = fresh();
        const store = open(schema);
        await add(store, "a");
        await look(store);
        await server.query(`update ${schema}.${table} set ${column} = $1`, [value]);
        await expect(look(store)).rejects.toMatchObject({
          code: "STORE_UNAVAILABLE",
          message: expect.stringMatching(/^the store in Postgres contains unreadable data in `/),
        });
      },
    );

    test("what is over up to its limits, of however much there is", async () => {
      const schema = fresh();
      const store = open(schema, { maxEvents: 100, maxSettled: 100 });
      await add(store, "first");
      const body = JSON.stringify(newsOf("old"));
      await server.query(
        `insert into ${schema}.events select seq, 'r', gen_random_uuid(), $1 from generate_series(1, 12000) as seq`,
        [body],
      );
      await server.query(`update ${schema}.meta set last_seq = 12000`);
      await server.query(
        `insert into ${schema}.requests (approval_id, status, request, settled_at)
          select 'old ' || seq, 'done', '{}', now() from generate_series(1, 12000) as seq`,
      );
      await add(store, "a");
      await decide(NO)(store, "a");
      for (let count = 0; count < 10; count += 1) await append(store, "a");
      const counted = async (table: string) =>
        (await server.query(`select count(*)::int from ${schema}.${table}`))[0];
      expect((await counted("events"))?.["count"]).toBeLessThanOrEqual(110);
      expect(await counted("requests")).toEqual({ count: 101 });
      expect([await statusOf(store, "first"), await statusOf(store, "a")]).toEqual(["pending", "rejected"]);
      expect(await store.eventsAfter(null, 1_000, null)).toHaveLength(
        Number((await counted("events"))?.["count"]),
      );
    });

    test("runs that may come back, and forgets those that were not heard of for a day", async () => {
      const schema = fresh();
      const store = open(schema);
      for (const run of ["old", "late", "here"]) await store.keepAlive(run, 60_000);
      const until = `update ${schema}.runs set alive_until = now() - $1::interval where run_id = $2`;
      await server.query(until, ["25 hours", "old"]);
      await server.query(until, ["23 hours", "late"]);
      await store.keepAlive("here", 60_000);
      const runs = await server.query(`select run_id from ${schema}.runs order by run_id`);
      expect(runs.map((row) => row["run_id"])).toEqual(["here", "late"]);
    });
  });

  test("does not let a yes through that waited for a lock until its time was over", async () => {
    const schema = fresh();
    const store = open(schema);
    const request = requestWith({ approvalId: "a", createdAt: 0, expiresAt: 4_000 });
    await using other = await server.connected();
    await store.add(request, { call: null, presentation: null }, newsOf("asked"));
    await other.query(`begin; select from ${schema}.requests for update`);
    const answer = decide(YES)(store, "a");
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and query like $1";
    await expect.poll(async () => server.query(waiting, [`%${schema}%`]), POLL).toHaveLength(1);
    expect(await store.pending()).toHaveLength(1);
    await expect.poll(async () => store.pending(), POLL).toEqual([]);
    await other.query("commit");
    expect(await answer).toBe("expired");
    expect(await statusOf(store, "a")).toBe("pending");
  });

  test("keeps no process alive that has nothing else to do, watched or not, by TLS or not", async () => {
    await setTls("on");
    const program = `
      const [url, file, schema] = process.argv.slice(1);
      const { PostgresStore } = await import(url);
      for (const connection of [process.env.PLAIN, process.env.STRICT]) {
        const store = new PostgresStore({ connection, schema });
        const woken = Promise.withResolvers();
        await Promise.all([store.id(), store.lastSeq()]);
        store.watch(woken.resolve);
        const timer = setTimeout(() => {}, 20_000);
        await woken.promise;
        clearTimeout(timer);
      }
      console.log("left");`;
    const child = spawn(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        program,
        join(import.meta.dirname, "../../../src/store/postgres.ts"),
        "",
        fresh(),
      ],
      {
        env: {
          PLAIN: server.url(),
          STRICT: `${server.url("walled")}?sslmode=verify-full&sslrootcert=${authority}`,
        },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const [saying, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
    expect([saying, code]).toEqual(["left\n", 0]);
  });
});

describe("the options of a store in Postgres", () => {
  const connection = "postgres://u:hunter2@localhost/d";
  const faulty: readonly (readonly [string, object, string])[] = [
    ["a misspelt one", { connection, shema: "x" }, "unknown option `shema` of `PostgresStore`"],
    ["a schema without a name", { connection, schema: "" }, "invalid option `schema` of `PostgresStore`"],
    ["a name that is cut off", { connection, schema: "é".repeat(32) }, "invalid option `schema`"],
    ["no connections", { connection, maxConnections: 0 }, "invalid option `maxConnections`"],
    ["no patience", { connection, patienceMs: Number.NaN }, "invalid option `patienceMs`"],
    ["no place", {}, "invalid option `connection`"],
    ["another's URL", { connection: "mysql://u:hunter2@localhost/d" }, "invalid option `connection`"],
    ["no URL", { connection: "postgres://u:hunter2@local host:x/d" }, "invalid option `connection`"],
    [
      "a password that ends the host",
      { connection: "postgres://u:12/hunter2@localhost/d" },
      "invalid option `connection`",
    ],
    [
      "one that begins the query",
      { connection: "postgres://u:12?hunter2@localhost/d" },
      "invalid option `connection`",
    ],
  ];
  test.each(faulty)("may not have %s, and no secret is told", (_what, options, message) => {
    let thrown: unknown;
    try {
      Reflect.construct(PostgresStore, [options]);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: "USAGE", message: expect.stringContaining(message) });
    expect(inspect(thrown, { depth: 20, showHidden: true })).not.toContain("hunter2");
  });

  test.each([
    connection,
    "postgresql://u:p%2Fw@localhost:5432/d?sslmode=verify-full",
    "postgres://u:p@/d?host=/run/postgresql",
    "postgres:///d?user=u&password=a@b",
    { host: "/run/postgresql", database: "d" },
    {},
  ])("may name a place in each of its ways: %j", async (connection) => {
    await using store = new PostgresStore({ connection });
    expect(inspect(store, { depth: 20, showHidden: true })).not.toMatch(/hunter2|p%2Fw|a@b/);
  });
});
