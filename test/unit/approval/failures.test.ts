import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import { BrokerHandler } from "../../../src/approval/handlers.ts";
import { createGate, type GateSettings } from "../../../src/call/create-gate.ts";
import { telegramHandler } from "../../../src/channel/telegram.ts";
import { serveApprovals } from "../../../src/http/serve.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { SqliteStore } from "../../../src/store/sqlite.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import { Asked, Written } from "../../support/approval/asked.ts";
import { ANN, BotApi, EVE } from "../../support/telegram/bot-api.ts";
import { CHAT, TOKEN } from "../../support/telegram/one-bot.ts";

/** What can go wrong between a question and its answer; each row is a test whose title begins with it. */
const ROWS = [
  "no UI connected",
  "UI disconnects",
  "two UIs answer",
  "answer after expiry",
  "process killed while pending",
  "process killed while executing",
  "store locked",
  "store down",
  "clock skew",
  "changed tool",
  "changed policy",
  "grant revoked mid-run",
  "group with mixed answers",
  "approver not on the list",
  "forged id",
  "forged token",
  "oversized arguments",
  "prompt text cut",
] as const;

test("every row of the table of failures is a test", () => {
  const folder = join(import.meta.dirname, "../..");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".test.ts"),
  );
  const text = files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  expect(ROWS.filter((row) => !text.includes(`"failure, ${row}: `))).toEqual([]);
});

