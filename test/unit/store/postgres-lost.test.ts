import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { PostgresStore } from "../../../src/store/postgres.ts";
import type { Store } from "../../../src/store/store.ts";
import { describeWithPostgres } from "../../support/postgres/must-be-there.ts";
import { BadWay, type Fault } from "../../support/postgres/proxy.ts";
import { PostgresServer } from "../../support/postgres/server.ts";
import { nameOf } from "../../support/store/named-news.ts";
import { add, append, decide, LATE_STEPS, NO, STEPS, statusOf, YES } from "../../support/store/steps.ts";

const FAULTS: readonly Fault[] = ["done, unanswered", "undone"];

/** Two ways to one store: a bad one, and one by which to see what was done. */
interface Reached extends AsyncDisposable {
  readonly way: BadWay;
  readonly store: Store;
  readonly plain: Store;
  readonly schema: string;
}

describeWithPostgres("a store whose way to the server is bad", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start({ folder: inject("runFolder"), fsync: false });
  });
  afterAll(async () => server[Symbol.asyncDispose]());

  let made = 0;
  const reach = async (patienceMs: number): Promise<Reached> => {
    made += 1;
    const schema = `lost_${made}`;
    const way = await BadWay.to(server.port);
    const store = new PostgresStore({ connection: way.url, schema, patienceMs });
    const plain = new PostgresStore({ connection: server.url(), schema });
    const leave = async (): Promise<void> => {
      for (const one of [store, plain, way]) await one[Symbol.asyncDispose]();
    };
    return { way, store, plain, schema, [Symbol.asyncDispose]: leave };
  };
  const told = async (store: Store) => (await store.eventsAfter(null, 100, null)).map(nameOf);

  describe("does a step once, and says what it did", () => {
    let reached: Reached;
    beforeAll(async () => {
      reached = await reach(10_000);
    });
    afterAll(async () => reached[Symbol.asyncDispose]());

    const cases = [...STEPS, ...LATE_STEPS].flatMap((one) => FAULTS.map((fault) => ({ ...one, fault })));
    test.each(cases)("$statement, $returns, when it was $fault", async (given) => {
      const { way, store, plain } = reached;
      const id = `${given.statement} ${String(given.returns)} ${given.fault}`;
      for (const did of given.before) await did(store, id);
      const before = await store.lastSeq();
      const met = way.failAt(`cofferdam ${given.statement}\0`, given.fault);
      expect(await given.step(store, id)).toEqual(given.returns);
      await met;
      expect(await given.after(plain, id)).toEqual(given.is);
      expect((await plain.lastSeq()) - before).toBe(given.isTold ? 1 : 0);
    });

    test.each(FAULTS)(
      "where an id stands for a request already, which stays, when it was %s",
      async (fault) => {
        const { way, store, plain } = reached;
        await add(plain, fault);
        const before = await plain.lastSeq();
        const met = way.failAt("cofferdam add\0", fault);
        await expect(add(store, fault)).rejects.toMatchObject({ code: "INTERNAL" });
        await met;
        expect(await plain.lastSeq()).toBe(before);
      },
    );
  });

  describe.concurrent("has an end of its patience", () => {
    test("and tries another connection before that, when one gives no answer", async () => {
      await using reached = await reach(8_000);
      const { way, store, plain } = reached;
      await add(store, "a");
      const met = way.failAt("cofferdam approve\0", "hung");
      expect(await decide(YES)(store, "a")).toBe("accepted");
      await met;
      expect(await told(plain)).toEqual(["asked", "answered"]);
    });

    test("and then decides nothing later either, when another program held the request", async () => {
      await using reached = await reach(1_500);
      const { store, plain, schema } = reached;
      await add(plain, "a");
      await using other = await server.connected();
      await other.query(`begin; select from ${schema}.requests for update`);
      await expect(decide(YES)(store, "a")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
      await other.query("commit");
      expect(await statusOf(plain, "a")).toBe("pending");
      expect(await decide(NO)(store, "a")).toBe("accepted");
      expect(await told(plain)).toEqual(["asked", "answered"]);
    });

    test.each([
      ["before it was ever reached", false],
      ["behind its steps", true],
    ])("when the server hangs %s", async (_when, isReached) => {
      await using reached = await reach(1_500);
      const { way, store, plain } = reached;
      await add(plain, "a");
      if (isReached) await Promise.all([store.lastSeq(), append(store, "a")]);
      way.hang();
      const asked = [decide(YES)(store, "a"), store.find("a"), append(store, "a")];
      const ended = await Promise.allSettled(asked);
      const refused = { status: "rejected", reason: expect.objectContaining({ code: "STORE_UNAVAILABLE" }) };
      expect(ended).toEqual([refused, refused, refused]);
    });

    test("and begins nothing that could not be answered within it, when each answer is slow", async () => {
      await using reached = await reach(1_000);
      const { way, store, schema } = reached;
      way.slow(120);
      await expect(append(store, "a")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
      const made = "select from pg_namespace where nspname = $1";
      expect(await server.query(made, [schema])).toEqual([]);
    });

    test("when nothing listens, and works again once something does", async () => {
      await using reached = await reach(1_000);
      const { way, store, plain } = reached;
      await add(plain, "a");
      await store.lastSeq();
      await way[Symbol.asyncDispose]();
      await expect(store.lastSeq()).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: `the store in Postgres can't be used: \`connect ECONNREFUSED 127.0.0.1:${way.port}\``,
        hint: "check that the server runs, and read its log",
      });
      await using _again = await BadWay.to(server.port, way.port);
      expect(await store.lastSeq()).toBe(0);
    });
  });

  test("goes on when idle connections are cut", async () => {
    await using reached = await reach(10_000);
    const { way, store } = reached;
    await Promise.all(Array.from({ length: 10 }, async () => append(store, "a")));
    expect(way.standing).toBe(4);
    way.cut();
    await until(async () => way.standing === 0);
    expect(await store.lastSeq()).toBe(9);
    expect(way.standing).toBeGreaterThan(0);
  });

  describe.concurrent("wakes who watches", () => {
    /** How often a watcher was called back; it was, once: what is there is news to who begins. */
    const watched = async (store: Store): Promise<{ calls: number } & Disposable> => {
      const seen = { calls: 0 };
      const watching = store.watch(() => (seen.calls += 1));
      await until(async () => seen.calls === 1);
      return Object.assign(seen, { [Symbol.dispose]: () => watching[Symbol.dispose]() });
    };
    /** The connections that listen, by what they were asked last. */
    const listeners = async (schema: string) =>
      server.query("select pid from pg_stat_activity where query = $1", [`listen "${schema}"`]);

    test("within a second of what another did, also when no notification comes through", async () => {
      await using reached = await reach(10_000);
      const { way, store, plain } = reached;
      await add(plain, "a");
      way.keepNotifications();
      using seen = await watched(store);
      await append(plain, "a");
      await until(async () => seen.calls > 1);
    });

    test("by a notification alone, when there is nothing that a look could find", async () => {
      await using reached = await reach(10_000);
      const { store, plain, schema } = reached;
      await add(plain, "a");
      using seen = await watched(store);
      await until(async () => (await listeners(schema)).length === 1);
      await server.query("select pg_notify($1, 'something')", [schema]);
      await until(async () => seen.calls === 2);
    });

    test("by calling out the number of the last event", async () => {
      await using reached = await reach(10_000);
      const { store, schema } = reached;
      await using other = await server.connected();
      const heard: unknown[] = [];
      other.on("notification", ({ payload }) => heard.push(payload));
      await other.query(`listen ${schema}`);
      await append(store, "a");
      await until(async () => heard.length > 0);
      expect(heard).toEqual(["0"]);
    });

    test("by one connection while anybody does, which is made again when it was lost", async () => {
      await using reached = await reach(10_000);
      const { store, schema } = reached;
      await add(store, "a");
      expect(await listeners(schema)).toEqual([]);
      const watching = [store.watch(() => undefined), store.watch(() => undefined)];
      await until(async () => (await listeners(schema)).length === 1);
      const [first] = await listeners(schema);
      await server.query("select pg_terminate_backend($1)", [first?.["pid"]]);
      await until(async () => {
        const [now, ...others] = await listeners(schema);
        return now !== undefined && others.length === 0 && now["pid"] !== first?.["pid"];
      });
      watching.pop()?.[Symbol.dispose]();
      expect(await listeners(schema)).toHaveLength(1);
      watching.pop()?.[Symbol.dispose]();
      await until(async () => (await listeners(schema)).length === 0);
    });
  });
});

/** Until it holds; a test's own time is the end. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
}
