import { describe, expect, test } from "vitest";
import {
  approved,
  createApprovalRequest,
  createApprovalResult,
  rejected,
} from "../../../src/approval/factories.ts";
import type { ApprovalHandler } from "../../../src/approval/handler.ts";
import { AlwaysDenyHandler, AutoApproveHandler, CallbackHandler } from "../../../src/approval/handlers.ts";
import { createGate, type GateSettings } from "../../../src/call/create-gate.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import { Asked, Written } from "../../support/approval/asked.ts";
import { requestWith } from "../../support/approval/request.ts";
import { refusalOf } from "../config/machine.ts";

/** One call of a tool that is asked about, answered so: what came of it, whether it ran, and the record. */
async function answeredWith(answer: unknown, settings: GateSettings = {}) {
  let ran = 0;
  const journal = new Written();
  using gate = createGate({ handler: new Asked(() => answer), journal, ...settings });
  const tool = defineTool({ name: "deploy", run: () => (ran += 1) });
  const outcome = await gate.guard([tool]).call("deploy", {});
  return { outcome, ran, journal };
}

describe("what a handler answers", () => {
  test.each<[unknown, string, ran: number]>([
    [createApprovalResult({ status: "approved", approvedBy: "ann" }), "done", 1],
    [createApprovalResult({ status: "rejected", reason: "no" }), "APPROVAL_DENIED", 0],
    [createApprovalResult({ status: "timeout" }), "APPROVAL_TIMEOUT", 0],
    [createApprovalResult({ status: "pending", approvalId: "theirs" }), "APPROVAL_PENDING", 0],
    [approved("ann"), "done", 1],
    [rejected("ann", "no"), "APPROVAL_DENIED", 0],
    [{ status: "expired" }, "APPROVAL_TIMEOUT", 0],
    [{ status: "pending" }, "APPROVAL_PENDING", 0],
    [{ status: "maybe" }, "APPROVAL_DENIED", 0],
    [{ status: "APPROVED" }, "APPROVAL_DENIED", 0],
    [{ status: true }, "APPROVAL_DENIED", 0],
  ])("%j comes to %s (S3-1, S3-3, S3-10, C2)", async (answer, code, ran) => {
    const call = await answeredWith(answer);
    expect(["code" in call.outcome ? call.outcome.code : call.outcome.kind, call.ran]).toEqual([code, ran]);
  });

  test("of an unknown status is written down as a failure of the handler's, and counts as no (S3-10)", async () => {
    const { outcome, journal } = await answeredWith({ status: "maybe" });
    expect(outcome).toMatchObject({ kind: "denied", code: "APPROVAL_DENIED" });
    expect(journal.of("approval.failed")).toMatchObject([
      { reason: "invalid answer: the status `maybe` or a value beside it is invalid" },
    ]);
    expect(journal.of("approval.resolved")).toMatchObject([{ approved: false, by: "nobody" }]);
  });

  test("in time or not, says who and why in the record (S3-11, S0-16)", async () => {
    const { journal } = await answeredWith(
      createApprovalResult({ status: "rejected", approvedBy: "ann", reason: "no" }),
    );
    expect(journal.of("approval.resolved")).toMatchObject([{ by: "ann", note: "no" }]);
    const late = await answeredWith({ status: "expired" }, { wait: { onTimeout: "deny" } });
    expect(late.outcome).toMatchObject({
      code: "APPROVAL_DENIED",
      reason: "the request was not answered in time",
    });
    expect(late.journal.types).toContain("approval.expired");
  });
});

describe("what factories make", () => {
  test("is frozen, and null where nothing is said (S3-3, S3-16)", () => {
    const result = createApprovalResult({ status: "approved" });
    expect(result).toEqual({
      status: "approved",
      approvedBy: null,
      reason: null,
      approvalId: null,
      metadata: null,
    });
    for (const one of [result, approved("ann"), rejected("ann")]) expect(Object.isFrozen(one)).toBe(true);
    expect(approved("ann")).toEqual({ status: "approved", scope: "once", by: "ann" });
    expect(rejected("ann")).toEqual({ status: "rejected", by: "ann" });
  });

  test("of a request is frozen all the way down, and a copy (S3-2)", () => {
    const safeArgs = { list: [{ a: 1 }] };
    const request = createApprovalRequest({ ...requestWith(), safeArgs });
    safeArgs.list.push({ a: 2 });
    expect(request.safeArgs).toEqual({ list: [{ a: 1 }] });
    const frozen = (value: unknown): boolean =>
      typeof value !== "object" ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(request)).toBe(true);
    expect(() => createApprovalRequest(Object.assign({ ...requestWith() }, { modul: "x" }))).toThrow("modul");
  });
});

describe("handlers that are built in", () => {
  const ask = (handler: ApprovalHandler) =>
    handler.requestApproval(requestWith(), {
      signal: AbortSignal.abort(),
      present: () => Promise.reject(new Error("nobody looks")),
      waiting: () => [],
      grants: async () => [],
      revoke: async () => false,
      isBlocking: false,
      respond: async () => "unknown",
      report: async () => undefined,
      outcome: async () => null,
      note: async () => undefined,
      noted: async () => null,
    });

  test("say yes, say no, or ask a function (S0-18, S0-20, S3-4)", async () => {
    expect(await ask(new AutoApproveHandler())).toEqual({ status: "approved", scope: "once", by: "auto" });
    expect(await ask(new AlwaysDenyHandler())).toEqual({
      status: "rejected",
      by: "auto",
      note: "Always denied",
    });
    const callback = new CallbackHandler(({ tool }) => ({ approved: tool === "deploy" }));
    expect(await ask(callback)).toEqual({ approved: true });
    expect(await callback.checkApproval()).toMatchObject({ status: "rejected" });
  });

  test("can be given as a function, as one, or as several, of which the first answer counts (S0-19, S3-12)", async () => {
    const slow: ApprovalHandler = { requestApproval: () => new Promise(() => undefined) };
    for (const handler of [
      () => ({ approved: true }),
      new AutoApproveHandler(),
      [slow, new AutoApproveHandler()],
    ])
      expect((await answeredWith(null, { handler })).outcome.kind).toBe("done");
  });
});

describe("settings of a gate that there are not are refused", () => {
  const refused = (settings: object) => {
    const { code, message } = refusalOf(() => createGate(Object.assign({}, settings)));
    return [code, message];
  };

  test.each([
    [{ aproval: {} }, '`aproval`: Unrecognized key: "aproval"'],
    [{ approval: { rules: [{ pattern: "*", action: "alow" }] } }, "`approval.rules.0.action`:"],
    [{ approval: { rule: [] } }, "`approval.rule`:"],
    [{ handler: { ask: () => true } }, "`handler`: a handler, a list of handlers, or a function"],
    [{ wait: { timeout: 1 } }, "`wait.timeout`:"],
    [{ legacyBareTools: true }, "`legacyBareTools`:"],
    [{ agent: "" }, "`agent`:"],
  ])("%j", (settings, message) => {
    expect(refused(settings)).toEqual(["CONFIG_INVALID", expect.stringContaining(message)]);
  });

  test("two tools of one name as well", () => {
    using gate = createGate();
    const tool = defineTool({ name: "a", run: () => null });
    expect(refusalOf(() => gate.guard([tool, tool])).code).toBe("USAGE");
    expect(refusalOf(() => createGate({ journal: new Written() }).guard([tool, tool])).code).toBe("USAGE");
  });
});
