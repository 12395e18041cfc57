import { describe, expect, test } from "vitest";
import { approvalApp } from "../../../src/http/app.ts";
import { Snapshot } from "../../../src/http/schemas.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { desk } from "../../support/approval/desk.ts";
import { ANN, post, put, settled, type TestApp, testApp } from "../../support/http/test-app.ts";
import { Blocks, range } from "../../support/http/wire.ts";
import { UnreadableStore } from "../../support/store/unreadable.ts";

/** Follows the events, from now on or behind an id. */
async function follow(at: TestApp, query = "", lastEventId?: string): Promise<Blocks> {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const response = await at.ask(`/events${query}`, { headers });
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/event-stream; charset=utf-8",
  ]);
  return new Blocks(response);
}

/** Makes so many events: each asks, or answers what was asked. */
async function make(at: TestApp, count: number, sessionId = "session-1", name = "a"): Promise<void> {
  for (let index = 0; index < count; index += 2) {
    const approvalId = `${name} ${index}`;
    await put(at.desk.broker, { approvalId, sessionId }, { isBlocking: false });
    await at.desk.broker.respond(approvalId, { approved: true }, "ann");
  }
}

describe("events", () => {
  test("come as they happen, each in its envelope under an id that its store has no other of (S0-3, S4-3)", async () => {
    await using at = await testApp();
    const id = await at.desk.store.id();
    await using blocks = await follow(at);
    expect(await blocks.next()).toBe(`retry: 1000\nid: ${id}:-1`);
    void put(at.desk.broker);
    const [line, data = ""] = String(await blocks.next()).split("\n");
    expect(line).toBe(`id: ${id}:0`);
    expect(JSON.parse(data.slice("data: ".length))).toMatchObject({
      type: "approval.requested",
      version: 1,
      seq: 0,
      approval_id: "approval-1",
      payload: { tool_name: "deploy", safe_args: { env: "staging" } },
    });
    await at.ask("/approvals/approval-1", post({ approved: true, note: "fine" }));
    expect(await blocks.data()).toMatchObject({
      type: "approval.resolved",
      seq: 1,
      payload: { by: "ann", note: "fine" },
    });
  });

  test("in the stream's view are requests and results by their class names, those first that wait already (S0-15, S0-16, S0-32)", async () => {
    await using at = await testApp();
    void put(at.desk.broker, { agent: "ops" });
    void put(at.desk.broker, { approvalId: "approval-2", sessionId: "session-2" });
    await settled(at.desk, 2);
    await using blocks = await follow(at, "?view=stream&session=session-1");
    const id = await at.desk.store.id();
    await blocks.next();
    const asked =
      '{"request_id":"approval-1","tool_name":"deploy","arguments":{"env":"staging"},"risk_level":"write","agent_name":"ops"}';
    expect(await blocks.next()).toBe(`event: ApprovalRequestEvent\ndata: ${asked}`);
    await at.ask("/approve/approval-1", post({ approved: true, always: true, reason: "fine" }));
    const answered =
      '{"request_id":"approval-1","tool_name":"deploy","decision":"approved_always","reason":"fine"}';
    expect(await blocks.next()).toBe(`id: ${id}:2\nevent: ApprovalResultEvent\ndata: ${answered}`);
  });

  test("are those of a run or session alone, for whoever wants no others (S4-16)", async () => {
    await using at = await testApp();
    await using blocks = await follow(at, "?session=session-2");
    await using none = await follow(at, "?run=run-2");
    await make(at, 20);
    await make(at, 4, "session-2", "b");
    expect(await blocks.numbers(4)).toEqual([20, 21, 22, 23]);
    await at.server.close();
    expect(await none.next()).toContain("retry");
    expect(await none.next()).toBeNull();
  });

  test("and what waits lose nothing between them: each request is in the one or the other (S4-17)", async () => {
    await using at = await testApp();
    let count = 0;
    let isOver = false;
    const asking = (async () => {
      for (; !isOver; count += 1) {
        await put(at.desk.broker, { approvalId: `${count}` }, { isBlocking: false });
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let round = 0; round < 5; round += 1) {
      const { pending, lastEventId } = Snapshot.parse(await (await at.ask("/approvals")).json());
      await using blocks = await follow(at, "", lastEventId);
      const seen = new Set(pending.map(({ approvalId }) => approvalId));
      for (let index = 0; index < 5; index += 1) seen.add(String((await blocks.data())["approval_id"]));
      expect([...seen].map(Number).toSorted((a, b) => a - b)).toEqual(range(0, seen.size));
    }
    isOver = true;
    await asking;
  });
});

describe("who comes back", () => {
  test("with the id of the last event gets those behind it, none twice and none not at all, by header or query (S4-17)", async () => {
    await using at = await testApp();
    const id = await at.desk.store.id();
    await make(at, 50);
    const seen: number[] = [];
    let last = -1;
    for (let round = 0; round < 20; round += 1) {
      const query = round % 2 === 0 ? "" : `?after=${encodeURIComponent(`${id}:${last}`)}`;
      await using blocks = await follow(at, query, round % 2 === 0 ? `${id}:${last}` : undefined);
      const making = make(at, 10, "session-1", `${round}`);
      seen.push(...(await blocks.numbers(10)));
      last = seen.at(-1) ?? -1;
      await making;
    }
    expect(seen).toEqual(range(0, 200));
  });

  test("from a server that is ahead of this one gets nothing twice", async () => {
    const held = Promise.withResolvers<void>();
    class Held extends MemoryStore {
      override async eventsAfter(...args: Parameters<MemoryStore["eventsAfter"]>) {
        await held.promise;
        return super.eventsAfter(...args);
      }
    }
    await using at = await testApp({ store: new Held() });
    const id = await at.desk.store.id();
    await using first = await follow(at);
    await make(at, 10);
    await using ahead = await follow(at, "", `${id}:5`);
    await using other = await follow(at, "?session=session-1", `${id}:5`);
    held.resolve();
    expect(await first.numbers(10)).toEqual(range(0, 10));
    for (const blocks of [ahead, other]) expect(await blocks.numbers(4)).toEqual(range(6, 10));
  });

  test("to a server that was just started gets what its store keeps", async () => {
    const store = new MemoryStore();
    const id = await store.id();
    {
      await using before = await testApp({ store });
      await make(before, 600);
    }
    await using at = await testApp({ store });
    await using blocks = await follow(at, "", `${id}:9`);
    await make(at, 10, "session-1", "b");
    expect(await blocks.numbers(600)).toEqual(range(10, 610));
  });

  test.each([
    ["with the id of another store", "5c0ffee5-0000:4", "another store"],
    ["with a number that there was not yet", "*:999", "another store"],
    ["with what is no id", "banana", "another store"],
    ["with a number that is none", "*:1e3", "another store"],
    ["behind what is kept", "*:3", "gone"],
  ])("%s is told to look anew, and then goes on", async (_what, lastEventId, because) => {
    await using at = await testApp({ store: new MemoryStore({ maxEvents: 20 }) });
    const id = await at.desk.store.id();
    await make(at, 100);
    await using blocks = await follow(at, "", lastEventId.replace("*", id));
    await blocks.next();
    expect(await blocks.next()).toBe(
      `id: ${id}:99\nevent: reset\ndata: {"because":"${because}","lastEventId":"${id}:99"}`,
    );
    await make(at, 2, "session-1", "b");
    expect(await blocks.numbers(2)).toEqual([100, 101]);
  });
});

describe("many who follow", () => {
  test("are served by one reader of the store", async () => {
    class Counting extends MemoryStore {
      reads = 0;

      override async eventsAfter(...args: Parameters<MemoryStore["eventsAfter"]>) {
        this.reads += 1;
        return super.eventsAfter(...args);
      }
    }
    const store = new Counting();
    await using at = await testApp({ store });
    const all = await Promise.all(Array.from({ length: 50 }, () => follow(at)));
    const before = store.reads;
    await make(at, 40);
    const seen = await Promise.all(all.map((blocks) => blocks.numbers(40)));
    expect(new Set(seen.map(String))).toEqual(new Set([String(range(0, 40))]));
    // One for the server and one for the broker's own learner, each with a look that finds nothing after each event.
    expect(store.reads - before).toBeLessThan(200);
    await Promise.all(all.map((blocks) => blocks[Symbol.asyncDispose]()));
  });

  test("are no more than may be, and whoever leaves makes room", async () => {
    await using at = await testApp({ maxSubscribers: 2 });
    const first = await follow(at);
    await using _second = await follow(at);
    const third = await at.ask("/events");
    expect([third.status, third.headers.get("retry-after")]).toEqual([503, "10"]);
    await first[Symbol.asyncDispose]();
    let status = 503;
    while (status === 503) {
      const again = await at.ask("/events");
      status = again.status;
      await again.body?.cancel();
    }
    expect(status).toBe(200);
  });

  test("hear from time to time that the connection is there, and from where to go on: also whoever wants nothing of what comes", async () => {
    await using at = await testApp({ heartbeatMs: 20 });
    const id = await at.desk.store.id();
    await using blocks = await follow(at, "?session=elsewhere");
    await make(at, 4);
    while ((await blocks.next()) !== `:\nid: ${id}:3`);
    expect(blocks.all).not.toContain("data:");
  });

  test("go on when the store was out of reach for a while", async () => {
    const store = new UnreadableStore();
    await using at = await testApp({ store });
    await using blocks = await follow(at);
    await make(at, 2);
    expect(await blocks.numbers(2)).toEqual([0, 1]);
    store.isDown = true;
    await make(at, 4, "session-1", "b");
    store.isDown = false;
    expect(await blocks.numbers(4)).toEqual([2, 3, 4, 5]);
  });

  test("come to an end with the server, and with the broker", async () => {
    await using at = await testApp();
    await using blocks = await follow(at);
    await using others = await testApp();
    await using other = await follow(others);
    await blocks.next();
    await other.next();
    await at.server.close();
    expect(await blocks.next()).toBeNull();
    await others.desk.broker[Symbol.asyncDispose]();
    expect(await other.next()).toBeNull();
  });
});

describe("one who takes nothing is cut off, the others notice nothing, and what it missed is there when it comes back", () => {
  test.each([
    ["more than may come meanwhile", { unsentBytes: 256 * 1024, stalledMs: 60_000 }],
    ["nothing for too long", { unsentBytes: 1024 ** 3, stalledMs: 100 }],
  ])("%s", async (_what, patience) => {
    const at = desk();
    using app = approvalApp(at.broker, { approvers: [ANN], hosts: ["here"], ...patience });
    const open = async (lastEventId?: string): Promise<Response> =>
      app.fetch(
        new Request("http://here/events", {
          headers: {
            host: "here",
            authorization: `Bearer ${ANN.token}`,
            ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
          },
        }),
      );
    const id = await at.store.id();
    // Without a server between them, what is not read is not sent.
    const slow = await open();
    await using quick = new Blocks(await open());
    const note = "x".repeat(10_000);
    const making = (async () => {
      for (let index = 0; index < 60; index += 1) {
        await put(at.broker, { approvalId: `${index}` }, { isBlocking: false });
        await at.broker.respond(`${index}`, { approved: false, note }, "ann");
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    })();
    expect(await quick.numbers(120)).toEqual(range(0, 120));
    await making;
    const cut = new Blocks(slow);
    const before: number[] = [];
    const reading = (async () => {
      for (;;) before.push(Number((await cut.data())["seq"]));
    })();
    await expect(reading).rejects.toThrow("the client was too slow");
    const last = before.length - 1;
    expect(before).toEqual(range(0, before.length));
    expect(last).toBeLessThan(60);
    await using back = new Blocks(await open(`${id}:${last}`));
    expect(await back.numbers(119 - last)).toEqual(range(last + 1, 120));
    await at.broker[Symbol.asyncDispose]();
  });
});
