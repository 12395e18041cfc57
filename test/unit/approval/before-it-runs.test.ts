import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createGate } from "../../../src/call/create-gate.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import { Asked, Written } from "../../support/approval/asked.ts";

describe("the gate stands behind the validation and before everything else", () => {
  test("a tool that is not there, or arguments that it does not take, reach nobody (S0-27, S3-D3, S3-6, C12)", async () => {
    const handler = new Asked();
    const journal = new Written();
    const ran: unknown[] = [];
    using gate = createGate({ handler, journal, approval: { rules: [{ pattern: "*", action: "ask" }] } });
    const tool = defineTool({
      name: "deploy",
      input: z.strictObject({ env: z.enum(["staging"]) }),
      checkApproval: () => {
        ran.push("check");
        return null;
      },
      run: ({ input }) => ran.push(input),
    });
    const tools = gate.guard([tool]);
    expect(await tools.call("depoly", {})).toMatchObject({
      kind: "failed",
      error: { code: "USAGE", message: "tool `depoly` not found" },
    });
    for (const args of [{}, { env: "prod" }, { env: "staging", more: 1 }, null, [], undefined, () => 1])
      expect(await tools.call("deploy", args)).toMatchObject({ kind: "failed", error: { code: "USAGE" } });
    expect([handler.requests, ran, journal.of("approval.requested"), journal.of("call.judged")]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect(await tools.call("deploy", { env: "staging" })).toMatchObject({ kind: "done" });
    expect([handler.requests.length, ran]).toEqual([1, ["check", "check", { env: "staging" }]]);
  });

  test.each(["", "{", '{"env":', '{"env":1,"env":2}', "[1", '"\\ud800"'])(
    "malformed arguments are refused where they stand, not taken for empty ones: %j (S0-28)",
    async (args) => {
      const handler = new Asked();
      let ran = 0;
      using gate = createGate({ handler, approval: { rules: [{ pattern: "*", action: "allow" }] } });
      const tools = gate.guard([defineTool({ name: "wipe", run: () => (ran += 1) })]);
      expect(await tools.call("wipe", args)).toMatchObject({ kind: "failed", error: { code: "USAGE" } });
      expect([handler.requests, ran]).toEqual([[], 0]);
      expect(await tools.call("wipe", "{}")).toEqual({ kind: "done", value: 1 });
    },
  );

  test("nothing of a tool runs before the yes, and nothing after a no (S3-6, S3-13)", async () => {
    const ran: string[] = [];
    const handler = new Asked(() => {
      ran.push("asked");
      return { approved: ran.length === 1 };
    });
    using gate = createGate({ handler });
    const tools = gate.guard([
      defineTool({
        name: "stream",
        run: async () => {
          ran.push("started");
          return "out";
        },
      }),
    ]);
    expect((await tools.call("stream", {})).kind).toBe("done");
    expect((await tools.call("stream", {})).kind).toBe("denied");
    expect(ran).toEqual(["asked", "started", "asked"]);
  });

  test("a rule that denies asks nobody (S3-13, S0-31)", async () => {
    const handler = new Asked();
    using gate = createGate({ handler, approval: { rules: [{ pattern: "deploy", action: "deny" }] } });
    const tools = gate.guard([defineTool({ name: "deploy", run: () => null })]);
    expect(await tools.call("deploy", {})).toMatchObject({ kind: "denied", code: "APPROVAL_BLOCKED" });
    expect(handler.requests).toEqual([]);
  });

  test("a check that changes its arguments changes neither what is asked nor what runs", async () => {
    const handler = new Asked();
    using gate = createGate({ handler });
    const tool = defineTool({
      name: "send",
      input: z.object({ to: z.array(z.string()) }),
      requireApproval: ({ input }) => {
        input.to.push("eve");
        return { required: true, reason: "a mail" };
      },
      run: ({ input }) => input,
    });
    const args = { to: ["ann"] };
    const called = gate.guard([tool]).call("send", args);
    args.to.push("mallory");
    expect(await called).toEqual({ kind: "done", value: { to: ["ann"] } });
    expect(handler.requests[0]?.safeArgs).toEqual({ to: ["ann"] });
  });
});

describe("what was let pass", () => {
  test("does not run with other arguments than were judged, where a schema makes others each time", async () => {
    const ran: unknown[] = [];
    using gate = createGate({ approval: { rules: [{ pattern: "*", action: "allow" }] } });
    let times = 0;
    const tools = gate.guard(
      [() => times++, () => 0].map((at, index) =>
        defineTool({
          name: `send${index}`,
          input: z.object({}).transform(() => ({ at: at() })),
          run: ({ input }) => ran.push(input),
        }),
      ),
    );
    expect(await tools.call("send0", {})).toMatchObject({
      kind: "failed",
      error: { code: "FACTS_UNSTABLE" },
    });
    expect((await tools.call("send1", {})).kind).toBe("done");
    expect(ran).toEqual([{ at: 0 }]);
  });

  test("does not run when its caller gave it up meanwhile", async () => {
    let ran = 0;
    const aborting = new AbortController();
    using gate = createGate({});
    const tool = (name: string, check: () => void) =>
      defineTool({
        name,
        requireApproval: () => {
          check();
          return { required: false, reason: "nobody minds" };
        },
        run: () => (ran += 1),
      });
    const tools = gate.guard([
      tool("send", () => aborting.abort(new Error("given up"))),
      tool("wait", () => undefined),
    ]);
    const { signal } = aborting;
    expect(await tools.call("wait", {}, { signal })).toEqual({ kind: "done", value: 1 });
    expect(await tools.call("send", {}, { signal })).toMatchObject({
      kind: "failed",
      error: { message: "given up" },
    });
    expect(ran).toBe(1);
  });
});

describe("an approval is never brought along by a call", () => {
  const TOKEN = "_approval_token";

  test.each([
    [{ [TOKEN]: "approval-1" }],
    [{ env: "staging", [TOKEN]: null }],
    [`{"env":"staging","${TOKEN}":"approval-1"}`],
    [`{"\\u005fapproval_token":"approval-1"}`],
  ])(
    "in its arguments it is refused, whether or not the tool would take it: %j (S3-9, S3-D1, C16)",
    async (args) => {
      const handler = new Asked(() => ({ status: "pending" }));
      let ran = 0;
      using gate = createGate({ handler });
      const tools = gate.guard([defineTool({ name: "deploy", run: () => (ran += 1) })]);
      const pending = await tools.call("deploy", { env: "staging" });
      if (pending.kind !== "pending") throw new Error("it was not left pending");
      await gate.broker.respond(pending.approvalId, { approved: true }, "ann");
      const text = typeof args === "string" ? args : JSON.stringify(args);
      const given = text.replaceAll("approval-1", pending.approvalId);
      expect(await tools.call("deploy", given)).toMatchObject({
        kind: "failed",
        error: { code: "USAGE", hint: "pass `approvalId` beside the arguments" },
      });
      expect([handler.requests.length, ran]).toEqual([1, 0]);
      const { approvalId } = pending;
      expect(await tools.call("deploy", { env: "staging" }, { approvalId })).toEqual({
        kind: "done",
        value: 1,
      });
    },
  );

  test("nor in what a person edited", async () => {
    let ran = 0;
    const answer = { status: "approved", by: "ann", editedInput: { [TOKEN]: "x" } };
    using gate = createGate({ handler: new Asked(() => answer) });
    const tools = gate.guard([defineTool({ name: "deploy", run: () => (ran += 1) })]);
    expect([(await tools.call("deploy", {})).kind, ran]).toEqual(["failed", 0]);
  });
});

describe("an edited input", () => {
  const edited = (editedInput: unknown) => ({ status: "approved", by: "ann", editedInput });
  const call = async (answer: unknown) => {
    const ran: unknown[] = [];
    const handler = new Asked(() => answer);
    using gate = createGate({
      handler,
      approval: { rules: [{ pattern: "deploy", args: { env: "prod" }, action: "deny" }] },
    });
    const tool = defineTool({
      name: "deploy",
      input: z.strictObject({ env: z.string() }),
      run: ({ input }) => ran.push(input),
    });
    const outcome = await gate.guard([tool]).call("deploy", { env: "staging" });
    return { outcome, ran, asked: handler.requests.length };
  };

  test("is what runs, and it is asked about once", async () => {
    expect(await call(edited({ env: "test" }))).toMatchObject({
      outcome: { kind: "done" },
      ran: [{ env: "test" }],
      asked: 1,
    });
  });

  test("is judged again: what rules deny nobody can edit in (C4)", async () => {
    expect(await call(edited({ env: "prod" }))).toMatchObject({
      outcome: { kind: "denied", code: "APPROVAL_BLOCKED" },
      ran: [],
    });
  });

  test("is validated again (C12)", async () => {
    expect(await call(edited({ env: 1 }))).toMatchObject({
      outcome: { kind: "failed", error: { code: "USAGE" } },
      ran: [],
    });
  });
});
