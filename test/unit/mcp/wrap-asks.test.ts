import { describe, expect, it, vi } from "vitest";
import { type Loose, plainServer, Scripted, textOf } from "../../support/mcp/scripted.ts";

const FORMS = { elicitation: {} };
const ALLOWED = { rules: [{ pattern: "*", action: "allow" as const }] };

/** The answer to a question of ours, as a client gives it. */
const said = (answer: string): Loose => ({ action: "accept", content: { answer } });

/** What a request of the stateless revision carries along. */
const envelope = (capabilities: Loose = FORMS): Loose => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "tester", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": capabilities,
});

/** A result of the stateless revision, as far as these tests look at it. */
function wants(answer: Loose): {
  readonly state: string;
  readonly request: unknown;
  readonly message: string;
} {
  const result: Loose = Object.assign({}, answer["result"]);
  expect(result["resultType"]).toBe("input_required");
  const requests: Loose = Object.assign({}, result["inputRequests"]);
  const request: Loose = Object.assign({}, requests["cofferdam"]);
  const params: Loose = Object.assign({}, request["params"]);
  return { state: String(result["requestState"]), request, message: String(params["message"]) };
}

describe("whoever sits at an MCP client that keeps a session", () => {
  it("is asked by a form of ours, and a yes makes the call", async () => {
    using at = new Scripted({ server: plainServer(), asked: null });
    await at.initialize(FORMS);
    at.client({ id: 1, method: "tools/call", params: { name: "write", arguments: { path: "a" } } });
    const request = await at.request("elicitation/create");
    const params: Loose = Object.assign({}, request["params"]);
    expect(Object.keys(params)).toEqual(["message", "requestedSchema"]);
    expect(params["message"]).toContain("cofferdam asks: this call needs your approval\ntool: fs/write\n");
    expect(at.serverSaw.some(({ method }) => method === "tools/call")).toBe(false);
    at.client({ id: String(request["id"]), result: said("yes, once") });
    expect(textOf(await at.answer(1))).toContain("content");
    expect(at.journal.of("approval.resolved")).toMatchObject([
      { approved: true, by: "the user of the MCP client tester" },
    ]);
  });

  it.each<[claim: string, answer: Loose]>([
    ["says no", { result: said("no") }],
    ["declines", { result: { action: "decline" } }],
    ["puts it away", { result: { action: "cancel" } }],
    ["sends it back as it came", { result: { action: "accept", content: {} } }],
    ["says what was not offered", { result: said("yes, for ever") }],
    ["answers what is no answer", { result: { action: "maybe" } }],
    ["has a client that fails", { error: { code: -32603, message: "no screen" } }],
  ])("who %s has the call denied", async (_claim, answer) => {
    using at = new Scripted({ server: plainServer(), asked: null });
    await at.initialize(FORMS);
    at.client({ id: 1, method: "tools/call", params: { name: "write" } });
    const { id } = await at.request("elicitation/create");
    at.client({ id: String(id), ...answer });
    expect(textOf(await at.answer(1))).toContain("Denied");
    expect(at.serverSaw.some(({ method }) => method === "tools/call")).toBe(false);
  });

  it("is not asked where the client brings no forms: the call is denied, and says why", async () => {
    for (const capabilities of [{}, { elicitation: { url: {} } }]) {
      using at = new Scripted({ server: plainServer(), asked: null });
      await at.initialize(capabilities);
      const text = textOf(await at.call(1, "write"));
      expect(text).toContain(
        "the MCP client can't ask its user: use a client that declares `elicitation`, or open a channel under `approval.channels`",
      );
      expect(at.clientSaw.filter(({ method }) => method !== undefined)).toEqual([]);
    }
    // As it says: another client, or another channel.
    using forms = new Scripted({ server: plainServer(), asked: null });
    await forms.initialize(FORMS);
    forms.client({ id: 1, method: "tools/call", params: { name: "write" } });
    const { id } = await forms.request("elicitation/create");
    forms.client({ id: String(id), result: said("yes, once") });
    expect(textOf(await forms.answer(1))).toContain("content");
    using channel = new Scripted({ server: plainServer() });
    await channel.initialize({});
    expect(textOf(await channel.call(1, "write"))).not.toContain("Denied");
  });

  it("is told when the question is put away, and the server can't answer it", async () => {
    using at = new Scripted({ server: plainServer(), asked: null });
    await at.initialize(FORMS);
    at.client({ id: 1, method: "tools/call", params: { name: "write" } });
    const { id } = await at.request("elicitation/create");
    at.server({ id: String(id), result: said("yes, once") });
    at.client({ method: "notifications/cancelled", params: { requestId: 1 } });
    expect(await at.request("notifications/cancelled")).toMatchObject({ params: { requestId: id } });
    expect(at.serverSaw.some(({ method }) => method === "tools/call")).toBe(false);
  });
});

