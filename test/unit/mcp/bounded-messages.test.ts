import { describe, expect, test } from "vitest";
import { BoundedMessages, whyRefused } from "../../../src/mcp/bounded-messages.ts";
import { workMs } from "../../support/load/held-loop.ts";

/** What gets through, and what is answered in its place, of messages that come in chunks of so many bytes. */
async function sent(messages: readonly string[], chunk = 1_000_000) {
  const answers: unknown[] = [];
  const bounded = new BoundedMessages((answer) => answers.push(JSON.parse(answer)));
  const passed: string[] = [];
  bounded.on("data", (data: Buffer) => passed.push(data.toString()));
  const bytes = Buffer.from(messages.map((message) => `${message}\n`).join(""));
  for (let at = 0; at < bytes.length; at += chunk) bounded.write(bytes.subarray(at, at + chunk));
  await new Promise<void>((resolve) => bounded.end(resolve));
  return { passed: passed.join(""), answers };
}

const call = (id: unknown, args: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "a", arguments: args } });

describe("messages of a client", () => {
  test("get through as they are, in whatever pieces they come", async () => {
    const messages = [call(1, {}), call("é", { a: "b".repeat(70_000) })];
    for (const chunk of [1, 7, 100_000])
      expect(await sent(messages, chunk)).toEqual({ passed: `${messages.join("\n")}\n`, answers: [] });
  });

  test("with more values than are checked, or that stand too deep, are refused by their id", async () => {
    const values = (count: number) => Array.from({ length: count }, () => 1);
    const deep = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
    const refused = (id: unknown, why: string) => ({
      jsonrpc: "2.0",
      id,
      error: { code: -32600, message: `${why}` },
    });
    const { passed, answers } = await sent([
      call(1, values(29_000)),
      call(2, values(30_001)),
      call("three", deep(300)),
      call(4, deep(200)),
      `{"params":{"a":${JSON.stringify(deep(300))}},"id":5,"method":"tools/call"}`,
    ]);
    expect(
      passed
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line).id),
    ).toEqual([1, 4]);
    expect(answers).toEqual([
      refused(2, "the message has more than 30000 values"),
      refused("three", "the message is nested deeper than 256 levels"),
      refused(5, "the message is nested deeper than 256 levels"),
    ]);
  });

  test("are refused without an id where an argument could pass for one", async () => {
    const text = `{"jsonrpc":"2.0","params":{"id":7,"a":${"[".repeat(300)}${"]".repeat(300)}},"more":{"id":8}}`;
    const { answers } = await sent([text]);
    expect(answers).toMatchObject([{ id: null }]);
  });

  test("that are longer than any, or no text, are refused, and the next one gets through", async () => {
    const { passed, answers } = await sent(["x".repeat(10 * 1024 ** 2 + 1), call(2, {})]);
    expect(answers).toMatchObject([
      { id: null, error: { message: "the message is longer than 10485760 bytes" } },
    ]);
    expect(JSON.parse(passed)).toMatchObject({ id: 2 });
  });

  test("cost next to nothing to be looked at", () => {
    for (const text of ["[".repeat(4_000_000), '"'.repeat(4_000_000), `"${"\\".repeat(4_000_000)}`])
      expect(workMs(() => whyRefused(text))).toBeLessThan(1_000);
  });
});
