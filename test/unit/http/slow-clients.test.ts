import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ClientQueue } from "../../../src/http/client-queue.ts";
import { EventClient } from "../../../src/http/event-client.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { ANN, put, type TestApp, testApp } from "../../support/http/test-app.ts";
import { Blocks, range } from "../../support/http/wire.ts";
import { UnreadableStore } from "../../support/store/unreadable.ts";

const folder = mkdtempSync(join(tmpdir(), "cofferdam-slow-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the kernel, the client's own streams and the piece that is being written hold, at the most. */
const BUFFERS = 1024 ** 2;

/** Asks for the events over a unix socket, whose buffers are small. Nothing is read before somebody reads the response. */
function follow({ server }: TestApp, lastEventId?: string): Promise<IncomingMessage> {
  const headers = {
    host: "localhost",
    authorization: `Bearer ${ANN.token}`,
    ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
  };
  const socketPath = server.url.slice("unix:".length);
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path: "/events", headers, agent: false }, resolve);
    asked.once("error", reject).end();
  });
}

function blocksOf(response: IncomingMessage): Blocks {
  const parts: AsyncIterator<Uint8Array<ArrayBuffer>> = response[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const part = await parts.next();
      if (part.done === true) controller.close();
      else controller.enqueue(part.value);
    },
    cancel: () => void response.destroy(),
  });
  return new Blocks(new Response(body));
}

/** True once the server has let go of one of two clients: a third is let in. */
async function hasRoom(at: TestApp): Promise<boolean> {
  const response = await follow(at);
  response.destroy();
  return response.statusCode === 200;
}

/** Makes two events, with so many characters in the second. */
async function makeTwo({ desk }: TestApp, approvalId: string, length: number): Promise<void> {
  await put(desk.broker, { approvalId }, { isBlocking: false });
  await desk.broker.respond(approvalId, { approved: false, note: "x".repeat(length) }, "ann");
}

describe("a client that reads nothing is cut off, the others get every event meanwhile, and it gets the rest when it comes back", () => {
  test.each([
    ["after as many bytes as may wait", { unsentBytes: 256 * 1024, stalledMs: 600_000 }, 10_000, 256 * 1024],
    ["after as many events as may wait", { unsentBytes: 1024 ** 3, stalledMs: 600_000 }, 0, 2_000 * 1_000],
    ["after some time", { unsentBytes: 1024 ** 3, stalledMs: 200 }, 10_000, Number.POSITIVE_INFINITY],
  ])("%s", async (what, bounds, length, max) => {
    const store = new MemoryStore();
    const listen = join(folder, `${bounds.stalledMs} ${length}.sock`);
    await using at = await testApp({ store, listen, maxSubscribers: 2, ...bounds });
    const slow = await follow(at);
    await using quick = blocksOf(await follow(at));
    let count = 0;
    let bytes = 0;
    do {
      // What was made is read by the other client before more is made: it waits for nobody.
      for (let index = 0; index < 10; index += 1) await makeTwo(at, `${count} ${index}`, length);
      expect(await quick.numbers(20)).toEqual(range(count, count + 20));
      count += 20;
      bytes = quick.all.length;
      if (what === "after some time" && bytes > 2 * BUFFERS) break;
    } while (!(await hasRoom(at)));
    while (!(await hasRoom(at))) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(bytes).toBeLessThan(max + BUFFERS);
    const seen: number[] = [];
    const reading = (async () => {
      const blocks = blocksOf(slow);
      for (;;) seen.push(Number((await blocks.data())["seq"]));
    })();
    await expect(reading).rejects.toThrow(/aborted|ECONNRESET|terminated/);
    expect(seen).toEqual(range(0, seen.length));
    expect(seen.length).toBeLessThan(count);
    let again = await follow(at, `${await store.id()}:${seen.length - 1}`);
    // The one that found room may not have left yet.
    while (again.statusCode !== 200) again = await follow(at, `${await store.id()}:${seen.length - 1}`);
    await using back = blocksOf(again);
    expect(await back.numbers(count - seen.length)).toEqual(range(seen.length, count));
  });
});

