import { describe, expect, it, vi } from "vitest";
import { messageHeads } from "../../../src/mcp/message-heads.ts";
import { allSteps } from "../../../src/policy/steps.ts";
import { isLinear } from "../../support/linear-time.ts";
import { plainServer, Scripted } from "../../support/mcp/scripted.ts";

const MARK = "poisoned";
const result = (content: string, rest = ""): string =>
  `{"jsonrpc":"2.0","id":1,"result":{"${MARK}":${content}}${rest}}`;

/** Responses to request 1 that are refused, and the reason. */
const MALFORMED: readonly (readonly [claim: string, line: string | Buffer, because: string])[] = [
  ["a key `__proto__`", result('{"__proto__":{}}'), "it has a key `__proto__`"],
  [
    "a key `__proto__` before its id",
    `{"result":{"__proto__":"${MARK}"},"jsonrpc":"2.0","id":1}`,
    "`__proto__`",
  ],
  ["an escaped key `__proto__`", result('{"\\u005f_proto__":{}}'), "`__proto__`"],
  ["an escaped key `id`", `{"jsonrpc":"2.0","i\\u0064":1,"result":{"__proto__":1}}`, "`__proto__`"],
  ["a key twice", result("1", `,"result":{"${MARK}":2}`), 'the key "result" occurs twice'],
  ["too many values", result(`[${"1,".repeat(500_000)}1]`), "it has more than 400,000 values"],
  [
    "values that are nested too deep",
    result(`${"[".repeat(600)}${"]".repeat(600)}`),
    "more than 512 levels deep",
  ],
  ["text after it", `${result("1")} x`, "invalid JSON: "],
  ["no end", result("1").slice(0, -2), "invalid JSON: "],
  ["bytes that are not UTF-8", Buffer.from(result('"\xe9"'), "latin1"), "the message is not valid UTF-8"],
  ["a result that is no object", `{"jsonrpc":"2.0","id":1,"result":"${MARK}"}`, "`result` is not an object"],
  ["no result", '{"jsonrpc":"2.0","id":1}', "the message is neither a request nor a response"],
  ["an error that is none", `{"jsonrpc":"2.0","id":1,"error":{"code":"${MARK}"}}`, "`error` is not a valid"],
  [
    "an error in two spellings",
    `{"jsonrpc":"2.0","id":1,"error":{"code":1,"Code":2,"message":"${MARK}"}}`,
    "`error`",
  ],
  ["another version", `{"jsonrpc":"1.0","id":1,"result":{"a":"${MARK}"}}`, "`jsonrpc` is not `2.0`"],
  ["an unknown member", result("1", ',"extra":1'), "the message has unknown members"],
  [
    "a batch with `__proto__` in it",
    `[{"jsonrpc":"2.0","method":"x"},${result('{"__proto__":1}')}]`,
    "`__proto__`",
  ],
];

/** Sends a line as the response to each request of the client, which are called like this. */
const answeringWith = (line: string | Buffer): Scripted => {
  const at = new Scripted({
    server: (message) => {
      if (message["id"] !== 1) return plainServer()(message);
      void at.gateway.readServer(Buffer.concat([Buffer.from(line), Buffer.from("\n")]));
      return null;
    },
  });
  return at;
};

