import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createGate, type GateSettings } from "../../../src/call/create-gate.ts";
import type { Json } from "../../../src/policy/canonical-json.ts";
import { cacheKeyOf } from "../../../src/policy/hashes.ts";
import { type DefinedTool, defineTool } from "../../../src/tool/define-tool.ts";
import type { Ask } from "../../../src/tool/function-tool.ts";
import { Asked, Written } from "../../support/approval/asked.ts";
import { json, reordered } from "../../support/generate-json.ts";

const SESSION = { approved: true, scope: "session", by: "ann" } as const;

const send = (run: () => unknown = () => null): DefinedTool => defineTool({ name: "send", run });

/** A gate whose handler answers so, and one tool behind it. */
function gateWith(answer: unknown, settings: GateSettings = {}, tool = send()) {
  const handler = new Asked(() => answer);
  const journal = new Written();
  const gate = createGate({ handler, journal, ...settings });
  return { gate, handler, journal, tools: gate.guard([tool]) };
}

describe("a yes for the session", () => {
  test("answers the same call again, in whatever order its keys come, and no other (S1-29, S1-30, S1-31, S4-13)", async () => {
    const { handler, journal, tools } = gateWith(SESSION);
    const args = { to: "ann", list: [{ a: 1, b: { c: 2, d: 3 } }] };
    await tools.call("send", args);
    await tools.call("send", reordered(args));
    await tools.call("send", JSON.stringify(reordered(args)));
    expect(handler.requests.length).toBe(1);
    expect(journal.of("approval.auto")).toMatchObject([
      { approved: true, by: "approved for this session by ann" },
      { approved: true, by: "approved for this session by ann" },
    ]);
    await tools.call("send", { ...args, list: [{ a: 1, b: { c: 2, d: 4 } }] });
    await tools.call("send", { ...args, list: [...args.list, ...args.list] });
    await tools.call("send", { to: "ann" });
    expect(handler.requests.length).toBe(4);
    expect(journal.of("approval.requested").length).toBe(4);
  });

  test("answers deep-equal arguments whatever they are, by one prompt (S1-29, S4-12)", async () => {
    await fc.assert(
      fc.asyncProperty(json, json, async (a, b) => {
        const { handler, tools } = gateWith(SESSION);
        const all: readonly Json[] = [{ x: a }, reordered({ x: a }), { x: b }, { x: a }];
        for (const args of all) await tools.call("send", args);
        const shown = handler.requests.filter(({ covers }) => covers !== null);
        const keys = new Set(all.map((args) => cacheKeyOf("send", args)));
        // What could not be shown whole was asked about each time.
        if (shown.length === handler.requests.length) expect(handler.requests.length).toBe(keys.size);
        else expect(handler.requests.length).toBeGreaterThan(keys.size);
      }),
      { numRuns: 200 },
    );
  });

  test("is not what a yes for once is, nor what any no is (S0-18, S0-25, S1-30)", async () => {
    for (const answer of [
      { approved: true },
      { approved: true, scope: "once" },
      { approved: false, scope: "session" },
      { approved: false, always: true },
    ]) {
      const { gate, handler, tools } = gateWith(answer);
      await tools.call("send", {});
      await tools.call("send", {});
      expect(handler.requests.length).toBe(2);
      expect(await gate.grants()).toEqual([]);
    }
  });

  test.each([{ approved: true, always: true }, { approved: true, remember: "session" }, SESSION])(
    "can be said as %j (S0-18, S0-25, S4-5, C2)",
    async (answer) => {
      const { handler, tools } = gateWith(answer);
      await tools.call("send", {});
      await tools.call("send", {});
      expect(handler.requests.length).toBe(1);
    },
  );

  test("covers the name alone only where the tool says so, and then the question says it (S0-25, S1-34, C3)", async () => {
    const byName = defineTool({
      name: "send",
      checkApproval: () => ({ description: "Send a mail", payload: {} }),
      run: () => null,
    });
    const { handler, tools } = gateWith(SESSION, {}, byName);
    await tools.call("send", { to: "ann" });
    await tools.call("send", { to: "bob" });
    expect(handler.requests.map(({ covers }) => covers)).toEqual(["every use of send"]);
    const plain = gateWith(SESSION);
    await plain.tools.call("send", { to: "ann" });
    await plain.tools.call("send", { to: "bob" });
    expect(plain.handler.requests.map(({ covers }) => covers)).toEqual([
      'send with {"to":"ann"}',
      'send with {"to":"bob"}',
    ]);
  });

  test("holds for one tool and one version of it (C3)", async () => {
    const handler = new Asked(() => SESSION);
    using gate = createGate({ handler });
    const version = (one: string) => defineTool({ name: "send", version: one, run: () => null });
    for (const tool of [
      version("1"),
      version("1"),
      version("2"),
      defineTool({ name: "post", run: () => null }),
    ])
      await gate.guard([tool]).call(tool.name, { to: "ann" });
    expect(handler.requests.map(({ tool }) => tool)).toEqual(["send", "send", "post"]);
  });

  test("ends with its gate: another gate does not know of it (S0-14, S1-42)", async () => {
    for (let gates = 0; gates < 2; gates += 1) {
      const { handler, tools } = gateWith(SESSION);
      await tools.call("send", {});
      expect(handler.requests.length).toBe(1);
    }
  });

  test("is listed, and can be taken back: then the same is asked about again (S1-42)", async () => {
    const { gate, handler, journal, tools } = gateWith(SESSION);
    await tools.call("send", { to: "ann" });
    const [grant] = await gate.grants();
    expect(grant).toMatchObject({
      tool: "send",
      covers: 'send with {"to":"ann"}',
      by: "ann",
      sessionId: gate.sessionId,
    });
    expect(await gate.revoke("no such grant")).toBe(false);
    expect(await gate.revoke(grant?.grantId ?? "", "bob")).toBe(true);
    expect(await gate.grants()).toEqual([]);
    await tools.call("send", { to: "ann" });
    expect(handler.requests.length).toBe(2);
    expect(journal.of("grant.revoked")).toMatchObject([{ by: "bob" }]);
  });

  test("is never offered where it could not be shown whole: a secret, or a text that is cut (S4-12, C15)", async () => {
    const { gate, handler, tools } = gateWith(SESSION);
    for (const args of [{ api_key: "k-1" }, { body: "x".repeat(5_000) }]) {
      await tools.call("send", args);
      await tools.call("send", args);
    }
    expect(handler.requests.map(({ covers }) => covers)).toEqual([null, null, null, null]);
    expect(await gate.grants()).toEqual([]);
  });

  test("remembers what was shown, also where the tool's check says something wider afterwards", async () => {
    let checks = 0;
    const shifty = defineTool({
      name: "send",
      checkApproval: ({ args }): Ask => {
        checks += 1;
        return { description: "Send a mail", payload: checks === 1 ? args : {} };
      },
      run: () => null,
    });
    const { gate, handler, tools } = gateWith(SESSION, {}, shifty);
    expect((await tools.call("send", { to: "ann" })).kind).toBe("done");
    expect(await gate.grants()).toEqual([]);
    await tools.call("send", { to: "everybody" });
    expect(handler.requests.length).toBe(2);
  });

  test("is never kept of an input that a person edited, also where the tool's name is all that it covers", async () => {
    const answer = { status: "approved", scope: "session", by: "ann", editedInput: { to: "bob" } };
    const byName = defineTool({
      name: "send",
      checkApproval: () => ({ description: "Send a mail", payload: {} }),
      run: () => null,
    });
    for (const tool of [send(), byName]) {
      const { gate, handler, tools } = gateWith(answer, {}, tool);
      await tools.call("send", { to: "ann" });
      await tools.call("send", { to: "ann" });
      expect(handler.requests.length).toBe(2);
      expect(await gate.grants()).toEqual([]);
    }
  });
});

