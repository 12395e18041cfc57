import { describe, expect, test } from "vitest";
import { AutoApproveHandler } from "../../../src/approval/handlers.ts";
import { createGate, type GateSettings } from "../../../src/call/create-gate.ts";
import type { Mode } from "../../../src/policy/action.ts";
import { meetApproval, NO_OPERATOR, operatorApproval } from "../../../src/policy/approval-section.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import { Asked, Written } from "../../support/approval/asked.ts";

const NEVER = "the question whether the session may continue was not approved: rejected by ann: not now";

/** A gate under which all tools run unasked, within a budget of two calls. */
function gateWith(handler: NonNullable<GateSettings["handler"]>, mode: Mode = "interactive") {
  const ran: string[] = [];
  const journal = new Written();
  const gate = createGate({
    handler,
    journal,
    approval: { mode, rules: [{ pattern: "*", action: "allow" }], budget: { calls: 2 } },
  });
  const tools = gate.guard([
    defineTool({ name: "send", run: () => ran.push("send") }),
    defineTool({ name: "look", risk: "read_only", run: () => ran.push("look") }),
  ]);
  return { gate, tools, ran, journal };
}

describe("a budget of unasked calls", () => {
  test("asks a person about the next call, says why, and begins anew after a yes", async () => {
    const asked = new Asked(() => ({ approved: true, scope: "session", by: "ann" }));
    const { gate, tools, ran } = gateWith(asked);
    for (let call = 0; call < 7; call += 1) await tools.call("send", { call });
    expect(ran).toHaveLength(7);
    expect(asked.requests.map(({ safeArgs }) => safeArgs)).toEqual([{ call: 2 }, { call: 5 }]);
    const [first] = asked.requests;
    expect(first).toMatchObject({
      reason: "2 calls ran without a question; an approval of this call lets the session continue",
      demandsPerson: true,
      covers: null,
    });
    expect(first?.why.map(({ layer, rule, action }) => [layer, rule, action])).toEqual([
      ["project", "*", "allow"],
      ["budget", "calls", "ask"],
    ]);
    // A yes for the session is not one for every call: it was not offered.
    expect(await gate.grants()).toEqual([]);
  });

  test("denies the call after a no, and asks again about the next one", async () => {
    const asked = new Asked(() => ({ approved: false, by: "ann", note: "not now" }));
    const { tools, ran } = gateWith(asked);
    for (let call = 0; call < 2; call += 1) await tools.call("send", { call });
    const denied = { kind: "denied", code: "APPROVAL_DENIED", reason: "rejected by ann: not now" };
    expect(await tools.call("send", { call: 2 })).toMatchObject(denied);
    expect(await tools.call("send", { call: 3 })).toMatchObject(denied);
    expect(ran).toHaveLength(2);
    expect(asked.requests).toHaveLength(2);
  });

  test("asks once about calls that are made at once: a yes lets them all try again, a no ends them all", async () => {
    const six = [0, 1, 2, 3, 4, 5].map((call) => ({ tool: "send", args: { call } }));
    const yes = new Asked(() => ({ approved: true, by: "ann" }));
    const allowed = gateWith(yes);
    await allowed.tools.callAll(six);
    // Two ran, one was asked about, two ran, one was asked about.
    expect(allowed.ran).toHaveLength(6);
    expect(yes.requests).toHaveLength(2);
    const no = new Asked(() => ({ approved: false, by: "ann", note: "not now" }));
    const rejected = gateWith(no);
    const outcomes = await rejected.tools.callAll(six);
    expect(rejected.ran).toHaveLength(2);
    expect(no.requests).toHaveLength(1);
    expect(outcomes.map((one) => ("reason" in one ? one.reason : one.kind))).toEqual([
      "done",
      "done",
      "rejected by ann: not now",
      NEVER,
      NEVER,
      NEVER,
    ]);
  });

  test("is for no program to answer: neither an automatic yes nor the mode that approves everything", async () => {
    const automatic = gateWith(new AutoApproveHandler());
    for (let call = 0; call < 2; call += 1) await automatic.tools.call("send", { call });
    expect(await automatic.tools.call("send", { call: 2 })).toMatchObject({
      kind: "denied",
      reason: "rejected by auto: this call needs a person's approval",
    });
    const asked = new Asked(() => ({ approved: true, by: "ann" }));
    const all = gateWith(asked, "approve_all");
    for (let call = 0; call < 3; call += 1) await all.tools.call("send", { call });
    expect([all.ran.length, asked.requests.length]).toEqual([3, 1]);
  });

  test("denies in the strict mode, and where nobody can be asked says how to go on", async () => {
    const strict = gateWith(new Asked(), "strict");
    for (let call = 0; call < 2; call += 1) await strict.tools.call("send", { call });
    expect(await strict.tools.call("send", { call: 2 })).toMatchObject({
      kind: "denied",
      code: "APPROVAL_DENIED",
      reason: expect.stringMatching(/^strict mode: approval required \(2 calls ran without a question/),
    });
    const alone = gateWith([]);
    for (let call = 0; call < 2; call += 1) await alone.tools.call("send", { call });
    expect(await alone.tools.call("send", { call: 2 })).toMatchObject({
      kind: "denied",
      hint: "run it where a person can be asked, or raise `approval.budget`",
    });
  });

  test("does not count what only reads, nor asks about it", async () => {
    const asked = new Asked(() => ({ approved: false, by: "ann" }));
    const { tools, ran } = gateWith(asked);
    for (const tool of ["look", "look", "look", "send", "send", "look"]) await tools.call(tool, {});
    expect(ran).toHaveLength(6);
    expect(asked.requests).toEqual([]);
    expect(await tools.call("send", {})).toMatchObject({ kind: "denied" });
  });

  test("holds for calls that are checked first: the check asks, and its answer continues the session", async () => {
    const { gate, tools, ran } = gateWith([]);
    for (let call = 0; call < 2; call += 1) {
      expect(await tools.ask("send", { call })).toEqual({ kind: "allowed" });
      await tools.call("send", { call });
    }
    const check = await tools.ask("send", { call: 2 });
    if (check.kind !== "pending") throw new Error(check.kind);
    await gate.broker.respond(check.approvalId, { approved: true }, "ann");
    await tools.call("send", { call: 2 }, { approvalId: check.approvalId });
    expect(await tools.ask("send", { call: 3 })).toEqual({ kind: "allowed" });
    await tools.call("send", { call: 3 });
    expect(ran).toHaveLength(4);
    // An answer that was used begins no second budget.
    expect(await tools.call("send", { call: 4 }, { approvalId: check.approvalId })).toMatchObject({
      kind: "denied",
      reason: "this approval was used already",
    });
    await tools.call("send", { call: 5 });
    expect((await tools.ask("send", { call: 6 })).kind).toBe("pending");
  });

  test("a call that is cancelled while it waits behind the question does not run, and the others go on", async () => {
    const answers: ((answer: unknown) => void)[] = [];
    const { tools, ran } = gateWith(() => new Promise((resolve) => answers.push(resolve as never)));
    for (let call = 0; call < 2; call += 1) await tools.call("send", { call });
    const giveUp = new AbortController();
    const first = tools.call("send", { call: 2 });
    const second = tools.call("send", { call: 3 }, { signal: giveUp.signal });
    const third = tools.call("send", { call: 4 });
    await expect.poll(() => answers.length).toBe(1);
    giveUp.abort();
    expect(await second).toMatchObject({ kind: "denied", reason: "the call was cancelled before an answer" });
    answers[0]?.({ approved: true, by: "ann" });
    expect([(await first).kind, (await third).kind]).toEqual(["done", "done"]);
    expect(ran).toHaveLength(4);
  });

  test("of several operators and the config the smallest counts", () => {
    const [a, b] = [{ calls: 5 }, { calls: 9, minutes: 3 }].map((budget) =>
      operatorApproval({ rules: [], budget }),
    );
    expect(meetApproval(a ?? NO_OPERATOR, b ?? NO_OPERATOR).budget).toEqual({ calls: 5, minutes: 3 });
    expect(meetApproval(NO_OPERATOR, NO_OPERATOR).budget).toEqual({});
  });
});