describe("a malformed response of a wrapped server", () => {
  it.each(MALFORMED)(
    "ends its request with an error, and nothing of it reaches the client: %s",
    async (_, line, because) => {
      using at = answeringWith(line);
      await at.initialize();
      expect(await at.ask(1, "vendor/x")).toMatchObject({
        error: { code: -32603, message: expect.stringContaining(because) },
      });
      expect(JSON.stringify(at.clientSaw)).not.toContain(MARK);
      expect(at.told[0]).toContain(because);
      expect(await at.ask(2, "vendor/x")).toMatchObject({ id: 2, result: {} });
    },
  );

  it.each(["tools/call", "tools/list", "initialize"])("ends a request of any kind: %s", async (method) => {
    using at = answeringWith(result('{"__proto__":{}}'));
    expect(await at.ask(1, method, { name: "a" })).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: {
        code: -32603,
        message: "the MCP server fs sent an invalid response: it has a key `__proto__`",
      },
    });
  });

  it.each([
    ["has two ids", '{"jsonrpc":"2.0","id":1,"id":2,"result":{}}'],
    ["has an id of another type", '{"jsonrpc":"2.0","id":"1","result":{"__proto__":{}}}'],
    ["has its id further in", '{"jsonrpc":"2.0","result":{"id":1,"__proto__":{}}}'],
    ["is a request", '{"jsonrpc":"2.0","id":1,"method":"x","params":{"__proto__":{}}}'],
    ["is the start of a request", '{"jsonrpc":"2.0","id":1,"params":{'],
    ["is a line of a log", '{"id":1,"level":"info"}'],
    ["names the id in a text", '"id": 1, result'],
  ])("leaves requests open when it %s", async (_, line) => {
    using at = new Scripted({ server: () => null });
    at.client({ id: 1, method: "vendor/x" });
    await at.reaches("vendor/x");
    at.server(`${line}\n`);
    await vi.waitUntil(() => at.told.length === 1);
    at.server({ id: 1, result: { ok: true } });
    expect(await at.answer(1)).toMatchObject({ result: { ok: true } });
  });

  it.each([
    ["lines", `${result('{"__proto__":{}}')}\n`.repeat(101)],
    ["a batch that is too large", `[${`${result("1")},`.repeat(100)}${result("1")}]`],
  ])("counts as an invalid message, and too many of them end the server: %s", async (_, lines) => {
    using at = answeringWith(lines);
    await at.initialize();
    expect(await at.ask(1, "vendor/x")).toMatchObject({ error: { code: -32603 } });
    expect(await at.gateway.ended).toBe("it sent too many invalid messages");
  });
});

describe("a malformed request of the client", () => {
  it("is refused under its id", async () => {
    using at = new Scripted({ server: plainServer() });
    at.client('{"params":{"__proto__":{}},"method":"x","id":"a","jsonrpc":"2.0"}\n');
    expect(await at.answer("a")).toMatchObject({ error: { code: -32600 } });
    expect(at.serverSaw).toEqual([]);
  });
});

describe("a malformed response of the client", () => {
  it("ends the question that it answers, and no response is sent to it", async () => {
    using at = new Scripted({ server: plainServer(), asked: null });
    await at.initialize({ elicitation: {} });
    at.client({ id: 7, method: "tools/call", params: { name: "write", arguments: {} } });
    const { id } = await at.request("elicitation/create");
    at.client(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"action":"decline","action":"decline"}}\n`,
    );
    expect(JSON.stringify(await at.answer(7))).toContain("Denied: ");
    expect(at.clientSaw.filter((one) => one["id"] === id && !("method" in one))).toEqual([]);
  });
});

it("a text of the server that is reported has no characters that a terminal obeys", async () => {
  using at = answeringWith('{"jsonrpc":"2.0","id":1,"result":{"a\u202e\u009b31m":1,"a\u202e\u009b31m":2}}');
  await at.initialize();
  const answer = JSON.stringify(await at.ask(1, "vendor/x"));
  expect(answer).toContain("occurs twice");
  expect([answer, ...at.told].join("")).not.toMatch(/[\u0080-\u009f\u202a-\u202e]/);
});

describe("the heads of messages that are not parsed", () => {
  it.each(['"id":1,', '"\\x":1,', '{"', '"\\"', "[{", '"id" : ', `"id"${" ".repeat(1_000)}`])(
    "are read in time proportional to their text, and in steps: %j",
    (part) => {
      const textOf = (length: number): string => `{${part.repeat(length / part.length)}`;
      expect(isLinear((length) => allSteps(messageHeads(textOf(length))), 4_000_000, 2_000)).toBe(true);
      const steps = messageHeads(textOf(4_000_000));
      let count = 1;
      while (steps.next().done !== true) count += 1;
      expect(count).toBeLessThan(8);
    },
  );

  it("have the id wherever it is written", () => {
    expect(allSteps(messageHeads('{"error":{"id":1},"id" : -7.0 }'))).toEqual([{ id: -7, isResponse: true }]);
    expect(allSteps(messageHeads('[{"id":"a","method":"x"},{"id":2,"result":{}'))).toEqual([
      { id: "a", isResponse: false },
      { id: 2, isResponse: true },
    ]);
    expect(allSteps(messageHeads('{"id":{},"result":{}} "id":1, x'))).toEqual([]);
  });
});
