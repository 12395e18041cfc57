import { describe, expect, test } from "vitest";
import type { ToolOutcome } from "../../../src/approval/tool-outcome.ts";
import { createGate, type GateSettings } from "../../../src/call/create-gate.ts";
import type { Mode } from "../../../src/policy/action.ts";
import { ApprovalBlockedError, ApprovalError } from "../../../src/policy/approval-error.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import type { FunctionTool } from "../../../src/tool/function-tool.ts";
import { Asked, Written } from "../../support/approval/asked.ts";

type Check = NonNullable<FunctionTool["checkApproval"]>;

const CHECKS: Readonly<Record<string, Check>> = {
  "asks for nothing": () => null,
  asks: ({ args }) => ({ description: "Send a mail", payload: args }),
  blocks: ({ tool }) => {
    throw new ApprovalBlockedError(tool, "Path not in any sandbox: /etc/passwd");
  },
};

/** One call of a tool with such a check: what came of it, whether it ran, who was asked, and the record. */
async function callWith(checkApproval: Check, settings: GateSettings, handler = new Asked()) {
  let ran = 0;
  const journal = new Written();
  using gate = createGate({ handler, journal, ...settings });
  const tool = defineTool({ name: "send", risk: "destructive", checkApproval, run: () => (ran += 1) });
  const outcome = await gate.guard([tool]).call("send", { to: "ann" });
  return { outcome, ran, asked: handler.requests.length, journal };
}

const come = (outcome: ToolOutcome): string => ("code" in outcome ? outcome.code : outcome.kind);

describe("a tool whose own check", () => {
  test.each<[check: string, mode: Mode, outcome: string, asked: number]>([
    ["asks for nothing", "interactive", "done", 0],
    ["asks for nothing", "approve_all", "done", 0],
    ["asks for nothing", "strict", "done", 0],
    ["asks", "interactive", "done", 1],
    ["asks", "approve_all", "done", 0],
    ["asks", "strict", "APPROVAL_DENIED", 0],
    ["blocks", "interactive", "APPROVAL_BLOCKED", 0],
    ["blocks", "approve_all", "APPROVAL_BLOCKED", 0],
    ["blocks", "strict", "APPROVAL_BLOCKED", 0],
  ])(
    "%s, in the mode %s: %s, asked %i times (S1-7, S1-11, S1-12, S1-35, C14)",
    async (check, mode, outcome, asked) => {
      const call = await callWith(CHECKS[check] ?? (() => null), { approval: { mode } });
      expect([come(call.outcome), call.ran, call.asked]).toEqual([
        outcome,
        outcome === "done" ? 1 : 0,
        asked,
      ]);
      expect(call.journal.of("approval.requested").length).toBe(asked);
    },
  );

  test("asks, in strict mode, is refused with the mode's name and the tool (S1-12, S1-43)", async () => {
    const { outcome } = await callWith(({ args }) => ({ description: "Send a mail", payload: args }), {
      approval: { mode: "strict" },
    });
    expect(outcome).toMatchObject({
      code: "APPROVAL_DENIED",
      reason: "strict mode: approval required (Send a mail)",
      hint: "use `mode: interactive` without `--strict` or `--approve-all`, or allow it in the config without approval",
    });
    using gate = createGate({ approval: { mode: "strict" } });
    const tool = defineTool({ name: "send", run: () => null });
    const thrown = await gate
      .guard([tool])
      .guarded("send")({})
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ApprovalError);
    expect(thrown).toMatchObject({ code: "APPROVAL_DENIED", tool: "send" });
  });

  test("approve.deny: blocks is written down, with its words (S1-45, S1-16)", async () => {
    const { journal } = await callWith(CHECKS["blocks"] ?? (() => null), {
      approval: { mode: "approve_all" },
    });
    expect(journal.of("call.judged")).toMatchObject([
      { action: "deny", reason: "Path not in any sandbox: /etc/passwd" },
    ]);
    expect(journal.of("approval.auto")).toMatchObject([
      { approved: false, by: "Path not in any sandbox: /etc/passwd" },
    ]);
    expect(journal.of("call.ended")).toMatchObject([{ outcome: "denied" }]);
  });

  test("approve.deny: fails, or answers what is no question, denies in every mode (S1-7)", async () => {
    const broken: readonly [unknown, string][] = [
      [undefined, "the tool's own check failed: it did not return a valid request"],
      [true, "the tool's own check failed: it did not return a valid request"],
      [{ description: 1 }, "the tool's own check failed: it did not return a valid request"],
      [
        { description: "x", payload: 1, aproved: true },
        "the tool's own check failed: it did not return a valid request",
      ],
      [Promise.resolve(null), "the tool's own check failed: it did not return a valid request"],
      [Promise.reject(new Error("late")), "the tool's own check failed: it did not return a valid request"],
    ];
    for (const mode of ["interactive", "approve_all", "strict"] as const)
      for (const [answer, reason] of broken) {
        const check: { checkApproval: Check } = { checkApproval: () => null };
        Object.assign(check, { checkApproval: () => answer });
        const { outcome, ran, asked } = await callWith(check.checkApproval, { approval: { mode } });
        expect([outcome.kind, ran, asked, "reason" in outcome ? outcome.reason : null]).toEqual([
          "denied",
          0,
          0,
          reason,
        ]);
      }
    const thrown = await callWith(
      () => {
        throw new TypeError("x is not a function");
      },
      { approval: { mode: "approve_all" } },
    );
    expect(thrown.outcome).toMatchObject({
      code: "APPROVAL_BLOCKED",
      reason: "the tool's own check failed: x is not a function",
    });
  });

  test("is told the name that the model sees, the arguments, and what the host has beside them (S1-3, S1-5, S1-27)", async () => {
    const told: unknown[] = [];
    using gate = createGate();
    const tool = defineTool({
      name: "send",
      checkApproval: (context) => {
        told.push(context);
        return null;
      },
      run: ({ metadata }) => metadata,
    });
    const metadata = { batch_id: "b-1", framework: { run: 7 } };
    const outcome = await gate.guard([tool]).call("send", { to: "ann" }, { metadata });
    expect(told).toEqual([{ tool: "send", args: { to: "ann" }, metadata }]);
    expect(outcome).toEqual({ kind: "done", value: metadata });
  });
});

