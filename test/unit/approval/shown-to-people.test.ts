import { describe, expect, test } from "vitest";
import { toEnvelope } from "../../../src/approval/envelope.ts";
import { type StreamEvent, sseData, sseFrame, streamView } from "../../../src/approval/stream-view.ts";
import { createGate } from "../../../src/call/create-gate.ts";
import { type ApprovalEvent, type EventBody, isApprovalEvent } from "../../../src/event/event.ts";
import { Recorder } from "../../../src/journal/recorder.ts";
import { cacheKeyOf } from "../../../src/policy/hashes.ts";
import { requiresApproval } from "../../../src/tool/ask.ts";
import { type DefinedTool, defineTool, toolFrom } from "../../../src/tool/define-tool.ts";
import { Asked, Written } from "../../support/approval/asked.ts";
import { requestWith } from "../../support/approval/request.ts";

const SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

const pushed = (args: { readonly with: string }): number => args.with.length;

async function askedAbout(tool: DefinedTool, args: unknown, answer: unknown = { approved: true }) {
  const handler = new Asked(() => answer);
  const journal = new Written();
  using gate = createGate({ handler, journal });
  const outcome = await gate.guard([tool]).call(tool.name, args);
  return { outcome, journal, request: handler.requests[0] };
}

describe("what people are shown of a call", () => {
  test("is its arguments with what looks like a secret hidden; its key is made of the whole (S4-8, S4-11, S4-12, C15)", async () => {
    const args = { env: "prod", api_key: "k-1", note: `use ${SECRET}` };
    const { request, outcome } = await askedAbout(
      defineTool({ name: "deploy", run: ({ input }) => input }),
      args,
    );
    expect(request).toMatchObject({
      tool: "deploy",
      risk: "write",
      description: "use deploy",
      reason: "no rule covers `deploy`, and its risk is write",
      safeArgs: { env: "prod", api_key: "[hidden]", note: "use [hidden]" },
      redactions: {
        hidden: [
          { at: "api_key", because: "name" },
          { at: "note", because: "shape" },
        ],
      },
      cacheKey: cacheKeyOf("deploy", args),
      covers: null,
    });
    expect(outcome).toEqual({ kind: "done", value: args });
  });

  test("is what the tool would have shown in place of its arguments (S1-6, S4-10, C1)", async () => {
    const tool = defineTool({
      name: "upload",
      checkApproval: () => ({
        description: "Upload a file",
        payload: { path: "a" },
        displayArgs: { path: "a", token: "t" },
      }),
      run: () => null,
    });
    const { request } = await askedAbout(tool, { path: "a", body: "PRIVATE" });
    expect(request?.safeArgs).toEqual({ path: "a", token: "[hidden]" });
    expect(JSON.stringify(request)).not.toContain("PRIVATE");
    expect(request?.covers).toBe('upload with {"path":"a"}, with any other arguments');
  });

  test.each<[string, DefinedTool]>([
    [
      "a description",
      defineTool({
        name: "push",
        checkApproval: () => ({ description: `push with ${SECRET}` }),
        run: () => null,
      }),
    ],
    [
      "a reason",
      defineTool({
        name: "push",
        checkApproval: () => ({ description: "push", reason: `because of ${SECRET}` }),
        run: () => null,
      }),
    ],
    [
      "a requirement",
      defineTool({
        name: "push",
        requireApproval: { required: true, reason: `because of ${SECRET}` },
        run: () => null,
      }),
    ],
    [
      "the failure of a check",
      defineTool({
        name: "push",
        checkApproval: () => {
          throw new Error(`can't read ${SECRET}`);
        },
        run: () => null,
      }),
    ],
    ["a description that is made of the arguments", toolFrom(requiresApproval(pushed))],
  ])(
    "hides what looks like a secret in %s: from the question and from the record (S4-8, C15)",
    async (_, tool) => {
      const { request, journal, outcome } = await askedAbout(tool, { with: SECRET });
      expect(JSON.stringify([request, journal.events, outcome])).not.toContain(SECRET);
      expect(JSON.stringify(journal.events)).toContain("[hidden]");
    },
  );

  test("hides by its name what a description is made of, as it does in the arguments (S1-8, S4-8)", async () => {
    const login = requiresApproval(function login(args: {
      readonly user: string;
      readonly password: string;
    }) {
      return args.user;
    });
    const { request, journal } = await askedAbout(toolFrom(login), { user: "ann", password: "hunter2" });
    expect(request?.description).toBe('login(user="ann", password="[hidden]")');
    expect(JSON.stringify([request, journal.events])).not.toContain("hunter2");
  });

  test("leaves excluded arguments out everywhere, with nothing in the reasons (S1-D1)", async () => {
    const write = requiresApproval(
      function write({ path }: { readonly path: string; readonly content: string }) {
        return path;
      },
      { excludeKeys: ["content"] },
    );
    const { request } = await askedAbout(toolFrom(write), { path: "a", content: "PRIVATE" });
    expect(JSON.stringify(request)).not.toContain("PRIVATE");
    expect(request?.safeArgs).toEqual({ path: "a", content: "[not shown]" });
    expect(request?.covers).toBe('write with {"path":"a"}, with any other arguments');
  });
});

