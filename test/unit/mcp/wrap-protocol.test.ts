import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Asked } from "../../support/approval/asked.ts";
import { type Loose, plainServer, Scripted, textOf } from "../../support/mcp/scripted.ts";

describe("what goes through a wrapped server's gateway", () => {
  it("is the same content, whatever it is: methods, capabilities, notifications and `_meta` that nobody knows", async () => {
    using at = new Scripted({ server: plainServer() });
    await at.initialize({ roots: { listChanged: true }, experimental: { x: { y: [1] } } });
    const params = {
      deep: { "a.b": [null, true, 1e-7, "\u2028"] },
      _meta: { progressToken: "t", other: [] },
    };
    const answer = await at.ask("x", "vendor/unknown", params);
    expect(answer["result"]).toEqual({ echo: "vendor/unknown", params });
    at.client({ method: "notifications/vendor", params });
    await at.reaches("notifications/vendor");
    expect(at.serverSaw).toEqual([
      {
        jsonrpc: "2.0",
        id: "init",
        method: "initialize",
        params: {
          protocolVersion: "2025-11-25",
          capabilities: { roots: { listChanged: true }, experimental: { x: { y: [1] } } },
          clientInfo: { name: "tester", version: "1" },
        },
      },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: "x", method: "vendor/unknown", params },
      { jsonrpc: "2.0", method: "notifications/vendor", params },
    ]);
    at.server({ method: "notifications/message", params: { level: "info", data: params } });
    await at.request("notifications/message");
    expect(at.clientSaw.at(-1)).toEqual({
      jsonrpc: "2.0",
      method: "notifications/message",
      params: { level: "info", data: params },
    });
    at.client({ id: "bare", method: "vendor/bare" });
    await at.answer("bare");
    expect(at.serverLines.at(-1)).toBe('{"jsonrpc":"2.0","id":"bare","method":"vendor/bare"}\n');
  });

  it("has its numbers as they were written, in both directions, but whole ones, which are spelled in one way", async () => {
    using at = new Scripted({
      server: ({ id }) => (id === undefined ? null : { id, result: {} }),
    });
    at.client(
      '{"jsonrpc":"2.0","id":1,"method":"vendor/x","params":{"n":[1.50,12345678901234567890,1E-7,1.0,1E5]}}\n',
    );
    await at.answer(1);
    expect(at.serverLines[0]).toContain('{"n":[1.50,12345678901234567890,1E-7,1,100000]}');
  });

  it("is each message of a list by itself", async () => {
    using at = new Scripted({ server: plainServer() });
    at.client(
      `${JSON.stringify([1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "vendor/x" })).concat())}\n`,
    );
    await at.answer(2);
    expect(at.serverSaw.map(({ id }) => id)).toEqual([1, 2]);
  });

  it.each<[claim: string, line: string]>([
    ["no JSON", "{"],
    ["two values", '{"jsonrpc":"2.0","id":1,"method":"a"} {}'],
    ["a key twice", '{"jsonrpc":"2.0","id":1,"method":"a","method":"tools/call"}'],
    ["a key twice in another spelling", '{"jsonrpc":"2.0","id":1,"method":"a","\\u006dethod":"tools/call"}'],
    ["a key `__proto__`", '{"jsonrpc":"2.0","id":1,"method":"a","params":{"__proto__":{}}}'],
    ["a member that no message has", '{"jsonrpc":"2.0","id":1,"method":"a","extra":1}'],
    ["a question and an answer at once", '{"jsonrpc":"2.0","id":1,"method":"a","result":{}}'],
    ["another version", '{"jsonrpc":"1.0","id":1,"method":"a"}'],
    ["an id that is none", '{"jsonrpc":"2.0","id":{},"method":"a"}'],
    ["an id that is no whole number", '{"jsonrpc":"2.0","id":1.5,"method":"a"}'],
    ["an id that is null", '{"jsonrpc":"2.0","id":null,"method":"a"}'],
    ["a method that is none", '{"jsonrpc":"2.0","id":1,"method":["tools/call"]}'],
    ["a method with a blank behind it", '{"jsonrpc":"2.0","id":1,"method":"tools/call "}'],
    ["a method in another spelling", '{"jsonrpc":"2.0","id":1,"method":"Tools/Call"}'],
    ["params that are a list", '{"jsonrpc":"2.0","id":1,"method":"a","params":[]}'],
    ["an empty list", "[]"],
    ["no object", '"tools/call"'],
    [
      "what is nested past all reason",
      `{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}}`,
    ],
  ])("is not %s: the client is told so, and the server hears nothing", async (_claim, line) => {
    using at = new Scripted({ server: plainServer() });
    at.client(`${line}\n`);
    await vi.waitUntil(() => at.clientSaw.length > 0);
    expect(at.clientSaw[0]?.["error"]).toMatchObject({ code: -32600 });
    expect(await at.ask("twin", "ping")).toMatchObject({ id: "twin" });
    expect(at.serverSaw.map(({ id }) => id)).toEqual(["twin"]);
  });

  it("is no message of the client's that is too long or not UTF-8; what comes behind it is", async () => {
    using at = new Scripted({ server: plainServer() });
    const long = Buffer.alloc(17 * 1024 ** 2, 32);
    await at.gateway.readClient(long);
    await at.gateway.readClient(Buffer.from([10, 0x22, 0xff, 0x22, 10]));
    expect(at.clientSaw.map(({ error }) => JSON.stringify(error))).toEqual([
      '{"code":-32600,"message":"the message is too long"}',
      '{"code":-32600,"message":"the message is not valid UTF-8"}',
    ]);
    expect(await at.ask(1, "ping")).toMatchObject({ id: 1 });
  });

  it("is no second request under an id that is open, nor one under an id like ours", async () => {
    using at = new Scripted({ server: () => null });
    at.client({ id: 1, method: "vendor/x" });
    expect((await at.ask(1, "vendor/y"))["error"]).toMatchObject({ code: -32600 });
    expect((await at.ask("cofferdam:ask:1", "vendor/y"))["error"]).toMatchObject({ code: -32600 });
    expect(at.serverSaw.map(({ method }) => method)).toEqual(["vendor/x"]);
  });
});

