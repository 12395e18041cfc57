import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApprovalRequest, CallbackHandler, createSupervisor, rejected, toolResult } from "cofferdam";
import { createGate } from "cofferdam/gate";
import { afterAll, beforeEach, expect, test } from "vitest";
import { runAgent } from "./agent.ts";
import { tools } from "./tools.ts";

const state = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-example-")));
process.env["XDG_STATE_HOME"] = state;
afterAll(() => rmSync(state, { recursive: true, force: true }));

const asked: ApprovalRequest[] = [];
beforeEach(() => {
  asked.length = 0;
});

/** Approves updates of ann, and rejects the rest. */
const person = new CallbackHandler((request) => {
  asked.push(request);
  const isFine = request.tool === "search_users" || JSON.stringify(request.safeArgs).includes('"ann"');
  return isFine ? { approved: true, by: "ann" } : rejected("ann", "only ann's orders, please");
});

const turn = [
  { tool: "search_users", args: {} },
  { tool: "update_user", args: '{"name":"ann","orders":4}' },
  { tool: "update_user", args: { name: "bob", orders: 0 } },
  { tool: "delete_user", args: {} },
  { tool: "drop_table", args: {} },
  { tool: "update_user", args: { name: "ann" } },
  { tool: "make_coffee", args: {} },
];

test("reads run, writes are asked about, what drops or deletes is denied, and the loop goes on (S0-2, S0-12, S0-34)", async () => {
  const transcript = await runAgent("support", [turn], person);
  expect(transcript).toEqual([
    { type: "success", output: ["ann", "bob"] },
    { type: "success", output: "ann has 4 orders" },
    {
      type: "denied",
      output: expect.stringMatching(/^Denied: rejected by ann: only ann's orders, please\nWhat would help: /),
    },
    {
      type: "denied",
      output: expect.stringMatching(/^Denied: rule `delete_\*` of the config\nWhat would help: /),
    },
    { type: "denied", output: expect.stringMatching(/^Denied: nobody drops tables here\nWhat would help: /) },
    {
      type: "error",
      error: expect.stringContaining("invalid arguments of `update_user`: `orders` is missing"),
    },
    { type: "error", error: expect.stringContaining("Error: tool `make_coffee` not found\n") },
  ]);
  expect(asked.map(({ tool, safeArgs, risk, agent }) => ({ tool, safeArgs, risk, agent }))).toEqual([
    { tool: "update_user", safeArgs: { name: "ann", orders: 4 }, risk: "write", agent: "support" },
    { tool: "update_user", safeArgs: { name: "bob", orders: 0 }, risk: "write", agent: "support" },
  ]);
  expect(new Set(asked.map(({ groupId }) => groupId)).size).toBe(1);
});

test("each agent has its own layer, and a deny of the project stands in all of them (S0-13)", async () => {
  const calls = [
    { tool: "search_users", args: {} },
    { tool: "update_user", args: { name: "bob", orders: 5 } },
    { tool: "drop_table", args: {} },
  ];
  const kinds = async (agent: string) => (await runAgent(agent, [calls], person)).map(({ type }) => type);
  expect(await kinds("search_agent")).toEqual(["success", "success", "denied"]);
  expect(asked).toEqual([]);
  expect(await kinds("deploy_agent")).toEqual(["success", "denied", "denied"]);
  expect(asked.map(({ tool }) => tool)).toEqual(["search_users", "update_user"]);
});

test("no model can call what approves: a gate has the tools that it guards and none of its own (S0-1)", async () => {
  using gate = createGate();
  const guarded = gate.guard(tools);
  for (const name of ["approval", "approve", "respond"])
    expect(await guarded.call(name, {})).toMatchObject({ kind: "failed" });
});

test("the gate works alone, without a sandbox or a config (S1-37)", async () => {
  using gate = createGate({
    approval: { rules: [{ pattern: "search_*", action: "allow" }] },
    handler: (request) => ({ approved: request.risk === "write", always: true }),
  });
  const guarded = gate.guard(tools);
  expect(toolResult(await guarded.call("search_users", {}))).toMatchObject({ type: "success" });
  const update = { name: "ann", orders: 3 };
  expect(await guarded.call("update_user", update)).toMatchObject({ kind: "done" });
  expect((await gate.grants()).map(({ covers }) => covers)).toEqual([
    'update_user with {"name":"ann","orders":3}',
  ]);
  expect(await guarded.call("drop_table", {})).toMatchObject({ kind: "denied", code: "APPROVAL_BLOCKED" });
});

test("commands of the same session are asked about by the same person (S1-1)", async () => {
  await using supervisor = await createSupervisor({ config: `${import.meta.dirname}/cofferdam.yaml` });
  await using session = supervisor.session({ handler: person });
  const outcome = await session.call("shell", {
    argv: ["touch", "users.csv"],
    cwd: `${import.meta.dirname}/data`,
  });
  expect(outcome).toMatchObject({ kind: "denied", code: "APPROVAL_DENIED" });
  expect(asked[0]).toMatchObject({ tool: "shell", granted: { network: "none" } });
});
