import { expect, test } from "vitest";
import { z } from "zod";
import { requiresApproval, toolFrom } from "../../../src/entry/compat.ts";
import { createGate } from "../../../src/entry/gate.ts";
import { approved, BrokerHandler, defineTool, MemoryStore } from "../../../src/index.ts";
import { atRest } from "../../support/approval/desk.ts";

const yesForSession = () => ({ approved: true, scope: "session", by: "ann" }) as const;

/** A tool that takes anything and tells what it was given. */
const echo = (name: string, risk: "write" | "destructive" = "write") =>
  defineTool({ name, risk, run: ({ input }) => input });

/** Counts how often it is asked. */
function counter(): () => number {
  let count = 0;
  return () => {
    count += 1;
    return count;
  };
}

test("an argument that libraries drop is none: no grant covers what it would have said", async () => {
  using gate = createGate({ handler: yesForSession });
  const tools = gate.guard([
    toolFrom(
      requiresApproval(function send(args: { to: string }) {
        return args;
      }),
    ),
  ]);
  expect(await tools.call("send", '{"to":"ann"}')).toMatchObject({ kind: "done" });
  expect(await tools.call("send", '{"to":"ann","__proto__":{"bcc":"eve"}}')).toMatchObject({
    kind: "failed",
  });
  expect(await tools.call("send", '{"to":"ann"}')).toMatchObject({ kind: "done" });
});

test("a filter with a part that there is not, or an undefined one, answers nothing", async () => {
  using gate = createGate({ handler: new BrokerHandler() });
  const tools = gate.guard([echo("a")]);
  const call = tools.call("a", {}, { groupId: "g1" });
  await atRest();
  for (const filter of [{ group_id: "g2" }, { groupId: undefined }])
    await expect(
      Reflect.apply(gate.broker.respondAll, gate.broker, [filter, approved("x"), "x"]),
    ).rejects.toThrow("this is no filter for requests");
  expect(await gate.broker.respondAll({ groupId: "g2" }, approved("x"), "x")).toBe(0);
  expect(await gate.broker.respondAll({ groupId: "g1" }, approved("x"), "x")).toBe(1);
  expect(await call).toMatchObject({ kind: "done" });
});

test("rules, people and the hash see arguments as the tool's schema makes them", async () => {
  const seen: unknown[] = [];
  const input = z.object({ env: z.string().trim().toLowerCase().default("prod") });
  using gate = createGate({
    approval: { rules: [{ pattern: "deploy", args: { env: "prod*" }, action: "deny" }] },
    handler: ({ safeArgs }) => {
      seen.push(safeArgs);
      return { approved: true };
    },
  });
  const tools = gate.guard([defineTool({ name: "deploy", input, run: ({ input: { env } }) => env })]);
  for (const args of [{ env: " PROD" }, {}, { env: "prod" }])
    expect(await tools.call("deploy", args)).toMatchObject({ kind: "denied", code: "APPROVAL_BLOCKED" });
  expect(await tools.call("deploy", { env: " Staging " })).toEqual({ kind: "done", value: "staging" });
  expect(seen).toEqual([{ env: "staging" }]);
});

test("a schema that makes something else of the same arguments each time runs nothing", async () => {
  const counted = counter();
  const ran: unknown[] = [];
  const input = z.object({ n: z.number().transform((n) => n + counted()) });
  using gate = createGate({ handler: () => ({ approved: true }) });
  const tools = gate.guard([defineTool({ name: "odd", input, run: () => ran.push(1) })]);
  const outcome = await tools.call("odd", { n: 1 });
  expect([outcome.kind, ran]).toEqual([outcome.kind === "denied" ? "denied" : "failed", []]);
});

test("many rules on one large argument are judged in time", async () => {
  const rules = Array.from({ length: 1_000 }, (_, at) => ({
    pattern: "*",
    args: { items: `*z${at}*` },
    action: "deny" as const,
  }));
  using gate = createGate({ approval: { rules, risk_defaults: { write: "allow" } } });
  const items = Array.from({ length: 50_000 }, () => 1);
  expect(await gate.guard([echo("a")]).call("a", { items })).toMatchObject({ kind: "done" });
});

test("a yes is gone where the look after it fails", async () => {
  const looks = counter();
  using gate = createGate({ wait: { style: "suspend" } });
  const input = z.object({}).refine(() => looks() !== 3, "not now");
  const tools = gate.guard([defineTool({ name: "a", input, run: () => "ran" })]);
  const pending = await tools.call("a", {});
  if (pending.kind !== "pending") throw new Error("it did not wait");
  const { approvalId } = pending;
  await gate.broker.respond(approvalId, approved("ann"), "ann");
  expect(await tools.call("a", {}, { approvalId })).toMatchObject({ kind: "failed" });
  expect(await gate.broker.find(approvalId)).toMatchObject({ status: "failed" });
  expect(await tools.call("a", {}, { approvalId })).toMatchObject({ kind: "denied" });
});

test("an answer that came by another broker on the same store counts when this one's time is over", async () => {
  const store = new MemoryStore();
  using asking = createGate({ store, handler: new BrokerHandler(), wait: { timeoutMs: 50 } });
  using other = createGate({ store });
  const call = asking.guard([echo("a")]).call("a", {});
  let requests = await other.broker.pending();
  for (; requests.length === 0; requests = await other.broker.pending()) await new Promise(setImmediate);
  const [request] = requests;
  expect(await other.broker.respond(request?.approvalId ?? "", { approved: false, by: "bob" }, "bob")).toBe(
    "accepted",
  );
  expect(await call).toMatchObject({ kind: "denied", reason: "rejected by bob" });
  expect(asking.broker.countWaiting(asking.sessionId)).toBe(0);
});

test("an example that fails keeps a gate from being made", () => {
  const rules = [{ pattern: "drp_*", action: "deny" as const, match: ["drop_table"] }];
  expect(() => createGate({ approval: { rules } })).toThrow(/an example fails/);
  expect(() => createGate({ approval: { agents: { bot: { rules } } } })).toThrow(/an example fails/);
});

test("of an answer that contradicts itself the narrower part counts", async () => {
  const answers = [
    { approved: true, scope: "once", always: true },
    { approved: true, scope: "session", always: false },
    { approved: true, scope: "once", remember: "session" },
  ] as const;
  for (const answer of answers) {
    using gate = createGate({ handler: () => answer });
    expect(await gate.guard([echo("a")]).call("a", {})).toMatchObject({ kind: "done" });
    expect(await gate.grants()).toEqual([]);
  }
});

test("a part of a tool that is misspelt is refused, not taken for one left out", () => {
  const misspelt = { name: "a", risk: "read_only", checkaproval: () => null, run: () => 1 };
  expect(() => Reflect.apply(defineTool, undefined, [misspelt])).toThrow(
    "unknown key `checkaproval` of a tool",
  );
});

test("times that are left undefined are as if they were left out", async () => {
  using gate = createGate({ handler: yesForSession });
  const wait: Record<string, unknown> = { timeoutMs: undefined };
  using loose = Reflect.apply(createGate, undefined, [{ handler: yesForSession, wait }]);
  for (const one of [gate, loose])
    expect(await one.guard([echo("a")]).call("a", {})).toMatchObject({ kind: "done" });
});