describe("memory is beaten", () => {
  test("by a deny, of a rule or of the tool itself (S0-D2, S0-24, C4)", async () => {
    let isBlocked = false;
    const tool = defineTool({
      name: "send",
      requireApproval: () => {
        if (isBlocked) throw new Error("the mail server is closed");
        return { required: true, reason: "a mail can't be taken back" };
      },
      run: () => null,
    });
    const { handler, tools } = gateWith(SESSION, {}, tool);
    await tools.call("send", {});
    expect((await tools.call("send", {})).kind).toBe("done");
    isBlocked = true;
    expect(await tools.call("send", {})).toMatchObject({ kind: "denied", code: "APPROVAL_BLOCKED" });
    expect(handler.requests.length).toBe(1);
  });

  test("by a rule that demands a person each time: nothing is offered, nothing remembered (S0-4, C4)", async () => {
    const rules = [{ pattern: "send", action: "ask", remember: false }] as const;
    const { gate, handler, tools } = gateWith(SESSION, { approval: { rules: [...rules] } });
    await tools.call("send", {});
    await tools.call("send", {});
    expect(handler.requests.map(({ covers }) => covers)).toEqual([null, null]);
    expect(await gate.grants()).toEqual([]);
  });

  test("by a mode that asks nobody: it answers by itself, before anything that is remembered (S1-32)", async () => {
    const key = { cacheKey: cacheKeyOf("send", {}), toolVersion: "", program: null, granted: null };
    const told = { tool: "send", covers: "every use of send", by: "ann", grantedAt: 0 };
    const kept = { kind: "call", grantId: "1", key, ...told } as const;
    for (const [mode, by] of [
      ["interactive", "approved for this session by ann"],
      ["approve_all", "approve-all mode"],
      ["strict", "strict mode: approval required (no rule covers `send`, and its risk is write)"],
    ] as const) {
      const { gate, handler, journal, tools } = gateWith(SESSION, { approval: { mode } });
      await gate.broker.saveGrant({ ...kept, sessionId: gate.sessionId });
      await tools.call("send", {});
      expect(handler.requests).toEqual([]);
      expect(journal.of("approval.auto")).toMatchObject([{ by, approved: mode !== "strict" }]);
    }
  });
});
