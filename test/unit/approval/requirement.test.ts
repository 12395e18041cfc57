import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createGate, type GateSettings } from "../../../src/call/create-gate.ts";
import { toolResult } from "../../../src/call/tool-result.ts";
import { type DefinedTool, defineTool } from "../../../src/tool/define-tool.ts";
import type { Requirement, ToolInput } from "../../../src/tool/function-tool.ts";
import { Asked, Written } from "../../support/approval/asked.ts";

const SUSPEND: GateSettings = { wait: { timeoutMs: null, onTimeout: "wait", style: "suspend" } };

/** A tool that fetches: it asks for hosts that are not on its list. */
function fetching(ran: string[] = [], told: ToolInput<unknown>[] = []): DefinedTool {
  return defineTool({
    name: "fetch",
    risk: "destructive",
    input: z.strictObject({ url: z.url(), times: z.number().default(1) }),
    requireApproval: async (given): Promise<Requirement> => {
      told.push(given);
      const { hostname } = new URL(given.input.url);
      const isKnown = hostname === "example.com";
      return { required: !isKnown, reason: `${hostname} is ${isKnown ? "" : "not "}on the list` };
    },
    run: (given) => {
      told.push(given);
      if (given.input.url.includes("broken")) throw new Error("404");
      ran.push(given.input.url);
      return given.input.times;
    },
  });
}

const KNOWN = "https://example.com/a";
const UNKNOWN = "https://other.test/a";

describe("a tool that says when it needs a yes", () => {
  test.each<[string, Requirement | (() => Requirement), asked: number]>([
    ["always", { required: true, reason: "it changes the list" }, 1],
    ["never", { required: false, reason: "it only looks" }, 0],
    ["by a function that is not async", () => ({ required: true, reason: "it changes the list" }), 1],
  ])(
    "%s, is asked about then and runs otherwise, whatever its risk (S2-1, S2-2, S2-3)",
    async (_, requireApproval, asked) => {
      const handler = new Asked();
      using gate = createGate({ handler });
      const tool = defineTool({ name: "a", risk: "destructive", requireApproval, run: () => "ran" });
      expect(await gate.guard([tool]).call("a", {})).toEqual({ kind: "done", value: "ran" });
      expect(handler.requests.map(({ reason }) => reason)).toEqual(
        asked === 1 ? ["it changes the list"] : [],
      );
    },
  );

  test("is told what it will run with, once its schema has taken the arguments (S2-2, S2-9, C12)", async () => {
    const told: ToolInput<unknown>[] = [];
    const metadata = { services: { list: ["example.com"] } };
    const { signal } = new AbortController();
    using gate = createGate({ handler: new Asked() });
    const tools = gate.guard([fetching([], told)]);
    await tools.call("fetch", { url: UNKNOWN }, { metadata, signal });
    const given = { input: { url: UNKNOWN, times: 1 }, metadata, signal };
    expect(told.length).toBeGreaterThan(1);
    expect(told).toEqual(told.map(() => given));
    expect(await tools.call("fetch", { url: "no url" })).toMatchObject({ kind: "failed" });
    expect(told.length).toBe(3);
  });

  test("asks for what is not on its list, and for nothing else (S2-1, S2-3)", async () => {
    const ran: string[] = [];
    const handler = new Asked(() => ({ approved: false, reason: "unknown host" }));
    using gate = createGate({ handler });
    const tools = gate.guard([fetching(ran)]);
    expect(await tools.call("fetch", { url: KNOWN })).toEqual({ kind: "done", value: 1 });
    expect(await tools.call("fetch", { url: UNKNOWN })).toMatchObject({
      kind: "denied",
      code: "APPROVAL_DENIED",
      reason: "rejected by the handler: unknown host",
    });
    expect([ran, handler.requests.map(({ reason }) => reason)]).toEqual([
      [KNOWN],
      ["other.test is not on the list"],
    ]);
  });

  test("and fails to say it, is denied in every mode (C9)", async () => {
    for (const answer of [() => Promise.reject(new Error("no network")), () => true, () => null]) {
      const ran: string[] = [];
      using gate = createGate({ approval: { mode: "approve_all" } });
      const made = { name: "a", run: () => ran.push("a"), requireApproval: { required: false, reason: "" } };
      const tool = defineTool(Object.assign(made, { requireApproval: answer }));
      expect(await gate.guard([tool]).call("a", {})).toMatchObject({
        kind: "denied",
        code: "APPROVAL_BLOCKED",
      });
      expect(ran).toEqual([]);
    }
  });

  test("that fails after a yes is an ordinary failure: the loop goes on (S2-23)", async () => {
    const journal = new Written();
    using gate = createGate({ handler: new Asked(), journal });
    const tools = gate.guard([fetching()]);
    const outcome = await tools.call("fetch", { url: "https://other.test/broken" });
    expect(toolResult(outcome)).toEqual({ type: "error", error: "Error: 404" });
    expect(await tools.call("fetch", { url: UNKNOWN })).toEqual({ kind: "done", value: 1 });
    const [{ request } = { request: null }] = journal.of("approval.requested");
    expect((await gate.broker.find(request?.approvalId ?? ""))?.status).toBe("failed");
  });
});