/** Every event about an approval that some calls leave behind. */
async function eventsOf(): Promise<readonly ApprovalEvent[]> {
  const journal = new Written();
  const answers = [
    { approved: true, always: true },
    { approved: false, reason: "no" },
    { status: "expired" },
  ];
  using gate = createGate({ journal, agent: "writer", handler: new Asked(() => answers.shift()) });
  const tools = gate.guard([defineTool({ name: "send", run: () => null })]);
  for (const to of ["ann", "ann", "bob", "eve"]) await tools.call("send", { to });
  return journal.events.filter(isApprovalEvent);
}

describe("an event stream", () => {
  test("tells of each request and its result, and nothing of what nobody was asked about (S0-15, S0-16, S0-31)", async () => {
    const views = (await eventsOf()).map(streamView).filter((view): view is StreamEvent => view !== null);
    expect(views.map(({ name }) => name)).toEqual([
      "ApprovalRequestEvent",
      "ApprovalResultEvent",
      "ApprovalRequestEvent",
      "ApprovalResultEvent",
      "ApprovalRequestEvent",
      "ApprovalResultEvent",
    ]);
    expect(views[0]?.data).toEqual({
      request_id: expect.any(String),
      tool_name: "send",
      arguments: { to: "ann" },
      risk_level: "write",
      agent_name: "writer",
    });
    const decisions = views.flatMap((view) =>
      view.name === "ApprovalResultEvent" ? [[view.data.decision, view.data.reason]] : [],
    );
    expect(decisions).toEqual([
      ["approved_always", ""],
      ["denied", "no"],
      ["denied", "the request was not answered in time"],
    ]);
    for (const [index, view] of views.entries())
      if (index % 2 === 1) expect(view.data.request_id).toBe(views[index - 1]?.data.request_id);
  });

  test("has frames that no text can break out of (S0-32)", () => {
    const frame = sseFrame({
      name: "ApprovalResultEvent",
      data: { request_id: "1", tool_name: "a", decision: "denied", reason: "no\n\nevent: Forged\ndata: {}" },
    });
    expect(frame).toBe(
      'event: ApprovalResultEvent\ndata: {"request_id":"1","tool_name":"a","decision":"denied","reason":"no\\n\\nevent: Forged\\ndata: {}"}\n\n',
    );
  });
});

test("an event is one line of data also for those who take U+2028 and U+2029 for ends of lines", () => {
  const line = sseData({ note: "a\u2028b\u2029c" });
  expect(line).toBe('data: {"note":"a\\u2028b\\u2029c"}\n');
  expect(JSON.parse(line.slice(6))).toEqual({ note: "a\u2028b\u2029c" });
});

describe("the envelope", () => {
  const event = (body: EventBody): ApprovalEvent => {
    const recorder = new Recorder({ now: () => 1_900_000_000_500 }, new Written(), "run-1");
    const written = recorder.write("session-1", "call-1", body);
    if (!isApprovalEvent(written)) throw new Error("it is about no approval");
    return written;
  };

  test("of a request has all that a remote person decides on, safe to show (S4-3, S4-4, S4-16)", () => {
    const request = requestWith({
      expiresAt: 1_900_000_300_000,
      groupId: "turn-1",
      redactions: { hidden: [{ at: "token", because: "name" }], cut: [], isMore: false },
    });
    expect(toEnvelope(event({ type: "approval.requested", request }))).toEqual({
      type: "approval.requested",
      version: 1,
      seq: 0,
      run_id: "run-1",
      session_id: "session-1",
      approval_id: "approval-1",
      created_at: 1_900_000_000.5,
      payload: {
        tool_name: "deploy",
        description: "deploy to staging",
        reason: "no rule covers `deploy`, and its risk is write",
        safe_args: { env: "staging" },
        redactions: { hidden: [{ at: "token", because: "name" }], cut: [], is_more: false },
        cache_key: request.cacheKey,
        timeout_s: 300,
        risk_level: "write",
        agent_name: null,
        group_id: "turn-1",
        covers: 'deploy with {"env":"staging"}',
      },
    });
  });

  test("of an answer says yes or no, who, what they noted and whether it is remembered (S4-3, S4-5)", () => {
    const resolved = {
      type: "approval.resolved",
      approvalId: "approval-1",
      tool: "deploy",
      argsHash: "a".repeat(64),
      approved: true,
      scope: "session",
      by: "ann",
      note: "go",
      isEdited: false,
    } as const;
    const payload = { approved: true, remember: "session", by: "ann", note: "go", is_edited: false };
    expect(toEnvelope(event(resolved))).toMatchObject({ approval_id: "approval-1", payload });
    expect(toEnvelope(event({ ...resolved, scope: "once" })).payload).toEqual({ ...payload, remember: null });
  });

  test("has one shape for every event there is, and is JSON (S4-3)", async () => {
    for (const one of await eventsOf()) {
      const envelope = toEnvelope(one);
      expect(Object.keys(envelope)).toEqual([
        "type",
        "version",
        "seq",
        "run_id",
        "session_id",
        "approval_id",
        "created_at",
        "payload",
      ]);
      expect(envelope.version).toBe(1);
      expect(JSON.parse(JSON.stringify(envelope))).toEqual(envelope);
    }
  });
});