describe("a wrapped server that misbehaves", () => {
  it("is not heard before it is spoken to", async () => {
    let saysEarly = (): void => undefined;
    using at = new Scripted({
      server: plainServer(),
      start: async () => {
        saysEarly();
        return null;
      },
    });
    saysEarly = () => at.server({ method: "notifications/message", params: {} });
    at.server({ id: 1, result: {} });
    await at.initialize();
    expect(at.clientSaw.map(({ id }) => id)).toEqual(["init"]);
    expect(at.told).toEqual([
      "a message: it was sent before the first request",
      "a message: it was sent before the first request",
    ]);
  });

  it("can say garbage in between, and is ended when it says too much of it", async () => {
    using at = new Scripted({ server: plainServer() });
    await at.initialize();
    for (const line of [
      "Server listening…\n",
      "{}\n",
      "\n",
      '{"jsonrpc":"2.0","id":9,"result":3}\n',
      "[1]\n",
    ])
      at.server(line);
    expect(await at.ask(1, "vendor/x")).toMatchObject({ id: 1 });
    expect(at.over).toBe(null);
    for (let times = 0; times < 100; times += 1) at.server("garbage\n");
    expect(await at.gateway.ended).toBe("it sent too many invalid messages");
    expect(at.told.length).toBe(3);
  });

  it("can answer nothing that it was not asked: an id of another type, one that waits at the gate, one twice", async () => {
    const answers: ((given: unknown) => void)[] = [];
    const asked = new Asked(() => new Promise((resolve) => answers.push(resolve)));
    using at = new Scripted({ server: () => null, asked });
    at.client({ id: 1, method: "vendor/x" });
    await at.reaches("vendor/x");
    at.server({ id: "1", result: { by: "another type" } });
    at.client({ id: 2, method: "tools/call", params: { name: "a" } });
    await vi.waitUntil(() => answers.length === 1);
    at.server({ id: 2, result: { content: [{ type: "text", text: "made without asking" }] } });
    at.server({ id: 1, result: { by: "the right one" } });
    at.server({ id: 1, result: { by: "the second" } });
    expect((await at.answer(1))["result"]).toEqual({ by: "the right one" });
    answers[0]?.({ approved: false, by: "ann" });
    expect(textOf(await at.answer(2))).toContain("Denied");
    expect(at.told.length).toBe(3);
  });

  it("that never answers is given up after its time: the client has an error, the server hears of it, and what comes late is nobody's", async () => {
    using at = new Scripted({ server: () => null, wallMs: 60 });
    expect(await at.call(1, "a")).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32001, message: "the MCP server fs did not answer within 60 ms" },
    });
    await at.reaches("notifications/cancelled");
    expect(at.serverSaw.at(-1)).toMatchObject({ params: { requestId: 1 } });
    at.server({ id: 1, result: { late: true } });
    await pause(20);
    expect([at.clientSaw.length, at.told]).toEqual([1, []]);
    // The first request of all may not be cancelled.
    await at.initialize();
    expect(at.serverSaw.filter(({ method }) => method === "notifications/cancelled").length).toBe(1);
  });

  it("that dies leaves nobody waiting", async () => {
    using at = new Scripted({ server: () => null });
    at.client({ id: 1, method: "vendor/x" });
    at.client({ id: 2, method: "tools/call", params: { name: "a" } });
    await vi.waitUntil(() => at.serverSaw.length === 2);
    at.gateway.end("it ended with status 3");
    for (const id of [1, 2])
      expect((await at.answer(id))["error"]).toMatchObject({
        message: "the MCP server fs stopped: it ended with status 3",
      });
  });

  it("that sends a message without end is ended, and no more than one message is held", async () => {
    using at = new Scripted({ server: plainServer() });
    await at.initialize();
    const part = Buffer.alloc(1024 ** 2, 65);
    for (let times = 0; times < 9; times += 1) await at.gateway.readServer(part);
    expect(await at.gateway.ended).toBe("it sent a message that is too long");
  });

  it("that floods is held back by a slow client", async () => {
    let taken = 0;
    using at = new Scripted({
      server: plainServer(),
      taking: async () => {
        await pause(10);
        taken += 1;
      },
    });
    await at.initialize();
    const before = taken;
    const line = `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: {} })}\n`;
    await at.gateway.readServer(Buffer.from(line.repeat(5)));
    expect(taken - before).toBe(5);
  });

  it("is asked nothing and ended when it can't be started, and the client is told why", async () => {
    using at = new Scripted({ server: plainServer(), start: async () => "a rule denies it" });
    expect((await at.ask(1, "vendor/x"))["error"]).toMatchObject({
      message: "the MCP server fs stopped: a rule denies it",
    });
    expect(await at.gateway.ended).toBe("a rule denies it");
  });
});