describe("a tool whose yes holds once", () => {
  const ONCE = { required: true, reason: "each time", remember: false } as const;

  test.each([
    ["by its requirement", { requireApproval: ONCE }],
    ["by its check", { checkApproval: () => ({ description: "each time", remember: false }) }],
    [
      "by one of the two",
      { checkApproval: () => ({ description: "once is enough" }), requireApproval: ONCE },
    ],
  ])("%s, is asked about each time, and no yes for the session is offered or kept", async (_, says) => {
    const handler = new Asked(() => ({ approved: true, scope: "session", by: "ann" }));
    using gate = createGate({ handler });
    const tools = gate.guard([defineTool({ name: "a", ...says, run: (_given, { by }) => by })]);
    for (const time of [1, 2]) {
      expect(await tools.call("a", {})).toEqual({ kind: "done", value: "ann" });
      expect(handler.requests.map(({ covers }) => covers)).toEqual(Array.from({ length: time }, () => null));
    }
    expect(await gate.grants()).toEqual([]);
  });

  test("is told who said yes to this call, and nobody where nobody was asked", async () => {
    const handler = new Asked(() => ({ approved: true, scope: "session", by: "ann" }));
    using gate = createGate({ handler });
    const tools = gate.guard([defineTool({ name: "a", run: (_given, { by }) => by })]);
    expect(await tools.call("a", {})).toEqual({ kind: "done", value: "ann" });
    expect(await tools.call("a", {})).toEqual({ kind: "done", value: null });
    expect(handler.requests.length).toBe(1);
  });
});

describe("a call that does not wait", () => {
  /** A gate that suspends, and a call that it left pending. */
  async function suspended(settings: GateSettings = {}) {
    const ran: string[] = [];
    const journal = new Written();
    const gate = createGate({ ...SUSPEND, journal, ...settings });
    const tools = gate.guard([fetching(ran)]);
    const call = (url: string, approvalId?: string) =>
      tools.call("fetch", { url }, approvalId === undefined ? {} : { approvalId });
    const outcome = await call(UNKNOWN);
    if (outcome.kind !== "pending") throw new Error(`it was not left pending but ${outcome.kind}`);
    return { gate, ran, journal, call, outcome, approvalId: outcome.approvalId };
  }

  test("ends as pending with the id and the reason; nothing is held, nothing has run (S2-4, S2-9, C8)", async () => {
    const { gate, ran, journal, outcome, approvalId } = await suspended();
    expect(toolResult(outcome)).toEqual({
      type: "pending",
      approvalId,
      reason: "other.test is not on the list",
    });
    expect(ran).toEqual([]);
    expect((await gate.broker.pending()).map((request) => request.approvalId)).toEqual([approvalId]);
    expect(journal.of("call.ended")).toMatchObject([{ outcome: "pending" }]);
  });

  test("called again after a yes runs once; the yes is then used up (S2-10, S2-24, C8)", async () => {
    const { gate, ran, call, approvalId } = await suspended();
    expect(await gate.broker.respond(approvalId, { approved: true }, "ann")).toBe("accepted");
    expect(await call(UNKNOWN, approvalId)).toEqual({ kind: "done", value: 1 });
    expect(await call(UNKNOWN, approvalId)).toMatchObject({
      kind: "denied",
      reason: "this approval was used already",
    });
    expect(ran).toEqual([UNKNOWN]);
  });

  test("called again twice at once runs once", async () => {
    const { gate, ran, call, approvalId } = await suspended();
    await gate.broker.respond(approvalId, { approved: true }, "ann");
    const kinds = await Promise.all([call(UNKNOWN, approvalId), call(UNKNOWN, approvalId)]);
    expect(kinds.map(({ kind }) => kind).toSorted()).toEqual(["denied", "done"]);
    expect(ran).toEqual([UNKNOWN]);
  });

  test("called again before there is an answer is still pending, under the same id (S2-10)", async () => {
    const { ran, journal, call, approvalId } = await suspended();
    expect(await call(UNKNOWN, approvalId)).toMatchObject({ kind: "pending", approvalId });
    expect([ran, journal.of("approval.requested").length]).toEqual([[], 1]);
  });

  test("called again after a no is told so, with the words of who said it (S2-11)", async () => {
    const { gate, ran, call, approvalId } = await suspended();
    await gate.broker.respond(approvalId, { approved: false, reason: "not that host" }, "ann");
    expect(await call(UNKNOWN, approvalId)).toMatchObject({
      kind: "denied",
      code: "APPROVAL_DENIED",
      reason: "rejected by ann: not that host",
    });
    expect(ran).toEqual([]);
  });

  test("can't use the yes for other arguments, for another tool, or one that nobody gave (C16)", async () => {
    const { gate, ran, call, approvalId } = await suspended();
    await gate.broker.respond(approvalId, { approved: true }, "ann");
    const other = await call("https://third.test/", approvalId);
    expect(other).toMatchObject({ kind: "pending" });
    expect("approvalId" in other && other.approvalId).not.toBe(approvalId);
    const tool = defineTool({ name: "post", run: () => ran.push("post") });
    expect(await gate.guard([tool]).call("post", { url: UNKNOWN }, { approvalId })).toMatchObject({
      kind: "denied",
      reason: "unknown request id for this tool and agent",
    });
    expect(await call(UNKNOWN, "made up")).toMatchObject({ kind: "denied" });
    expect(ran).toEqual([]);
    expect(await call(UNKNOWN, approvalId)).toEqual({ kind: "done", value: 1 });
  });

  test("is answered once: the second answer changes nothing (S2-24, S2-25)", async () => {
    const { gate, ran, call, approvalId } = await suspended();
    expect(await gate.broker.respond(approvalId, { approved: false }, "ann")).toBe("accepted");
    expect(await gate.broker.respond(approvalId, { approved: true }, "bob")).toBe("duplicate");
    expect(await gate.broker.respond("unknown", { approved: true }, "bob")).toBe("unknown");
    expect((await call(UNKNOWN, approvalId)).kind).toBe("denied");
    expect(ran).toEqual([]);
  });
});