test("a person's no is thrown with their words, where a host wants it thrown (S1-13, S1-40, S1-41, S3-5, C7)", async () => {
  const journal = new Written();
  const handler = new Asked(({ risk }) =>
    risk === "write" ? { approved: false, by: "ann", note: "not on a Friday" } : { approved: true },
  );
  using gate = createGate({ handler, journal });
  const send = gate.guard([defineTool({ name: "send", run: () => "sent" })]).guarded("send");
  await expect(send({ to: "bob" })).rejects.toMatchObject({
    name: "ApprovalDeniedError",
    code: "APPROVAL_DENIED",
    tool: "send",
    message: "rejected by ann: not on a Friday",
  });
  expect(journal.of("call.received")).toMatchObject([{ tool: "send", safeArgs: { to: "bob" } }]);
  expect(journal.of("approval.resolved")).toMatchObject([
    { approved: false, by: "ann", note: "not on a Friday" },
  ]);
});

test("a no without words says who said it; tools that are async or not answer alike (S1-14, S0-29)", async () => {
  using gate = createGate({ handler: new Asked(() => ({ approved: false, by: "ann" })) });
  const tools = gate.guard([
    defineTool({ name: "send", run: () => "sent" }),
    defineTool({ name: "now", risk: "read_only", run: () => 1 }),
    defineTool({ name: "later", risk: "read_only", run: async () => 1 }),
  ]);
  expect(await tools.call("send", {})).toMatchObject({ reason: "rejected by ann" });
  expect([await tools.call("now", {}), await tools.call("later", {})]).toEqual([
    { kind: "done", value: 1 },
    { kind: "done", value: 1 },
  ]);
});

test("while a call waits for its answer nothing of it has happened, and then it goes on where it was (S1-39, S1-40)", async () => {
  let ran = 0;
  const seen: number[] = [];
  const handler = new Asked(async () => {
    await new Promise(setImmediate);
    seen.push(ran);
    return { approved: true };
  });
  using gate = createGate({ handler });
  const tool = defineTool({ name: "send", run: () => (ran += 1) });
  expect(await gate.guard([tool]).call("send", {})).toEqual({ kind: "done", value: 1 });
  expect([seen, ran]).toEqual([[0], 1]);
});
