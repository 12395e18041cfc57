import { describe, expect, test } from "vitest";
import { createGate, type GateSettings } from "../../../src/call/create-gate.ts";
import type { ApprovalRequest } from "../../../src/policy/request.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import { Asked, Written } from "../../support/approval/asked.ts";
import { atRest } from "../../support/approval/desk.ts";

const SIMILAR = { approved: true, scope: "similar", by: "ann" } as const;

/** A gate with two tools of one server, and somebody who answers. */
function gateWith(answer: (request: ApprovalRequest) => unknown, settings: GateSettings = {}) {
  const handler = new Asked(answer);
  const journal = new Written();
  const gate = createGate({ handler, journal, ...settings });
  const ran: unknown[] = [];
  const tool = (name: string, version = "1") =>
    defineTool({ name, version, run: (args) => void ran.push([name, args]) });
  return { gate, handler, journal, ran, tools: gate.guard([tool("files/read"), tool("files/write")]) };
}

describe("an approval of similar calls", () => {
  test("is offered with its exact cover, answers the tool with any arguments, and no other tool", async () => {
    const { gate, handler, ran, tools } = gateWith(() => SIMILAR);
    await tools.call("files/read", { path: "a" });
    expect(handler.requests[0]?.offers).toMatchObject([
      {
        scope: "similar",
        covers: "`files/read` with any arguments",
        passed: { count: 0 },
        asked: { count: 0 },
      },
    ]);
    await tools.call("files/read", { path: "b", deep: { x: [1] } });
    await tools.call("files/read", {});
    expect([handler.requests.length, ran.length]).toEqual([1, 3]);
    await tools.call("files/write", { path: "a" });
    expect(handler.requests.length).toBe(2);
    expect((await gate.grants()).map(({ kind }) => kind)).toEqual(["cover", "cover"]);
  });

  test("says which recorded calls it would have let pass, and which not", async () => {
    const { handler, tools } = gateWith(() => ({ approved: true, by: "ann" }));
    await tools.call("files/read", { path: "a" });
    await tools.call("files/write", { path: "b" });
    await tools.call("files/read", { path: "c" });
    expect(handler.requests.at(-1)?.offers).toMatchObject([
      { passed: { count: 1, calls: ["use files/read"] }, asked: { count: 1, calls: ["use files/write"] } },
    ]);
  });

  test("is never offered once a person rejected a call that it would cover", async () => {
    const { handler, tools } = gateWith(({ safeArgs }) =>
      JSON.stringify(safeArgs).includes("secret") ? { approved: false, by: "ann" } : SIMILAR,
    );
    await tools.call("files/read", { path: "secret" });
    await tools.call("files/read", { path: "a" });
    await tools.call("files/read", { path: "a" });
    expect(handler.requests.map(({ offers = [] }) => offers.length)).toEqual([1, 0, 0]);
  });

  test("is not offered either after many other calls that nobody answered", async () => {
    const { handler, tools } = gateWith(({ tool }) =>
      tool === "files/read" ? { approved: false, by: "ann" } : { status: "expired" },
    );
    await tools.call("files/read", { path: "a" });
    for (let at = 0; at < 510; at += 1) await tools.call("files/write", { path: String(at) });
    await tools.call("files/read", { path: "b" });
    const { tool, offers = [] } = handler.requests.at(-1) ?? {};
    expect([tool, offers]).toEqual(["files/read", []]);
  });

  test("that was not offered is an approval of this call", async () => {
    const { gate, handler, tools } = gateWith(() => ({ approved: true, scope: "project", by: "ann" }));
    for (const path of ["a", "b"]) await tools.call("files/read", { path });
    expect([handler.requests.length, await gate.grants()]).toEqual([2, []]);
  });

  test("of a destructive tool is not offered", async () => {
    const handler = new Asked(() => ({ approved: true, by: "ann" }));
    const gate = createGate({ handler, approval: { risk_defaults: { destructive: "ask" } } });
    const tools = gate.guard([defineTool({ name: "drop", risk: "destructive", run: () => null })]);
    await tools.call("drop", { table: "a" });
    expect([handler.requests.length, handler.requests[0]?.offers]).toEqual([1, undefined]);
  });
});