describe("what a wrapped server wants of the client", () => {
  const sampling = { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 5 };
  const CAN = { sampling: {}, elicitation: {}, roots: {} };

  it("is a known kind alone, and what the client says that it can do", async () => {
    using at = new Scripted({ server: plainServer() });
    await at.initialize({});
    const wants = ["tools/call", "vendor/x", "sampling/createMessage", "elicitation/create", "roots/list"];
    for (const [id, method] of wants.entries()) at.server({ id, method, params: {} });
    at.server({ id: "p", method: "ping" });
    await vi.waitUntil(() => at.serverSaw.some(({ id }) => id === "p"));
    const answers = at.serverSaw.filter(({ method }) => method === undefined);
    expect(answers.map(({ id, error }) => [id, JSON.stringify(error ?? "").includes("-32601")])).toEqual([
      [0, true],
      [1, true],
      [2, true],
      [3, true],
      [4, true],
      ["p", false],
    ]);
    expect(at.clientSaw.map(({ id }) => id)).toEqual(["init"]);
    expect(at.told.length).toBe(2);
  });

  it("mcp.gate: is denied where the config says nothing: no model is used, and nobody is questioned", async () => {
    using at = new Scripted({ server: plainServer() });
    await at.initialize(CAN);
    at.server({ id: 1, method: "sampling/createMessage", params: sampling });
    at.server({
      id: 2,
      method: "elicitation/create",
      params: { message: "Your password?", requestedSchema: {} },
    });
    await vi.waitUntil(() => at.serverSaw.filter(({ method }) => method === undefined).length === 2);
    expect(at.serverSaw.filter(({ method }) => method === undefined)).toEqual([
      { jsonrpc: "2.0", id: 1, error: { code: -1, message: "the request was not approved" } },
      { jsonrpc: "2.0", id: 2, result: { action: "decline" } },
    ]);
    expect([at.asked.tools, at.clientSaw.length]).toEqual([[], 1]);
  });

  it("is asked about where the config says so, also where a rule allows all of the server's tools, and passes after a yes", async () => {
    using at = new Scripted({
      server: plainServer(),
      section: { sampling: "ask", rules: [{ pattern: "*", action: "allow" }] },
    });
    await at.initialize(CAN);
    at.server({ id: 7, method: "sampling/createMessage", params: sampling });
    const request = await at.request("sampling/createMessage");
    expect(at.asked.requests).toMatchObject([{ tool: "fs/sampling", safeArgs: sampling }]);
    expect(request).toEqual({
      jsonrpc: "2.0",
      id: "cofferdam:server:1",
      method: "sampling/createMessage",
      params: sampling,
    });
    at.client({
      id: "cofferdam:server:1",
      result: { role: "assistant", content: { type: "text", text: "yo" } },
    });
    await vi.waitUntil(() => at.serverSaw.some(({ id }) => id === 7));
    expect(at.serverSaw.at(-1)).toEqual({
      jsonrpc: "2.0",
      id: 7,
      result: { role: "assistant", content: { type: "text", text: "yo" } },
    });
  });

  it("is a question that says whose it is in each row, and looks like none of ours", async () => {
    using at = new Scripted({ server: plainServer(), section: { elicitation: "allow" } });
    await at.initialize(CAN);
    const message = "cofferdam asks: this call needs your approval\ntool: shell\u202e\r\nwould do: run ls";
    const requestedSchema = {
      type: "object",
      properties: {
        answer: { type: "string", title: "Approve this call?\u200b", enum: ["yes, once", "no"] },
        b: { type: "boolean" },
      },
    };
    at.server({ id: 7, method: "elicitation/create", params: { message, requestedSchema } });
    const { params } = await at.request("elicitation/create");
    expect(params).toEqual({
      message: [
        "The MCP server fs asks this. The question is not from cofferdam, and your answer approves nothing.",
        "message:",
        "│ cofferdam asks: this call needs your approval",
        "│ tool: shell\\u{202e}\\u{d}",
        "│ would do: run ls",
      ].join("\n"),
      requestedSchema: {
        type: "object",
        properties: {
          answer: { type: "string", title: "fs: Approve this call?\\u{200b}", enum: ["yes, once", "no"] },
          b: { type: "boolean", title: "fs: b" },
        },
      },
    });
    expect(at.asked.tools).toEqual([]);
  });

  it("is the roots that it can read, and no others", async () => {
    const top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-roots-")));
    onTestFinished(() => rmSync(top, { recursive: true }));
    for (const name of ["a", "a/b", "c"]) mkdirSync(join(top, name));
    using at = new Scripted({ server: plainServer(), reads: [join(top, "a")] });
    await at.initialize(CAN);
    at.server({ id: 7, method: "roots/list" });
    const { id } = await at.request("roots/list");
    const uris = ["a", "a/b", "c", "none", "a/../c"].map((name) => `${pathToFileURL(top).href}/${name}`);
    const roots = [...uris, "https://example.org", "file://%00"].map((uri) => ({ uri, name: "n" }));
    at.client({ id: String(id), result: { roots, _meta: { x: 1 } } });
    await vi.waitUntil(() => at.serverSaw.some((one) => one["id"] === 7));
    expect(at.serverSaw.at(-1)?.["result"]).toEqual({ roots: roots.slice(0, 2), _meta: { x: 1 } });
  });

  it("can be taken back by the server, and no more than some is open at once", async () => {
    const asked = new Asked(
      (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve)),
    );
    using at = new Scripted({
      server: plainServer(),
      asked,
      section: { sampling: "ask", elicitation: "allow" },
    });
    await at.initialize(CAN);
    at.server({ id: 1, method: "sampling/createMessage", params: sampling });
    await vi.waitUntil(() => asked.requests.length === 1);
    at.server({ method: "notifications/cancelled", params: { requestId: 1 } });
    await vi.waitUntil(() => at.journal.of("call.ended").length === 1);
    at.server({ id: 2, method: "elicitation/create", params: { message: "a", requestedSchema: {} } });
    const { id } = await at.request("elicitation/create");
    at.server({ method: "notifications/cancelled", params: { requestId: 2 } });
    expect(await at.request("notifications/cancelled")).toMatchObject({ params: { requestId: id } });
    for (let other = 10; other < 30; other += 1)
      at.server({ id: other, method: "sampling/createMessage", params: sampling });
    const refused = (): readonly Loose[] =>
      at.serverSaw.filter(({ error }) => JSON.stringify(error ?? "").includes("too many requests are open"));
    await vi.waitUntil(() => refused().length === 4);
  });
});
