import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createGate } from "../../src/call/create-gate.ts";
import { TerminalScreen } from "../../src/channel/screen.ts";
import { telegramHandler } from "../../src/channel/telegram.ts";
import { Event } from "../../src/event/event.ts";
import { approvalApp } from "../../src/http/app.ts";
import { FileJournal, MemoryJournal } from "../../src/journal/journal.ts";
import { absolutePath, joinPath } from "../../src/profile/path.ts";
import { MemoryStore } from "../../src/store/memory.ts";
import { PostgresStore } from "../../src/store/postgres.ts";
import { SqliteStore } from "../../src/store/sqlite.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { Asked } from "../support/approval/asked.ts";
import { bringing, desk, SILENCE } from "../support/approval/desk.ts";
import { requestWith } from "../support/approval/request.ts";
import { ANN } from "../support/http/test-app.ts";
import { newsOf } from "../support/store/named-news.ts";
import { refusalOf } from "./config/machine.ts";

const EVENT = Event.parse({
  version: 1,
  seq: 0,
  runId: "run-1",
  sessionId: "s",
  callId: null,
  at: "2030-01-02T03:04:05.678Z",
  type: "session.started",
  config: null,
  ceiling: [],
  mode: "interactive",
});

/** For Node 22, which does not know `await using`. */
describe("`close()` ends, without `using`,", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(`${tmpdir()}/cofferdam-close-`);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const waits = (at = desk()) => ({
    ...at,
    answer: at.broker.request(requestWith({ approvalId: "1" }), bringing([SILENCE])),
  });

  test("a gate: the call that waits is answered no", async () => {
    const gate = createGate({ handler: new Asked(() => new Promise(() => undefined)) });
    const call = gate.guard([defineTool({ name: "deploy", run: () => 1 })]).call("deploy", {});
    while ((await gate.broker.pending()).length === 0) await Promise.resolve();
    await gate.close();
    expect(await call).toMatchObject({ kind: "denied", code: "APPROVAL_DENIED" });
  });

  test("a broker: the request that waits is answered no", async () => {
    const { broker, answer } = waits();
    while ((await broker.pending()).length === 0) await Promise.resolve();
    await broker.close();
    expect(await answer).toEqual({ status: "rejected", by: "nobody", note: "the supervisor has ended" });
  });

  test("what `attend` returns: its handlers are asked no more", async () => {
    const { broker } = desk();
    const asked = new Asked();
    const attending = await broker.attend(asked);
    attending.close();
    const answer = broker.request(requestWith({ approvalId: "1" }), bringing([() => ({ approved: true })]));
    expect(await answer).toMatchObject({ status: "approved" });
    expect(asked.requests).toEqual([]);
    await broker.close();
  });

  test("what `lend` returns: the terminal is nobody's", async () => {
    const screen = new TerminalScreen();
    const lent = await screen.lend();
    expect(screen.isLent).toBe(true);
    lent.close();
    expect(screen.isLent).toBe(false);
  });

  test("a chat: whoever asks there is told that it is closed", async () => {
    const handler = telegramHandler({ token: "1:a", chat: 1, approvers: [1], apiRoot: "http://127.0.0.1:9" });
    await handler.close();
    const { broker } = desk();
    const answer = broker.request(requestWith({ approvalId: "1" }), { ...bringing([]), handlers: [handler] });
    const note = "no person could be asked: the Telegram channel is closed";
    expect(await answer).toEqual({ status: "rejected", by: "nobody", note });
    await broker.close();
  });

  test("the routes: every stream of events", async () => {
    const { broker } = desk();
    const app = approvalApp(broker, { approvers: [ANN], hosts: ["localhost"] });
    const headers = { authorization: `Bearer ${ANN.token}`, host: "localhost" };
    const response = await app.fetch(new Request("http://localhost/events", { headers }));
    expect(response.status).toBe(200);
    app.close();
    for (const reader = response.body?.getReader(); ; ) if ((await reader?.read())?.done !== false) break;
    await broker.close();
  });

  test("a journal: a file takes no more events, and one in memory has none", () => {
    const memory = new MemoryJournal();
    memory.write(EVENT);
    memory.close();
    expect(memory.events).toEqual([]);
    const file = new FileJournal(absolutePath(folder), "run-1");
    file.write(EVENT);
    file.close();
    expect(refusalOf(() => file.write(EVENT)).message).toBe("the record is closed: its supervisor has ended");
  });

  test.each([
    ["in memory", () => new MemoryStore()],
    ["in a file", () => new SqliteStore(joinPath(absolutePath(folder), "approvals.sqlite"))],
  ])("a store %s: whoever watches it is not called any more", async (_where, make) => {
    const store = make();
    let calls = 0;
    store.watch(() => (calls += 1));
    await store.close();
    calls = 0;
    await store.append(newsOf("a"));
    expect(calls).toBe(0);
    await store.close();
  });

  test("a store in Postgres that was not reached yet", async () => {
    const store = new PostgresStore({ connection: { host: "/nonexistent", database: "a", user: "a" } });
    await expect(store.close()).resolves.toBeUndefined();
  });
});