describe("limits", () => {
  test("a number of uses is counted to the last, also for calls that start at once", async () => {
    const { handler, ran, tools } = gateWith(() =>
      handler.requests.length === 1 ? { ...SIMILAR, limits: { uses: 3 } } : { approved: false, by: "ann" },
    );
    await tools.call("files/read", { path: "first" });
    await Promise.all([1, 2, 3, 4, 5, 6].map((path) => tools.call("files/read", { path })));
    // The call that was asked about, and three more.
    expect([ran.length, handler.requests.length]).toEqual([4, 4]);
  });

  test("an exact approval ends with its uses as well", async () => {
    const { handler, tools } = gateWith(() => ({
      approved: true,
      scope: "session",
      limits: { uses: 1 },
      by: "ann",
    }));
    for (let count = 0; count < 4; count += 1) await tools.call("files/read", { path: "a" });
    expect(handler.requests.length).toBe(2);
  });
});

describe("a rejection for the session", () => {
  const NO = { approved: false, lasts: "session", by: "ann" } as const;

  test("rejects the same call without asking, and no other, until it is taken back", async () => {
    const { gate, handler, ran, tools } = gateWith(() =>
      handler.requests.length === 1 ? NO : { approved: true, by: "ann" },
    );
    await tools.call("files/read", { path: "a" });
    expect(await tools.call("files/read", { path: "a" })).toMatchObject({
      kind: "denied",
      code: "APPROVAL_DENIED",
      reason: "rejected for this session by ann",
    });
    await tools.call("files/read", { path: "b" });
    expect([handler.requests.length, ran.length]).toEqual([2, 1]);
    const [grant] = await gate.grants();
    expect([grant?.kind, await gate.revoke(grant?.grantId ?? "")]).toEqual(["rejection", true]);
    await tools.call("files/read", { path: "a" });
    expect(ran.length).toBe(2);
  });

  test("wins over an approval of similar calls, whichever came first", async () => {
    const { ran, tools } = gateWith(({ safeArgs }) =>
      JSON.stringify(safeArgs).includes("no") ? NO : SIMILAR,
    );
    await tools.call("files/read", { path: "no" });
    await tools.call("files/write", { path: "x" });
    await tools.call("files/read", { path: "no" });
    expect(ran).toEqual([["files/write", expect.anything()]]);
  });
});

test("approve.cover: an answer settles the calls that wait and that it covers, and no others", async () => {
  const held = new Map<string, (answer: unknown) => void>();
  const { gate, handler, ran, tools } = gateWith(
    ({ approvalId }) => new Promise((resolve) => held.set(approvalId, resolve)),
  );
  const calls = ["files/read", "files/read", "files/write", "files/read"].map((tool, path) =>
    tools.call(tool, { path }),
  );
  while (handler.requests.length < 4) await atRest();
  held.get(handler.requests[0]?.approvalId ?? "")?.(SIMILAR);
  await Promise.all([calls[0], calls[1], calls[3]]);
  expect([ran.length, (await gate.broker.pending()).map(({ tool }) => tool)]).toEqual([3, ["files/write"]]);
  await gate.close();
});

test("approve.cover: a grant that is taken back answers nothing from then on, and a deny is above every grant", async () => {
  const { gate, handler, tools } = gateWith(() => SIMILAR);
  await tools.call("files/read", { path: "a" });
  const [grant] = await gate.grants();
  await gate.revoke(grant?.grantId ?? "");
  await tools.call("files/read", { path: "b" });
  expect(handler.requests.length).toBe(2);
  const denying = createGate({ handler, approval: { rules: [{ pattern: "files/*", action: "deny" }] } });
  const denied = denying.guard([defineTool({ name: "files/read", run: () => null })]);
  expect(await denied.call("files/read", { path: "a" })).toMatchObject({
    kind: "denied",
    code: "APPROVAL_BLOCKED",
  });
});
