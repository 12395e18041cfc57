import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import type { EventFilter } from "../../../src/approval/approval-log.ts";
import type { Broker } from "../../../src/approval/broker.ts";
import { approved, rejected } from "../../../src/approval/factories.ts";
import type { ApprovalEvent } from "../../../src/event/event.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { atRest, bringing, desk, handlingAll, SILENCE } from "../../support/approval/desk.ts";
import { requestWith } from "../../support/approval/request.ts";

/** Asks about so many at once, and answers each. */
async function askMany(
  broker: Broker,
  count: number,
  sessionId = "session-1",
  runId = "run-1",
): Promise<void> {
  const asked = Array.from({ length: count }, (_, index) =>
    broker.request(
      requestWith({ approvalId: `${sessionId} ${index}`, sessionId, runId }),
      bringing([async () => (index % 2 === 0 ? approved("ann") : rejected("ann"))]),
    ),
  );
  await Promise.all(asked);
}

/** Follows events until the broker ends, with a rest after each where the reader is slow. */
async function follow(
  broker: Broker,
  filter: EventFilter = {},
  isSlow = false,
): Promise<readonly ApprovalEvent[]> {
  const seen: ApprovalEvent[] = [];
  for await (const event of broker.events(filter)) {
    seen.push(event);
    if (isSlow && seen.length % 50 === 0) await atRest();
  }
  return seen;
}

const numbers = (events: readonly ApprovalEvent[]): readonly number[] => events.map(({ seq }) => seq);

test("every subscriber, early, late or slow, sees each event of 1,000 questions at once, once and in order (S0-3, S2-8, S4-2, S4-17)", async () => {
  const { broker, written } = desk();
  const early = [follow(broker), follow(broker, {}, true)];
  await askMany(broker, 500);
  const late = follow(broker, {}, true);
  const middle = written()[300]?.seq ?? 0;
  const back = follow(broker, { after: middle });
  await askMany(broker, 500, "session-2");
  await broker[Symbol.asyncDispose]();
  const all = written();
  expect(all).toHaveLength(2_000);
  for (const seen of [...early, late]) expect(await seen).toEqual(all);
  expect(await back).toEqual(all.slice(301));
});

test("the numbers that subscribers see are the journal's", async () => {
  const { broker, written } = desk();
  const seen = follow(broker);
  await askMany(broker, 10);
  await broker.respond("nowhere", approved("ann"), "a page");
  await broker[Symbol.asyncDispose]();
  expect(numbers(await seen)).toEqual(numbers(written()));
});

test("events come as they happen: a question is seen before it is answered (S0-3)", async () => {
  const { broker } = desk();
  const events = broker.events()[Symbol.asyncIterator]();
  const held = broker.request(requestWith(), bringing([SILENCE]));
  const first = await events.next();
  expect(first.value).toMatchObject({
    type: "approval.requested",
    seq: 0,
    request: { approvalId: "approval-1" },
  });
  await broker.respond("approval-1", approved("ann"), "a page");
  expect((await events.next()).value).toMatchObject({ type: "approval.resolved", seq: 1, approved: true });
  await held;
  await events.return?.();
});

test("a session's events are no other's; without a filter there are all (S4-16)", async () => {
  const { broker, written } = desk();
  const [one, all] = [follow(broker, { sessionId: "session-2" }), follow(broker)];
  await askMany(broker, 5);
  await askMany(broker, 5, "session-2");
  await broker[Symbol.asyncDispose]();
  expect(await all).toHaveLength(20);
  expect(await one).toEqual(written().filter(({ sessionId }) => sessionId === "session-2"));
});

test("a run that shares a store with another tells its own events, and the other's to whoever names it (S4-16)", async () => {
  const store = new MemoryStore();
  const before = desk({ store });
  await askMany(before.broker, 5);
  const { broker, written } = desk({ store, runId: "run-2" });
  const [own, other] = [follow(broker), follow(broker, { runId: "run-1" })];
  await askMany(broker, 3, "session-2", "run-2");
  await broker[Symbol.asyncDispose]();
  // The store numbers what all its runs tell.
  expect(await own).toEqual(written().map((event) => ({ ...event, seq: event.seq + 10 })));
  expect(await other).toEqual(before.written());
});

test("who comes back too late is told so, and gets what is kept by asking without a number (S4-17)", async () => {
  const { broker } = desk({ store: new MemoryStore({ maxEvents: 100 }) });
  await askMany(broker, 500);
  await expect(follow(broker, { after: 0 })).rejects.toMatchObject({ code: "EVENTS_GONE" });
  const kept = follow(broker);
  await broker[Symbol.asyncDispose]();
  expect((await kept).length).toBeGreaterThanOrEqual(100);
  expect((await kept).at(-1)?.seq).toBe(999);
});

describe("a subscriber leaves nothing behind", () => {
  test("when it returns while it waits for the next event: that wait ends at once", async () => {
    const { broker } = desk();
    const signal = new AbortController().signal;
    const events = broker.events({ signal })[Symbol.asyncIterator]();
    const next = events.next();
    await atRest();
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await events.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("when it breaks off, and when its signal is aborted between two events or before the first", async () => {
    const { broker } = desk();
    await askMany(broker, 10);
    const breaking = new AbortController();
    for await (const _ of broker.events({ signal: breaking.signal })) break;
    expect(getEventListeners(breaking.signal, "abort")).toEqual([]);

    const aborting = new AbortController();
    let seen = 0;
    for await (const _ of broker.events({ signal: aborting.signal })) {
      seen += 1;
      if (seen === 3) aborting.abort();
    }
    expect(seen).toBe(3);
    expect(getEventListeners(aborting.signal, "abort")).toEqual([]);
    expect(await follow(broker, { signal: AbortSignal.abort() })).toEqual([]);
  });

  test("when its signal is aborted while it waits: one signal serves a thousand", async () => {
    const { broker } = desk();
    const aborting = new AbortController();
    const many = Array.from({ length: 1_000 }, () => follow(broker, { signal: aborting.signal }));
    await atRest();
    aborting.abort();
    for (const seen of await Promise.all(many)) expect(seen).toEqual([]);
    expect(getEventListeners(aborting.signal, "abort")).toEqual([]);
  });
});

test("events are kept in their order by a store that takes its time, and one that it loses is its teller's to say", async () => {
  await handlingAll(async () => {
    let isDown = false;
    class Slow extends MemoryStore {
      #calls = 0;

      override async add(...given: Parameters<MemoryStore["add"]>): Promise<void> {
        this.#calls += 1;
        // The first takes longest: without order, later ones would overtake it.
        for (let turn = this.#calls; turn < 20; turn += 1)
          await new Promise((resolve) => setImmediate(resolve));
        if (isDown) throw new Error("connection lost");
        await super.add(...given);
      }
    }
    const { broker, written } = desk({ store: new Slow() });
    const seen = follow(broker);
    await askMany(broker, 20);
    isDown = true;
    await expect(askMany(broker, 1, "session-2")).rejects.toThrow("connection lost");
    expect(await broker.pending()).toEqual([]);
    isDown = false;
    await askMany(broker, 1, "session-3");
    await broker[Symbol.asyncDispose]();
    const kept = written().filter(({ sessionId }) => sessionId !== "session-2");
    expect(await seen).toEqual(kept.map((event, seq) => ({ ...event, seq })));
  });
});
