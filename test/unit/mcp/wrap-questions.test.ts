import { describe, expect, it, vi } from "vitest";
import { parseMessages } from "../../../src/mcp/wrap/json-rpc.ts";
import { allSteps } from "../../../src/policy/steps.ts";
import { Asked } from "../../support/approval/asked.ts";
import { type Loose, plainServer, Scripted, textOf } from "../../support/mcp/scripted.ts";

const PAGE = { mode: "url", elicitationId: "e", url: "https://example.org/", message: "Sign in" };

describe("a question of a wrapped server's", () => {
  it.each(["-32042", "-32042.0", "-3.2042e4", "-32042.00000000000000001", "-320420E-1"])(
    "mcp.gate: that is an error is denied where the config says nothing, also with its code as %s",
    async (code) => {
      let answer: (id: string) => void = () => undefined;
      using at = new Scripted({
        server: ({ id, method }) => {
          if (method === "initialize") return { id, result: {} };
          if (id !== undefined) answer(JSON.stringify(id));
          return null;
        },
      });
      await at.initialize({ elicitation: { url: {} } });
      answer = (id) =>
        at.server(
          `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"m","data":{"elicitations":[${JSON.stringify(PAGE)}]}}}\n`,
        );
      expect(textOf(await at.call(1, "write"))).toContain("Denied");
      expect(JSON.stringify(at.clientSaw)).not.toContain("example.org");
    },
  );

  it.each([
    ["-32042.5", '"code":-32042.5,"message":"m"'],
    ["1e400", '"code":1e400,"message":"m"'],
    ["two codes that some readers take for one", '"code":1,"message":"m","Code":-32042'],
  ])("mcp.gate: is no error with %s", (_claim, members) => {
    expect(allSteps(parseMessages(`{"jsonrpc":"2.0","id":1,"error":{${members}}}`))).toMatchObject([
      { kind: "fault" },
    ]);
  });

  const question = {
    method: "elicitation/create",
    params: { message: "Your password?", requestedSchema: {} },
  };
  const inputRequests = { k: question };
  const answering = (result: Loose) => (message: Loose) =>
    message["id"] === undefined
      ? null
      : { id: message["id"], result: message["method"] === "initialize" ? {} : result };

  it.each<[method: string, result: Loose]>([
    ["tasks/get", { taskId: "t", status: "input_required", inputRequests }],
    ["tasks/result", { content: [], inputRequests }],
    ["tools/call", { resultType: "task", task: { taskId: "t" }, inputRequests }],
    ["tools/call", { resultType: "complete", content: [], inputRequests }],
    ["prompts/get", { messages: [], inputRequests }],
    ["vendor/x", { inputRequests: [question] }],
    ["vendor/x", { InputRequests: inputRequests }],
    ["tasks/get", { task: { taskId: "t", inputRequests } }],
    ["tasks/list", { tasks: [{ taskId: "t" }, { taskId: "u", inputRequests }] }],
  ])("mcp.gate: is denied in any answer where the config says nothing: %s, %j", async (method, result) => {
    using at = new Scripted({ server: answering(result) });
    await at.initialize({ elicitation: {} });
    const answer = await at.ask(1, method, { name: "a" });
    expect(textOf(answer)).toContain("Denied");
    expect(textOf(answer)).not.toContain("password");
  });

  it.each<[claim: string, result: Loose]>([
    ["in lists", { inputRequests: [question] }],
    ["in two spellings", { inputRequests: {}, inputrequests: inputRequests }],
    ["in a task", { task: { inputRequests } }],
    ["as what no server may want", { inputRequests: { k: { method: "tools/call", params: {} } } }],
  ])("mcp.gate: can't stand %s, also where the config allows questions", async (_claim, result) => {
    using at = new Scripted({ server: answering(result), section: { elicitation: "allow" } });
    await at.initialize({ elicitation: {} });
    expect(await at.ask(1, "tasks/get", { taskId: "t" })).toMatchObject({ error: { code: -32000 } });
  });

  it("mcp.gate: says whose it is in the answer about a task, where the config allows it", async () => {
    const result = { taskId: "t", status: "input_required", inputRequests, x: 1 };
    using at = new Scripted({ server: answering(result), section: { elicitation: "allow" } });
    await at.initialize({ elicitation: {} });
    expect((await at.ask(1, "tasks/get", { taskId: "t" }))["result"]).toMatchObject({
      ...result,
      inputRequests: { k: { params: { message: expect.stringContaining("The MCP server fs asks this.") } } },
    });
  });

  it.each<[params: Loose]>([[{ taskId: "t", inputRequests }], [{ task: { taskId: "t", inputRequests } }]])(
    "mcp.gate: is nothing that can be told: %j",
    async (params) => {
      using at = new Scripted({ server: plainServer(), section: { elicitation: "allow" } });
      await at.initialize({ elicitation: {} });
      at.server({ method: "notifications/tasks/status", params });
      at.server({ method: "notifications/tasks/status", params: { taskId: "t", status: "working" } });
      await at.request("notifications/tasks/status");
      expect(at.clientSaw.map((one) => one["params"])).toEqual([
        undefined,
        { taskId: "t", status: "working" },
      ]);
      expect(at.told).toEqual([
        "`notifications/tasks/status`: a notification must not contain input requests",
      ]);
    },
  );
});