describe("a client's queue", () => {
  const bytes = (length: number): Uint8Array => new Uint8Array(length);
  const isOpen = (queue: ClientQueue): boolean => !queue.closed.aborted;

  test("holds 2,000 events and no more, however small", () => {
    const queue = new ClientQueue(2_000_000, bytes(100), null);
    for (let index = 0; index < 2_000; index += 1) queue.add(bytes(1));
    expect(isOpen(queue)).toBe(true);
    queue.add(bytes(1));
    expect(isOpen(queue)).toBe(false);
  });

  test("holds as many bytes as it may and no more, besides what comes first", () => {
    const queue = new ClientQueue(10_000, bytes(50_000), null);
    for (let index = 0; index < 10; index += 1) queue.add(bytes(1_000));
    expect(isOpen(queue)).toBe(true);
    queue.add(bytes(1));
    expect(isOpen(queue)).toBe(false);
  });

  test("lets one event pass that is larger, and nothing after it before it is read", async () => {
    const queue = new ClientQueue(1_000, bytes(1), null);
    queue.add(bytes(5_000));
    const reader = queue.body.getReader();
    await reader.read();
    expect((await reader.read()).value?.length).toBe(5_000);
    queue.add(bytes(5_000));
    expect(isOpen(queue)).toBe(true);
    queue.add(bytes(1));
    expect(isOpen(queue)).toBe(false);
    await expect(reader.read()).rejects.toThrow("the client was too slow");
  });

  test("holds nothing of a client that was cut off or has left, and ends a known connection once", async () => {
    let ends = 0;
    const cut = new ClientQueue(1_000, bytes(1), () => {
      ends += 1;
    });
    cut.cut();
    cut.cut();
    cut.add(bytes(1));
    const left = new ClientQueue(1_000, bytes(1), () => {
      ends += 1;
    });
    await left.body.cancel();
    left.add(bytes(1_000));
    left.add(bytes(1_000));
    left.end();
    expect([ends, isOpen(cut), isOpen(left)]).toEqual([1, false, false]);
  });

  test("sends what waits when the stream ends", async () => {
    const queue = new ClientQueue(1_000, bytes(1), null);
    queue.add(bytes(2));
    queue.end();
    queue.add(bytes(3));
    const sizes: number[] = [];
    for await (const { length } of queue.body) sizes.push(length);
    expect(sizes).toEqual([1, 2]);
  });
});

test("a client that reads little, but again and again, is not cut off for that", async () => {
  const queue = new ClientQueue(1_000, new Uint8Array(1), null);
  const client = new EventClient(queue, "store", { view: "envelope", runId: null, sessionId: null }, -1);
  for (let seq = 0; seq < 5; seq += 1) {
    const one = { seq, runId: "run", sessionId: "session" };
    client.send({ ...one, bytes: { envelope: new Uint8Array(10), stream: null } });
  }
  const reader = queue.body.getReader();
  const tick = async (): Promise<boolean> => {
    client.tick(Number.POSITIVE_INFINITY, Number.MIN_VALUE);
    await new Promise((resolve) => setTimeout(resolve, 1));
    return !queue.closed.aborted;
  };
  await reader.read();
  for (let round = 0; round < 3; round += 1) {
    await reader.read();
    expect(await tick()).toBe(true);
  }
  expect(await tick()).toBe(false);
});

test("clients that come back together read the store one after the other, and hold up nobody", async () => {
  class Watched extends MemoryStore {
    readers = 0;
    max = 0;

    override async eventsAfter(...[after, limit, runId]: Parameters<MemoryStore["eventsAfter"]>) {
      this.readers += 1;
      this.max = Math.max(this.max, this.readers);
      await new Promise((resolve) => setImmediate(resolve));
      this.readers -= 1;
      return super.eventsAfter(after, limit, runId);
    }
  }
  const store = new Watched();
  await using at = await testApp({ store });
  for (let index = 0; index < 200; index += 1) await makeTwo(at, `${index}`, 100);
  const id = await store.id();
  store.max = 0;
  let isOver = false;
  let answered = 0;
  const asking = (async () => {
    for (; !isOver; answered += 1) expect((await at.ask("/health")).status).toBe(200);
  })();
  const seen = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const headers = { "last-event-id": `${id}:-1` };
      const response = await at.ask("/events", { headers });
      expect(response.status).toBe(200);
      await using blocks = new Blocks(response);
      return await blocks.numbers(400);
    }),
  );
  isOver = true;
  await asking;
  expect(new Set(seen.map(String))).toEqual(new Set([String(range(0, 400))]));
  // The one that comes back, the feed of the server and that of the broker.
  expect(store.max).toBeLessThanOrEqual(3);
  expect(answered).toBeGreaterThan(1);
});

test("clients are told to look anew when the store has dropped events before the server read them, and get the next ones", async () => {
  const store = new UnreadableStore({ maxEvents: 20 });
  await using at = await testApp({ store });
  const id = await store.id();
  await using blocks = new Blocks(await at.ask("/events"));
  await makeTwo(at, "before", 0);
  expect(await blocks.numbers(2)).toEqual([0, 1]);
  store.isDown = true;
  for (let index = 0; index < 50; index += 1) await makeTwo(at, `${index}`, 0);
  store.isDown = false;
  expect(await blocks.next()).toBe(
    `id: ${id}:101\nevent: reset\ndata: {"because":"gone","lastEventId":"${id}:101"}`,
  );
  await makeTwo(at, "after", 0);
  expect(await blocks.numbers(2)).toEqual([102, 103]);
});
