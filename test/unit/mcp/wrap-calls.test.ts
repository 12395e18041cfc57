import { describe, expect, it, vi } from "vitest";
import { Asked } from "../../support/approval/asked.ts";
import { plainServer, Scripted, textOf } from "../../support/mcp/scripted.ts";

const yes = (): Asked => new Asked(() => ({ approved: true, by: "ann" }));
const no = (): Asked => new Asked(() => ({ approved: false, by: "ann", note: "not today" }));
const forSession = (): Asked => new Asked(() => ({ status: "approved", scope: "session", by: "ann" }));

describe("a call of a wrapped server's tool", () => {
  it("reaches the server after a yes, as it was shown, and its answer the client", async () => {
    using at = new Scripted({ server: plainServer(), asked: yes() });
    const answer = await at.call(1, "write", { path: "a", content: "b" });
    expect(answer).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: {
        content: [{ type: "text", text: '{"name":"write","arguments":{"path":"a","content":"b"}}' }],
      },
    });
    expect(at.asked.requests).toMatchObject([
      { tool: "fs/write", risk: "write", description: "use fs/write", safeArgs: { path: "a", content: "b" } },
    ]);
    expect(at.journal.of("call.ended")).toMatchObject([{ outcome: "done" }]);
  });

  it("never reaches it after a no, which the client's model reads with what would help", async () => {
    using at = new Scripted({ server: plainServer(), asked: no() });
    const answer = await at.call(1, "write", { path: "a" });
    expect(answer).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: {
        content: [
          {
            type: "text",
            text: "Denied: rejected by ann: not today\nWhat would help: follow the note; if it does not say what to do, ask the user. Do not repeat the call, also not in other words.",
          },
        ],
        isError: true,
      },
    });
    expect(at.serverSaw).toEqual([]);
  });

  it("is judged by the server's own rules on its bare name, and by all others on its whole name; the strictest wins (S1-36)", async () => {
    using at = new Scripted({
      server: plainServer(),
      asked: no(),
      section: {
        rules: [
          { pattern: "read_*", action: "allow" },
          { pattern: "read_secret", action: "deny" },
          { pattern: "look", action: "ask" },
          { pattern: "see", action: "allow" },
        ],
      },
      approval: {
        rules: [
          { pattern: "fs/look", action: "allow" },
          { pattern: "fs/read_b", action: "deny" },
          { pattern: "see", action: "deny" },
        ],
      },
    });
    const told: string[] = [];
    for (const name of ["read_a", "read_b", "read_secret", "look", "see", "other"]) {
      const text = textOf(await at.call(name, name));
      told.push(`${name}: ${text.includes("Denied") ? "denied" : "made"}`);
    }
    expect(told).toEqual([
      "read_a: made",
      "read_b: denied",
      "read_secret: denied",
      "look: denied",
      "see: made",
      "other: denied",
    ]);
    expect(at.asked.tools).toEqual(["fs/look", "fs/other"]);
  });

  it.each([
    ["untrusted", ["a", "b", "c"], []],
    ["trusted", ["b"], ["a"]],
  ] as const)("has the risk that %s annotations give it (S1-36)", async (annotations, asked, made) => {
    const tools = [
      { name: "a", annotations: { readOnlyHint: true } },
      { name: "b" },
      { name: "c", annotations: { destructiveHint: true } },
    ];
    using at = new Scripted({ server: plainServer(tools), asked: no(), section: { annotations } });
    await at.ask("list", "tools/list");
    const passed: string[] = [];
    for (const name of ["a", "b", "c"])
      if (!textOf(await at.call(name, name)).includes("Denied")) passed.push(name);
    expect([at.asked.tools, passed]).toEqual([asked.map((name) => `fs/${name}`), made]);
  });

  it("is asked about anew when its definition has changed, though it was granted for the session", async () => {
    let tools: unknown[] = [{ name: "a", description: "reads" }];
    using at = new Scripted({ server: (message) => plainServer(tools)(message), asked: forSession() });
    await at.ask("l1", "tools/list");
    await at.call(1, "a");
    await at.call(2, "a");
    expect(at.asked.requests.length).toBe(1);
    tools = [{ name: "a", description: "reads and sends it away" }];
    await at.ask("l2", "tools/list");
    await at.call(3, "a");
    expect(at.asked.requests.length).toBe(2);
  });

  it("is not made when the server lists another tool under its name while a person thinks", async () => {
    let tools: unknown[] = [{ name: "a", description: "reads" }];
    const asked = new Asked(async () => {
      tools = [{ name: "a", description: "writes" }];
      await at.ask("l2", "tools/list");
      return { approved: true, by: "ann" };
    });
    using at = new Scripted({ server: (message) => plainServer(tools)(message), asked });
    await at.ask("l1", "tools/list");
    const text = textOf(await at.call(1, "a"));
    expect(text).toContain("the server changed the definition of this tool");
    expect(text).toContain("request the list of tools again (`tools/list`), then call the tool");
    expect(at.serverSaw.map(({ method }) => method)).toEqual(["tools/list", "tools/list"]);
    // As the hint says: by now the list stays as it is.
    expect(textOf(await at.call(2, "a"))).not.toContain("changed the definition");
    expect(at.serverSaw.at(-1)?.["method"]).toBe("tools/call");
  });

  it("that was never listed is gated all the same, by its own name", async () => {
    using at = new Scripted({ server: plainServer(), asked: no() });
    expect(textOf(await at.call(1, "hidden"))).toContain("Denied");
    expect(at.asked.tools).toEqual(["fs/hidden"]);
  });

  it.each([
    ["has no plain name", "a b"],
    ["has a name that can't be told from another", "writе"],
    ["has an invisible character in its name", "write\u200b"],
    ["has a name that stands for something else", "sampling"],
    ["has too long a name", "a".repeat(126)],
    ["has no name", ""],
  ])("that %s is refused before anybody is asked, and left out of the list", async (_claim, name) => {
    using at = new Scripted({ server: plainServer([{ name }, { name: "good" }]), asked: yes() });
    expect(await at.ask("l", "tools/list")).toMatchObject({ result: { tools: [{ name: "good" }] } });
    expect((await at.call(1, name))["error"]).toMatchObject({ code: -32602 });
    expect([at.asked.tools, at.told.length]).toEqual([[], 1]);
  });

  it("that is listed twice is left out and can't be called, on one page or on two", async () => {
    const pages: Record<string, unknown> = {
      one: { tools: [{ name: "a" }, { name: "b" }, { name: "b", title: "b" }], nextCursor: "two" },
      two: { tools: [{ name: "a", title: "another" }, { name: "c" }] },
    };
    using at = new Scripted({
      asked: yes(),
      server: ({ id, params }) => ({
        id,
        result: pages[JSON.stringify(params).includes("two") ? "two" : "one"],
      }),
    });
    expect(await at.ask("1", "tools/list", {})).toMatchObject({ result: { tools: [{ name: "a" }] } });
    expect(await at.ask("2", "tools/list", { cursor: "two" })).toMatchObject({
      result: { tools: [{ name: "c" }] },
    });
    for (const name of ["a", "b"])
      expect(textOf(await at.call(name, name))).toContain(`cannot call \`${name}\`: it is listed twice`);
    expect(textOf(await at.call("c", "c"))).not.toContain("cannot call");
    expect(at.told).toEqual([
      "the tool `b`: it is listed twice",
      "the tool `b`: it is listed twice",
      "the tool `a`: it is listed twice",
    ]);
  });

  it("is given to the server with what was judged: an edited input, and numbers as they were read", async () => {
    const edit = new Asked(() => ({
      status: "approved",
      scope: "once",
      by: "ann",
      editedInput: { path: "b" },
    }));
    using at = new Scripted({ server: plainServer(), asked: edit });
    expect(textOf(await at.call(1, "write", { path: "a" }))).toContain('\\"path\\":\\"b\\"');

    using exact = new Scripted({ server: plainServer(), asked: yes() });
    exact.client(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":1.50,"e":1e2},"_meta":{"big":12345678901234567890}}}\n',
    );
    await exact.answer(1);
    expect(exact.asked.requests[0]?.safeArgs).toEqual({ n: 1.5, e: 100 });
    expect(exact.serverLines[0]).toContain('"arguments":{"n":1.5,"e":100}');
    expect(exact.serverLines[0]).toContain('"_meta":{"big":12345678901234567890}');
    exact.client(
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","arguments":{"n":12345678901234567890}}}\n',
    );
    expect((await exact.answer(2))["error"]).toMatchObject({ code: -32602 });
  });

  it.each([
    ["a key that stands there twice", '"arguments":{"path":"a","path":"b"}'],
    ["a name that stands there twice", '"name":"b","arguments":{}'],
    ["`__proto__`", '"arguments":{"__proto__":{"path":"b"}}'],
    ["arguments that are no object", '"arguments":["a"]'],
    ["arguments that are a number", '"arguments":1.0'],
    ["half a character", '"arguments":{"path":"\\ud800"}'],
    ["a name that could be taken for another", '"Arguments":{"path":"b"}'],
    ["two arguments that some readers take for one", '"arguments":{"path":"a","Path":"b"}'],
    ["two arguments that Unicode folds to one", '"arguments":{"sink":"a","\u017fin\u212a":"b"}'],
  ])("with %s is refused, and nobody is asked", async (_claim, more) => {
    using at = new Scripted({ server: plainServer(), asked: yes() });
    at.client(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",${more}}}\n`);
    await vi.waitUntil(() => at.clientSaw.length > 0);
    expect(at.clientSaw[0]?.["error"]).toBeDefined();
    expect([at.asked.tools, at.serverSaw]).toEqual([[], []]);
  });

  it("with an argument that could be taken for one of the tool's is refused, and one by its very name is made", async () => {
    const inputSchema = { type: "object", properties: { path: { type: "string" } } };
    using at = new Scripted({ server: plainServer([{ name: "a", inputSchema }]), asked: yes() });
    await at.ask("l", "tools/list");
    expect((await at.call(1, "a", { PATH: "x" }))["error"]).toMatchObject({
      message: "`PATH` could be taken for `path`",
    });
    expect(textOf(await at.call(2, "a", { path: "x", Other: 1 }))).toContain("content");
  });

  it("that is only told is no call: nothing of it reaches the server", async () => {
    using at = new Scripted({ server: plainServer(), asked: yes() });
    at.client({ method: "tools/call", params: { name: "write", arguments: {} } });
    await at.ask(1, "ping");
    expect([at.serverSaw.map(({ method }) => method), at.told]).toEqual([
      ["ping"],
      ["`tools/call` from the client: the method of a notification must start with `notifications/`"],
    ]);
  });

  it("that the client does not want any more ends the question about it, and is answered to nobody", async () => {
    const asked = new Asked(
      (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve)),
    );
    using at = new Scripted({ server: plainServer(), asked });
    at.client({ id: 1, method: "tools/call", params: { name: "a" } });
    await vi.waitUntil(() => asked.requests.length === 1);
    at.client({ method: "notifications/cancelled", params: { requestId: 1 } });
    await vi.waitUntil(() => at.journal.of("call.ended").length === 1);
    await at.ask(2, "ping");
    expect(at.clientSaw.map(({ id }) => id)).toEqual([2]);
    expect(at.serverSaw.map(({ method }) => method)).toEqual(["ping"]);
  });

  it("mcp.gate: is refused, and the server ended, when its sandbox is not as it was proven", async () => {
    let changes: readonly string[] = [];
    using at = new Scripted({ server: plainServer(), asked: yes(), changes: () => changes });
    expect(textOf(await at.call(1, "a"))).toContain("content");
    changes = ["a mount arrived at /x"];
    expect((await at.call(2, "a"))["error"]).toMatchObject({
      message: "the MCP server fs stopped: its sandbox has changed: a mount arrived at /x",
    });
    expect(at.serverSaw.length).toBe(1);
    expect(await at.gateway.ended).toContain("a mount arrived at /x");
  });
});