describe("whoever sits at an MCP client of the stateless revision", () => {
  const params = { name: "write", arguments: { path: "a" }, _meta: envelope() };

  it("is asked by what the call wants first; the same call with a yes is made, with what was judged", async () => {
    using at = new Scripted({ server: plainServer(), asked: null });
    const { state, request, message } = wants(await at.ask(1, "tools/call", params));
    expect(request).toMatchObject({ method: "elicitation/create", params: { mode: "form" } });
    expect(message).toContain("cofferdam asks: this call needs your approval\ntool: fs/write\n");
    expect(at.serverSaw).toEqual([]);
    const _meta = { ...envelope(), progressToken: 2 };
    const retry = { ...params, _meta, inputResponses: { cofferdam: said("yes, once") }, requestState: state };
    expect(textOf(await at.ask(2, "tools/call", retry))).toContain("content");
    expect(at.serverSaw).toEqual([
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { ...params, _meta } },
    ]);
    // It holds once.
    expect((await at.ask(3, "tools/call", retry))["error"]).toMatchObject({ code: -32602 });
  });

  it("who says no has it denied, as a whole result", async () => {
    using at = new Scripted({ server: plainServer(), asked: null });
    const { state } = wants(await at.ask(1, "tools/call", params));
    const retry = { ...params, inputResponses: { cofferdam: said("no") }, requestState: state };
    expect((await at.ask(2, "tools/call", retry))["result"]).toMatchObject({
      resultType: "complete",
      isError: true,
    });
    expect(at.serverSaw).toEqual([]);
  });

  it.each<[claim: string, retry: Loose]>([
    ["another tool", { name: "delete" }],
    ["other arguments", { arguments: { path: "b" } }],
    ["no arguments", { arguments: undefined }],
    ["one more thing", { task: {} }],
    ["a state that nobody gave", { requestState: "cofferdam:00000000-0000-4000-8000-000000000000" }],
  ])("can't have a yes count for %s", async (_claim, other) => {
    using at = new Scripted({ server: plainServer(), asked: null });
    const { state } = wants(await at.ask(1, "tools/call", params));
    const retry = {
      ...params,
      inputResponses: { cofferdam: said("yes, once") },
      requestState: state,
      ...other,
    };
    expect((await at.ask(2, "tools/call", retry))["error"]).toMatchObject({ code: -32602 });
    expect(at.serverSaw).toEqual([]);
  });

  it("is not asked where the client brings no forms", async () => {
    using at = new Scripted({ server: plainServer(), asked: null });
    const answer = await at.ask(1, "tools/call", { ...params, _meta: envelope({}) });
    expect(textOf(answer)).toContain("the MCP client can't ask its user");
  });

  it("who comes back too late learns what became of it", async () => {
    using at = new Scripted({ server: plainServer(), asked: null, approval: { timeout: "40ms" } });
    const { state } = wants(await at.ask(1, "tools/call", params));
    await vi.waitUntil(() => at.journal.of("call.ended").length === 1);
    const retry = { ...params, inputResponses: { cofferdam: said("yes, once") }, requestState: state };
    expect(textOf(await at.ask(2, "tools/call", retry))).toContain("the request was not answered in time");
    expect(at.serverSaw).toEqual([]);
  });
});

