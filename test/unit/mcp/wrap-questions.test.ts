import { describe, expect, it } from "vitest";
import { readLine } from "../../../src/mcp/wrap/wire.ts";
import { type Loose, plainServer, Scripted, textOf } from "../../support/mcp/scripted.ts";

const PAGE = { mode: "url", elicitationId: "e", url: "https://example.org/", message: "Sign in" };

describe("a question of a wrapped server's", () => {
  it.each(["-32042", "-32042.0", "-3.2042e4", "-32042.00000000000000001", "-320420E-1"])(
    "mcp.gate: that is an error is denied where the config says nothing, also with its code as %s",
    async (code) => {
      let answer = (_: string): void => undefined;
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
    expect(readLine(`{"jsonrpc":"2.0","id":1,"error":{${members}}}`)).toMatchObject([{ kind: "fault" }]);
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
        "`notifications/tasks/status`: it carries questions, and nothing that is told may",
      ]);
    },
  );
});