describe("the form of a wrapped server's question", () => {
  const shownForm = async (params: Loose): Promise<unknown> => {
    using at = new Scripted({ server: plainServer(), section: { elicitation: "allow" } });
    await at.initialize({ elicitation: {} });
    at.server({ id: 1, method: "elicitation/create", params });
    return (await at.request("elicitation/create"))["params"];
  };

  it("mcp.gate: is made anew from what the protocol knows: nothing else of it reaches the client, and every text is visible", async () => {
    const requestedSchema = {
      $schema: "x",
      type: "object",
      title: "cofferdam asks",
      description: "cofferdam asks",
      "x-html": "<b>",
      properties: {
        a: {
          type: "string",
          title: "A\u202e",
          description: `\u200b${"d".repeat(5_000)}`,
          minLength: 1,
          maxLength: "9",
          format: "email",
          default: "\u200b",
          "x-button": "yes, once",
          pattern: "(a+)+$",
        },
        b: { type: "integer", minimum: 0, maximum: 3, default: 2, multipleOf: 2 },
        c: { type: "boolean", title: "t".repeat(5_000), default: true },
        d: { type: "string", enum: ["x", "\u200b", 3], enumNames: ["X", "\u200b"] },
        e: { type: "string", oneOf: [{ const: "x", title: "X\u200b", description: "d" }, "y"] },
        f: { type: "array", minItems: 1, items: { anyOf: [{ const: "x", title: "X" }] }, default: ["x"] },
        g: { type: "array", items: { type: "string", enum: ["x"], $ref: "#" } },
        h: { type: "object", properties: {} },
        i: { $ref: "#" },
        j: { type: "array", items: { type: "object" } },
      },
      required: ["a", "h", 3],
    };
    expect(await shownForm({ message: "m", requestedSchema, title: "cofferdam", _meta: { a: 1 } })).toEqual({
      message: expect.stringContaining("The MCP server fs asks this."),
      _meta: { a: 1 },
      requestedSchema: {
        type: "object",
        properties: {
          a: {
            type: "string",
            title: "fs: A\\u{202e}",
            description: expect.stringMatching(/^\\u\{200b\}d{900,1000}…$/),
            minLength: 1,
            format: "email",
            default: "\\u{200b}",
          },
          b: { type: "integer", title: "fs: b", minimum: 0, maximum: 3, default: 2 },
          c: { type: "boolean", title: expect.stringMatching(/^fs: t{200}…$/), default: true },
          d: { type: "string", title: "fs: d", enum: ["x", "\\u{200b}"], enumNames: ["X", "\\u{200b}"] },
          e: { type: "string", title: "fs: e", oneOf: [{ const: "x", title: "X\\u{200b}" }] },
          f: {
            type: "array",
            title: "fs: f",
            minItems: 1,
            items: { anyOf: [{ const: "x", title: "X" }] },
            default: ["x"],
          },
          g: { type: "array", title: "fs: g", items: { type: "string", enum: ["x"] } },
        },
        required: ["a"],
      },
    });
  });

  it("has no more fields than a person fills in", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`f${index}`, { type: "boolean" }]),
    );
    const shown = JSON.stringify(await shownForm({ message: "m", requestedSchema: { properties } }));
    expect(shown.match(/"boolean"/g)?.length).toBe(100);
  });
});

describe("what a wrapped server wants at once", () => {
  const CAN = { sampling: {}, elicitation: {} };

  it("mcp.gate: is refused before anybody is asked when it is too large, or too much in all", async () => {
    const asked = new Asked(() => new Promise(() => undefined));
    using at = new Scripted({ server: plainServer(), asked, section: { sampling: "ask" } });
    await at.initialize(CAN);
    const want = (id: number, size: number): void =>
      at.server({ id, method: "sampling/createMessage", params: { text: "x".repeat(size) } });
    want(1, 2 * 1024 ** 2);
    await vi.waitUntil(() => at.serverSaw.some((one) => one["id"] === 1));
    expect([asked.requests.length, at.told]).toEqual([
      0,
      ["the request `sampling/createMessage`: the request is too large, or too many others are open"],
    ]);
    for (let id = 2; id < 8; id += 1) want(id, 900_000);
    await vi.waitUntil(() => at.serverSaw.some((one) => one["id"] === 7));
    const answered = at.serverSaw.filter((one) => one["method"] === undefined);
    expect(answered.map((one) => one["id"])).toEqual([1, 6, 7]);
  });

  it("takes no room any more once the server has taken it back", async () => {
    using at = new Scripted({ server: plainServer(), section: { elicitation: "allow" } });
    await at.initialize(CAN);
    for (let id = 1; id < 10; id += 1) {
      const params = { message: "x".repeat(900_000) };
      at.server({ id, method: "elicitation/create", params });
      await vi.waitUntil(
        () => at.clientSaw.filter((one) => one["method"] === "elicitation/create").length === id,
      );
      at.server({ method: "notifications/cancelled", params: { requestId: id } });
      await vi.waitUntil(() => at.journal.of("call.ended").length === id);
    }
    expect(at.told).toEqual([]);
  });
});