const folders: string[] = [];
const stores: SqliteStore[] = [];
const gates: AsyncDisposable[] = [];
afterEach(async () => {
  // One that lives on would say that it is there, in a file made anew.
  for (const gate of gates.splice(0)) await gate[Symbol.asyncDispose]();
  for (const store of stores.splice(0)) await store[Symbol.asyncDispose]();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A store of its own, as often as processes open it. */
function shared(options: ConstructorParameters<typeof SqliteStore>[1] = {}): () => SqliteStore {
  const folder = mkdtempSync(join(tmpdir(), "cofferdam-failures-"));
  folders.push(folder);
  return () => {
    const store = new SqliteStore(knownPath(`${folder}/approvals.sqlite`), options);
    stores.push(store);
    return store;
  };
}

/** A tool that counts its runs, behind a gate of its own. */
function guarded(settings: GateSettings, version = "1") {
  const ran: unknown[] = [];
  const gate = createGate(settings);
  gates.push(gate.broker);
  const tool = defineTool({ name: "deploy", version, run: ({ input }) => ran.push(input) });
  return { gate, ran, tools: gate.guard([tool]), broker: gate.broker };
}

const suspends = { wait: { style: "suspend" } } as const;

/** The id under which something waits, as soon as it does. */
async function waiting({ broker }: Pick<ReturnType<typeof guarded>, "broker">): Promise<string> {
  for (;;) {
    const [request] = await broker.pending();
    if (request !== undefined) return request.approvalId;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Asks, and leaves it open. */
async function asked(
  { tools }: ReturnType<typeof guarded>,
  args: unknown = { env: "staging" },
): Promise<string> {
  const outcome = await tools.call("deploy", args);
  if (outcome.kind !== "pending") throw new Error(JSON.stringify(outcome));
  return outcome.approvalId;
}

test("failure, no UI connected: a call that stands still is answered no by nobody; one that does not is kept", async () => {
  const open = shared();
  const alone = guarded({ store: open() });
  expect(await alone.tools.call("deploy", {})).toMatchObject({
    kind: "denied",
    reason: expect.stringContaining("no handler was available to ask"),
  });
  const later = guarded({ store: open(), ...suspends });
  const id = await asked(later);
  expect(await alone.broker.pending()).toMatchObject([{ approvalId: id }]);
  expect([alone.ran, later.ran]).toEqual([[], []]);
});

test("failure, UI disconnects: that is no answer; whoever comes next can give one", async () => {
  const open = shared();
  const handler = new Asked(() => {
    throw new Error("the connection was lost");
  });
  const process = guarded({ store: open(), handler: [handler, new BrokerHandler()] });
  const called = process.tools.call("deploy", {});
  const id = await waiting(process);
  const other = guarded({ store: open() });
  expect(await other.broker.respond(id, approved("ann"), "another page")).toBe("accepted");
  expect(await called).toMatchObject({ kind: "done" });
});

test("failure, two UIs answer: the first counts, the second is told who was first", async () => {
  const open = shared();
  const process = guarded({ store: open(), handler: new BrokerHandler() });
  const [one, two] = [guarded({ store: open() }), guarded({ store: open() })];
  const called = process.tools.call("deploy", {});
  const id = await waiting(process);
  const said = await Promise.all([
    one.broker.respond(id, rejected("ann", "no"), "a page"),
    two.broker.respond(id, approved("bob"), "a chat"),
  ]);
  expect(said.toSorted()).toEqual(["accepted", "duplicate"]);
  const by = said[0] === "accepted" ? "ann" : "bob";
  expect((await two.broker.find(id))?.decision).toMatchObject({ by });
  expect((await called).kind).toBe(by === "bob" ? "done" : "denied");
  expect(process.ran.length).toBe(by === "bob" ? 1 : 0);
});

test("failure, answer after expiry: it is told so, counts for nothing, and nothing runs", async () => {
  let now = 1_900_000_000_000;
  const open = shared({ now: () => now });
  const process = guarded({
    store: open(),
    wait: { style: "suspend", timeoutMs: 1_000, onTimeout: "error" },
  });
  const id = await asked(process);
  now += 1_000;
  const other = guarded({ store: open() });
  expect(await other.broker.respond(id, approved("ann"), "a page")).toBe("expired");
  expect(await other.broker.find(id)).toMatchObject({ status: "expired" });
  expect(await process.tools.call("deploy", { env: "staging" }, { approvalId: id })).toMatchObject({
    kind: "denied",
    code: "APPROVAL_TIMEOUT",
  });
  expect(process.ran).toEqual([]);
});

test("failure, store locked: nothing is asked, answered or run, and all goes on when it is free", async () => {
  const open = shared({ patienceMs: 50 });
  const process = guarded({ store: open(), ...suspends });
  const id = await asked(process);
  await process.broker.respond(id, approved("ann"), "a page");
  const { DatabaseSync } = await import("node:sqlite");
  const lock = new DatabaseSync(`${folders[0]}/approvals.sqlite`);
  lock.exec("BEGIN EXCLUSIVE");
  const locked = { kind: "failed", error: { code: "STORE_UNAVAILABLE" } };
  expect(await process.tools.call("deploy", { env: "staging" }, { approvalId: id })).toMatchObject(locked);
  expect(await process.tools.call("deploy", { env: "other" })).toMatchObject(locked);
  await expect(process.broker.respond(id, rejected("bob"), "a page")).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
  });
  expect(process.ran).toEqual([]);
  lock.exec("ROLLBACK");
  lock.close();
  expect(await process.tools.call("deploy", { env: "staging" }, { approvalId: id })).toMatchObject({
    kind: "done",
  });
});

test("failure, store down: a file that is no store is left as it is, and nothing runs", async () => {
  const open = shared();
  const file = `${folders[0]}/approvals.sqlite`;
  writeFileSync(file, "this is no database, whatever it is called", { mode: 0o600 });
  const process = guarded({ store: open(), ...suspends });
  expect(await process.tools.call("deploy", {})).toMatchObject({
    kind: "failed",
    error: { code: "STORE_UNAVAILABLE" },
  });
  expect(readFileSync(file, "utf8")).toBe("this is no database, whatever it is called");
  expect(process.ran).toEqual([]);
});

test("failure, clock skew: how long a request has counts, by the store's clock, not what the asker's clock says", async () => {
  let now = 1_000_000;
  const open = shared({ now: () => now });
  const process = guarded({
    store: open(),
    wait: { style: "suspend", timeoutMs: 60_000, onTimeout: "error" },
  });
  const id = await asked(process);
  // By the clock of whoever asked, which is decades ahead, it had no time at all to the store's.
  expect((await process.broker.find(id))?.request.createdAt).toBeGreaterThan(now + 60_000);
  now += 59_999;
  expect(await process.broker.pending()).toHaveLength(1);
  now += 1;
  expect(await process.broker.respond(id, approved("ann"), "a page")).toBe("expired");
});

test("failure, changed tool: a yes to one version of it is none to another", async () => {
  const open = shared();
  const id = await asked(guarded({ store: open(), ...suspends }));
  const changed = guarded({ store: open(), ...suspends }, "2");
  await changed.broker.respond(id, approved("ann"), "a page");
  const again = await changed.tools.call("deploy", { env: "staging" }, { approvalId: id });
  expect(again).toMatchObject({ kind: "pending" });
  expect("approvalId" in again && again.approvalId).not.toBe(id);
  expect(changed.ran).toEqual([]);
});

test("failure, changed policy: a new deny wins over a yes that was given before it", async () => {
  const open = shared();
  const id = await asked(guarded({ store: open(), ...suspends }));
  const denies = guarded({
    store: open(),
    approval: { rules: [{ pattern: "deploy", action: "deny", reason: "not on Fridays" }] },
  });
  await denies.broker.respond(id, approved("ann"), "a page");
  expect(await denies.tools.call("deploy", { env: "staging" }, { approvalId: id })).toMatchObject({
    kind: "denied",
    reason: "not on Fridays",
  });
  expect(denies.ran).toEqual([]);
});

test("failure, grant revoked mid-run: what runs goes on to its end, and the next call is asked about again", async () => {
  const open = shared();
  const handler = new Asked(() => ({ approved: true, by: "ann", scope: "session" }));
  const gate = createGate({ store: open(), handler });
  gates.push(gate.broker);
  const going = Promise.withResolvers<void>();
  let ended = 0;
  const tools = gate.guard([
    defineTool({
      name: "deploy",
      run: async () => {
        await going.promise;
        ended += 1;
      },
    }),
  ]);
  const running = tools.call("deploy", {});
  while ((await gate.grants()).length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const [grant] = await gate.grants();
  const other = guarded({ store: open() });
  expect(await other.broker.revoke(grant?.grantId ?? "", "bob")).toBe(true);
  going.resolve();
  expect(await running).toMatchObject({ kind: "done" });
  expect([ended, handler.requests.length]).toEqual([1, 1]);
  await tools.call("deploy", {});
  expect(handler.requests.length).toBe(2);
});

test("failure, group with mixed answers: each call has its own, and no no keeps another from running", async () => {
  const open = shared();
  const process = guarded({ store: open(), handler: new BrokerHandler() });
  const other = guarded({ store: open() });
  const called = process.tools.callAll(["a", "b", "c"].map((env) => ({ tool: "deploy", args: { env } })));
  const requests = await vi.waitFor(async () => {
    const all = await other.broker.pending();
    expect(all).toHaveLength(3);
    return all;
  });
  for (const { approvalId, safeArgs } of requests) {
    const isYes = !JSON.stringify(safeArgs).includes('"b"');
    await other.broker.respond(approvalId, isYes ? approved("ann") : rejected("ann"), "a page");
  }
  expect((await called).map(({ kind }) => kind)).toEqual(["done", "denied", "done"]);
  expect(process.ran).toEqual(expect.arrayContaining([{ env: "a" }, { env: "c" }]));
});

test("failure, forged id: an id that nobody made decides nothing, runs nothing, and is written down", async () => {
  const open = shared();
  const journal = new Written();
  const process = guarded({ store: open(), journal, ...suspends });
  const id = await asked(process);
  const forged = `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;
  expect(await process.broker.respond(forged, approved("mallory"), "a page")).toBe("unknown");
  expect(await process.tools.call("deploy", { env: "staging" }, { approvalId: forged })).toMatchObject({
    kind: "denied",
  });
  expect(await process.broker.find(id)).toMatchObject({ status: "pending" });
  expect(journal.of("approval.ignored")).toMatchObject([{ approvalId: forged, because: "unknown" }]);
  expect(process.ran).toEqual([]);
});

test("failure, forged token: over HTTP it is refused, and the request waits on; the right one is taken", async () => {
  const process = guarded({ store: shared()(), ...suspends });
  const id = await asked(process);
  const token = Buffer.alloc(32, 7).toString("base64url");
  await using server = await serveApprovals(process.broker, { approvers: [{ name: "ann", token }] });
  const answer = async (given: string): Promise<number> => {
    const headers = { authorization: `Bearer ${given}`, "content-type": "application/json" };
    const body = JSON.stringify({ approved: true });
    return (await fetch(`${server.url}/approvals/${id}`, { method: "POST", headers, body })).status;
  };
  expect(await answer(Buffer.alloc(32, 8).toString("base64url"))).toBe(401);
  expect(await process.broker.find(id)).toMatchObject({ status: "pending" });
  expect(await answer(token)).toBe(200);
  expect((await process.broker.find(id))?.decision).toMatchObject({ by: "ann" });
});

test("failure, approver not on the list: in the chat they are told so, and decide nothing; one who is on it does", async () => {
  const process = guarded({ store: shared()(), ...suspends });
  const id = await asked(process);
  await using api = await BotApi.start(1000);
  await using chat = telegramHandler({ token: TOKEN, chat: CHAT, approvers: [ANN.id], apiRoot: api.root });
  using _attending = await process.broker.attend(chat);
  const message = await api.message("this call needs your approval");
  expect(await api.answer(api.press(message, "Approve", EVE))).toBe("You may not answer this request.");
  expect(await process.broker.find(id)).toMatchObject({ status: "pending" });
  expect(await api.answer(api.press(message, "Approve", ANN))).toBe("Approved");
  expect(await process.broker.find(id)).toMatchObject({ status: "approved" });
});

test("failure, oversized arguments: people are shown a bounded part that says so; what is run is the whole, as it was asked", async () => {
  const open = shared();
  const process = guarded({ store: open(), ...suspends });
  const args = { text: "x".repeat(200_000), list: Array.from({ length: 500 }, (_, index) => index) };
  const id = await asked(process, args);
  const other = guarded({ store: open() });
  const request = (await other.broker.find(id))?.request;
  expect(JSON.stringify(request).length).toBeLessThan(20_000);
  expect(request?.redactions.cut.length).toBeGreaterThan(0);
  await other.broker.respond(id, approved("ann", { scope: "session" }), "a page");
  expect(await process.tools.call("deploy", args, { approvalId: id })).toMatchObject({ kind: "done" });
  expect(process.ran).toEqual([args]);
});

test("failure, prompt text cut: what could not be shown whole can't be granted for the session", async () => {
  const open = shared();
  const process = guarded({ store: open(), ...suspends });
  const args = { text: "x".repeat(200_000) };
  const id = await asked(process, args);
  expect((await process.broker.find(id))?.request.covers).toBeNull();
  await process.broker.respond(id, approved("ann", { scope: "session" }), "a page");
  expect((await process.broker.find(id))?.decision).toMatchObject({ scope: "once" });
  await process.tools.call("deploy", args, { approvalId: id });
  expect(await process.gate.grants()).toEqual([]);
  expect(await asked(process, args)).not.toBe(id);
});