describe("what a wrapped server of the stateless revision wants before it answers", () => {
  const question = {
    method: "elicitation/create",
    params: { mode: "form", message: "Which?", requestedSchema: {} },
  };
  const params = {
    name: "write",
    arguments: { path: "a" },
    _meta: envelope({ elicitation: {}, sampling: {} }),
  };

  /** Wants something at the first call, and answers the second with what came along. */
  const wanting = (inputRequests: Loose) => (message: Loose) => {
    const given: Loose = Object.assign({}, message["params"]);
    if (message["id"] === undefined) return null;
    const result =
      given["requestState"] === "s1"
        ? { resultType: "complete", content: [], given: given["inputResponses"] }
        : { resultType: "input_required", inputRequests, requestState: "s1" };
    return { id: message["id"], result };
  };

  it("passes the gate, says whose it is, and does not have the same call asked about twice", async () => {
    using at = new Scripted({ server: wanting({ k: question }), section: { elicitation: "allow" } });
    const first = await at.ask(1, "tools/call", params);
    expect(first["result"]).toMatchObject({
      resultType: "input_required",
      requestState: "s1",
      inputRequests: { k: { params: { message: expect.stringContaining("The MCP server fs asks this.") } } },
    });
    const inputResponses = { k: { action: "accept", content: { a: 1 } } };
    const retry = { ...params, inputResponses, requestState: "s1" };
    expect((await at.ask(2, "tools/call", retry))["result"]).toMatchObject({ given: inputResponses });
    expect(at.asked.tools).toEqual(["fs/write"]);
    // The same state once more, or with other arguments, is asked about.
    await at.ask(3, "tools/call", retry);
    await at.ask(4, "tools/call", { ...retry, arguments: { path: "b" } });
    expect(at.asked.tools).toEqual(["fs/write", "fs/write", "fs/write"]);
  });

  it("is denied where the config says nothing of it: the model is told what it depends on, and saying so lets it pass", async () => {
    using denied = new Scripted({ server: wanting({ k: question }) });
    expect(JSON.stringify(await denied.ask(1, "tools/call", params))).toContain(
      "change `sampling` or `elicitation` of this server in the config",
    );
    using allowed = new Scripted({ server: wanting({ k: question }), section: { elicitation: "allow" } });
    expect((await allowed.ask(1, "tools/call", params))["result"]).toMatchObject({
      resultType: "input_required",
      inputRequests: { k: { method: "elicitation/create" } },
    });
  });

  it.each<[claim: string, inputRequests: Loose, section: Loose]>([
    ["the config denies", { k: question }, {}],
    ["no server may want", { k: { method: "tools/call", params: {} } }, { elicitation: "allow" }],
    ["is no request", { k: 3 }, { elicitation: "allow" }],
    ["the client does not do", { k: { method: "roots/list" } }, { elicitation: "allow" }],
    [
      "stands beside what is allowed",
      { a: question, b: { method: "sampling/createMessage", params: {} } },
      { elicitation: "allow" },
    ],
  ])("does not reach the client when it %s", async (_claim, inputRequests, section) => {
    using at = new Scripted({ server: wanting(inputRequests), section });
    expect((await at.ask(1, "tools/call", params))["result"]).toMatchObject({
      isError: true,
      resultType: "complete",
    });
    expect((await at.ask(2, "prompts/get", { ...params }))["error"]).toMatchObject({ code: -32000 });
  });

  it.each<[elicitation: string, reaches: boolean]>([
    ["deny", false],
    ["allow", true],
  ])("is a page to go to only where the config says so: %s", async (elicitation, reaches) => {
    const elicitations = [
      { mode: "url", elicitationId: "e", url: "https://example.org/", message: "Sign in\u202e" },
    ];
    using at = new Scripted({
      section: { elicitation },
      server: ({ id }) =>
        id === undefined
          ? null
          : { id, error: { code: -32042, message: "cofferdam asks", data: { elicitations } } },
    });
    await at.initialize({ elicitation: { url: {} } });
    const text = textOf(await at.call(1, "write"));
    expect([text.includes("https://example.org/"), text.includes("The MCP server fs asks this.")]).toEqual([
      reaches,
      reaches,
    ]);
    expect([text.includes("cofferdam asks"), text.includes("\u202e")]).toEqual([false, false]);
  });

  it("is asked about by the call that it is wanted for", async () => {
    using at = new Scripted({
      server: wanting({ k: question }),
      section: { elicitation: "ask" },
      approval: { rules: [{ pattern: "fs/write", action: "allow" }] },
      asked: null,
    });
    const { state, message } = wants(await at.ask(1, "tools/call", params));
    expect(message).toContain("tool: fs/elicitation\n");
    const retry = { ...params, inputResponses: { cofferdam: said("yes, once") }, requestState: state };
    const second = await at.ask(2, "tools/call", retry);
    expect(second["result"]).toMatchObject({ resultType: "input_required", requestState: "s1" });
    expect(textOf(second)).toContain("The MCP server fs asks this.");
  });

  it("is told of those roots alone that it can read", async () => {
    using at = new Scripted({ server: wanting({}), approval: ALLOWED });
    const inputResponses = { r: { roots: [{ uri: "file:///" }] }, k: said("x") };
    await at.ask(1, "tools/call", { ...params, inputResponses, requestState: "s1" });
    expect(at.serverSaw[0]?.["params"]).toMatchObject({ inputResponses: { r: { roots: [] }, k: said("x") } });
  });
});
