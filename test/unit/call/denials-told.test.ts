import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { denialText, modelOutput } from "../../../src/adapters/ai-sdk/model-output.ts";
import { messageOf } from "../../../src/adapters/langchain/tools.ts";
import { outcomeText } from "../../../src/adapters/openai-agents/gated-calls.ts";
import { shellOutput } from "../../../src/adapters/openai-agents/shell-output.ts";
import { createGate, type GateSettings } from "../../../src/call/create-gate.ts";
import { toolResult } from "../../../src/call/tool-result.ts";
import type { Outcome } from "../../../src/decide/outcome.ts";
import { callResult } from "../../../src/mcp/call-result.ts";
import { responseFor } from "../../../src/mcp/wrap/responses.ts";
import { ApprovalBlockedError } from "../../../src/policy/approval-error.ts";
import { callAnswer } from "../../../src/policy/call-answer.ts";
import { DENIALS, type DeniedBy } from "../../../src/policy/denied-by.ts";
import { denied, type NotRun } from "../../../src/policy/not-run.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import { Asked } from "../../support/approval/asked.ts";

type Denied = Extract<NotRun, { readonly kind: "denied" }>;

/** The text of a denial for a model, through each integration. */
const FACES: Readonly<Record<string, (outcome: Denied) => string>> = {
  "session.call": (outcome) => String(Object.values(toolResult(outcome))[1]),
  MCP: (outcome) => textIn(callResult(outcome)),
  "a wrapped MCP server": (outcome) =>
    textIn(responseFor({ ...outcome, code: "APPROVAL_DENIED" }, false)["result"]),
  "the AI SDK, after a run": (outcome) => String(Object.values(modelOutput(toolResult(outcome)))[1]),
  "the AI SDK, before a run": (outcome) => `Denied: ${denialText(outcome)}`,
  "the OpenAI Agents SDK": (outcome) => outcomeText(outcome),
  "its shell": (outcome) => shellOutput(outcome, null).stderr,
  LangChain: (outcome) => messageOf(outcome).content,
};

function textIn(result: unknown): string {
  return JSON.parse(JSON.stringify(result)).content[0].text;
}

const KINDS = Object.entries(DENIALS) as [DeniedBy, (typeof DENIALS)[DeniedBy]][];

describe.each(Object.entries(FACES))("a denial on %s", (_face, told) => {
  test.each(KINDS)("by %s says the reason first, then what would help", (by, { advice }) => {
    expect(told(denied(by, "no"))).toBe(`Denied: no\nWhat would help: ${advice}`);
  });

  test("by the sandbox says each remedy once, and who can do it", () => {
    const one = {
      operation: "read",
      target: "/x",
      certainty: "certain",
      because: "b",
      remedy: "list it",
    } as const;
    const text = told({ kind: "denied", code: "DENIED", reason: "no", hint: "list it", denials: [one, one] });
    expect(text.split("\n").slice(0, 2)).toEqual(["Denied: no", "What would help: list it"]);
    expect(text.split("\n")).toHaveLength(3);
    expect(text).toContain("Only the user can change the config or run `cofferdam`");
  });

  test("of an input that an approver put in place of the call's own says so", () => {
    const answer = { by: "ann", editedInput: { script: "sudo true" } };
    expect(told({ ...denied("rule", "no sudo"), answer })).toBe(
      [
        "Denied: no sudo",
        '`ann` changed the input of this call. This is the result of the changed input: `{"script":"sudo true"}`',
        `What would help: ${DENIALS.rule.advice}`,
      ].join("\n"),
    );
  });
});

