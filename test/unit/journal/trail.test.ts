import { context, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterEach, describe, expect, test } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import { createGate, type GateSettings } from "../../../src/call/create-gate.ts";
import { MemoryJournal } from "../../../src/journal/journal.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import { handlingAll, SILENCE } from "../../support/approval/desk.ts";

const SECRET = "rm -rf /srv/the-secret-folder";

function collect(...others: readonly SpanProcessor[]): { readonly spans: () => readonly ReadableSpan[] } {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    spanProcessors: [...others, new SimpleSpanProcessor(exporter)],
  });
  trace.setGlobalTracerProvider(provider);
  return { spans: () => exporter.getFinishedSpans() };
}

afterEach(() => {
  trace.disable();
  context.disable();
});

const run = async (settings: GateSettings, name = "deploy") => {
  using gate = createGate({ agent: "builder", ...settings });
  const tools = gate.guard([
    defineTool({ name: "deploy", run: () => ({ output: SECRET }) }),
    defineTool({
      name: "broken",
      run: () => {
        throw new Error(`it said ${SECRET}`);
      },
    }),
  ]);
  return await tools.call(name, { command: SECRET });
};

const decisionsOf = (span: ReadableSpan | undefined): readonly unknown[] =>
  (span?.events ?? []).map(({ name, attributes }) => ({ name, ...attributes }));

describe("a call leaves one span, with one event for its decision (S3-11)", () => {
  const name = "approval_decision";
  const asked = { name, asked: true, approval_id: expect.any(String) };

  test.each<[string, GateSettings, string, object]>([
    [
      "a yes",
      { handler: () => approved("ann") },
      "done",
      { ...asked, approved: true, status: "approved", by: "ann" },
    ],
    [
      "a no",
      { handler: () => rejected("ann", SECRET) },
      "denied",
      { ...asked, approved: false, status: "rejected", by: "ann" },
    ],
    [
      "silence",
      { handler: SILENCE, approval: { timeout: "1ms" } },
      "denied",
      { ...asked, approved: false, status: "expired", by: "nobody" },
    ],
    ["an allow", { approval: { mode: "approve_all" } }, "done", { name, asked: false, approved: true }],
    ["a deny", { approval: { mode: "strict" } }, "denied", { name, asked: false, approved: false }],
  ])("%s", async (_, settings, outcome, decision) => {
    const { spans } = collect();
    expect(await run(settings)).toMatchObject({ kind: outcome });
    expect(spans()).toHaveLength(1);
    const [span] = spans();
    expect(span?.name).toBe("cofferdam.call");
    expect(span?.attributes).toEqual({
      "cofferdam.tool": "deploy",
      "cofferdam.agent": "builder",
      "cofferdam.call_id": expect.any(String),
      "cofferdam.session_id": expect.any(String),
      "cofferdam.run_id": expect.any(String),
      "cofferdam.outcome": outcome,
    });
    expect(span?.status.code).toBe(0);
    expect(decisionsOf(span)).toEqual([decision]);
  });
});

test("a call that fails has the status error, and neither arguments nor output nor what was thrown stand in a span", async () => {
  const { spans } = collect();
  await run({ handler: () => approved("ann") });
  await run({ handler: () => approved("ann") }, "broken");
  await run({ handler: () => rejected("ann", SECRET) });
  expect(spans().map(({ status }) => status)).toEqual([{ code: 0 }, { code: 2 }, { code: 0 }]);
  const told = spans().map((span) => [span.name, span.attributes, span.status, span.events]);
  expect(JSON.stringify(told)).not.toContain("secret-folder");
});

test("without a collector no span is recorded, and the call is the same", async () => {
  expect(trace.getTracer("cofferdam").startSpan("cofferdam.call").isRecording()).toBe(false);
  expect(await run({ handler: () => approved("ann") })).toMatchObject({ kind: "done" });
});

describe("a collector that throws", () => {
  const fail = (): never => {
    throw new Error("collector");
  };
  const processor = (more: Partial<SpanProcessor>): SpanProcessor => ({
    onStart: () => undefined,
    onEnd: () => undefined,
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
    ...more,
  });

  test.each([
    ["when a span begins", processor({ onStart: fail })],
    ["when it ends", processor({ onEnd: fail })],
    ["always", processor({ onStart: fail, onEnding: fail, onEnd: fail, forceFlush: fail, shutdown: fail })],
  ])("%s changes nothing of a call, nor of what is written down", async (_, broken) => {
    await handlingAll(async () => {
      collect(broken);
      const journal = new MemoryJournal();
      expect(await run({ journal, handler: () => approved("ann") })).toMatchObject({ kind: "done" });
      expect(journal.events.map(({ type }) => type)).toEqual([
        "call.received",
        "call.judged",
        "approval.requested",
        "approval.resolved",
        "call.judged",
        "call.ended",
      ]);
    });
  });
});

test("the numbers of a run's events are one row, in the order in which things happened", async () => {
  const journal = new MemoryJournal();
  await run({ journal, handler: () => approved("ann") });
  expect(journal.events.map(({ seq }) => seq)).toEqual(journal.events.map((_, index) => index));
});