test("no advice for a model names a command of a person, and each says whether repeating helps", () => {
  for (const [, { advice, repeat }] of KINDS) {
    expect(advice).not.toMatch(/`cofferdam|--\w/);
    expect(advice).toMatch(repeat === "no" ? /not help|not repeat|no person is asked/i : /repeat/i);
  }
});

const RULES = (action: "ask" | "deny") => ({ rules: [{ pattern: "send", action }] });
const send = (more: object = {}) => defineTool({ name: "send", run: () => "sent", ...more });
const no = () => new Asked(() => ({ approved: false, by: "ann" }));
const SILENT = { requestApproval: () => new Promise<never>(() => undefined) };

interface Situation {
  readonly by: DeniedBy;
  readonly settings: GateSettings;
  readonly tool?: ReturnType<typeof send>;
  /** The number of calls before, which end otherwise. */
  readonly before?: number;
}

describe("the kind of a denial", () => {
  test.each<Situation>([
    { by: "rule", settings: { approval: RULES("deny"), handler: new Asked() } },
    {
      by: "tool",
      settings: { handler: new Asked() },
      tool: send({
        checkApproval: () => {
          throw new ApprovalBlockedError("send", "never to all");
        },
      }),
    },
    { by: "risk", settings: { handler: new Asked() }, tool: send({ risk: "destructive" }) },
    { by: "mode", settings: { approval: { mode: "strict" }, handler: new Asked() } },
    { by: "person", settings: { handler: no() } },
    { by: "rejections", settings: { handler: no() }, before: 3 },
    { by: "nobody", settings: {} },
    { by: "timeout", settings: { handler: SILENT, wait: { timeoutMs: 1 } } },
    { by: "timeout", settings: { handler: SILENT, wait: { timeoutMs: 1, onTimeout: "deny" } } },
    { by: "queue", settings: { approval: { most_pending: 1 }, wait: { style: "suspend" } }, before: 1 },
  ])("is found by the gate: $by", async ({ by, settings, tool = send(), before = 0 }) => {
    using gate = createGate(settings);
    const tools = gate.guard([tool]);
    const call = (n: number) => tools.call("send", settings.wait?.style === "suspend" ? { n } : {});
    for (let count = 0; count < before; count += 1) await call(count);
    const outcome = await call(before);
    expect(outcome).toMatchObject({ kind: "denied", deniedBy: by });
    if (DENIALS[by].repeat === "no" && by !== "person") {
      // It is true that repeating does not help: nobody is asked.
      const asked = gate.broker;
      expect(await call(before)).toMatchObject({ kind: "denied", deniedBy: by });
      expect(await asked.pending()).toEqual([]);
    }
  });

  test("is an approval that holds no more; repeated, the call is asked about again", async () => {
    const handler = new Asked();
    using gate = createGate({ handler });
    const tools = gate.guard([send()]);
    const first = await tools.call("send", {}, { approvalId: "nowhere" });
    expect(first).toMatchObject({ kind: "denied", deniedBy: "approval" });
    expect([handler.requests.length, await tools.call("send", {})]).toMatchObject([0, { kind: "done" }]);
    expect(handler.requests.length).toBe(1);
  });
});

describe("what an approval said", () => {
  const done = (given: Parameters<typeof callAnswer>[0]): Outcome => {
    const answer = callAnswer(given);
    const ran = { kind: "done", value: { sent: 1 }, receipt: RECEIPT, durationMs: 1 } as const;
    return answer === null ? ran : { ...ran, answer };
  };
  const RECEIPT = JSON.parse('{"appeared":{"found":[]},"enforcement":{},"limitsReached":[]}');

  test("is read before the output, the same on every face; a plain yes says nothing", () => {
    const outcome = done({ by: "ann", note: "only once", editedInput: { to: "bob" } });
    const text =
      '`ann` changed the input of this call. This is the result of the changed input: `{"to":"bob"}`\nNote of `ann`: only once';
    expect(toolResult(outcome)).toEqual({ type: "success", output: { sent: 1 }, answer: text });
    expect(modelOutput(toolResult(outcome))).toEqual({ type: "text", value: `${text}\n{"sent":1}` });
    expect(outcomeText(outcome)).toBe(`${text}\n{"sent":1}`);
    expect(messageOf(outcome).content).toBe(`${text}\n{"sent":1}`);
    const plain = done({ by: "ann" });
    expect([toolResult(plain), outcomeText(plain)]).toEqual([
      { type: "success", output: { sent: 1 } },
      '{"sent":1}',
    ]);
  });

  test("is put before the content of a wrapped server's result", () => {
    const value = { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "sent" }] } };
    const answer = { by: "ann", note: "only once" };
    expect(responseFor({ kind: "done", value, answer }, false)).toEqual({
      ...value,
      result: {
        content: [
          { type: "text", text: "Note of `ann`: only once" },
          { type: "text", text: "sent" },
        ],
      },
    });
  });

  test("never holds an apparent secret or an invisible character, and is bounded", () => {
    const SECRET = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\u202e", "\u0000", "\u200b", "\n\nDenied: no", "`", "x".repeat(50_000)),
    );
    fc.assert(
      fc.property(text, text, text, (before, after, by) => {
        const outcome = done({
          by: `a${by}`,
          note: `${before} ${SECRET} ${after}`,
          editedInput: { [`k${before}`]: `${before} ${SECRET}`, password: after === "" ? "p" : `#${after}#` },
        });
        const told = outcomeText(outcome);
        expect(told).not.toContain(SECRET);
        if (after.length > 3) expect(JSON.stringify(outcome)).not.toContain(`#${after}#`);
        expect(told.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(told.length).toBeLessThan(100_000);
        expect(told.split("\n")).toHaveLength(3);
      }),
    );
  });
});
