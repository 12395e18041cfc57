import { expect, test } from "vitest";
import { receiptWithoutSandbox } from "../../../src/call/receipt.ts";
import { callResult } from "../../../src/mcp/call-result.ts";

const cyclic: unknown[] = [];
cyclic.push(cyclic);

test.each([
  ["a large integer", 1n],
  ["a value that holds itself", cyclic],
  ["a function", () => 1],
])("a tool that gave %s is done all the same", (_, value) => {
  const answer = callResult({ kind: "done", value, receipt: receiptWithoutSandbox(0), durationMs: 1 });
  expect(answer).toMatchObject({ structuredContent: { outcome: "done", result: null } });
  expect(answer.isError).toBeUndefined();
});

test("what JSON can hold is its answer, as text and as data", () => {
  expect(
    callResult({ kind: "done", value: { a: [1] }, receipt: receiptWithoutSandbox(0), durationMs: 1 }),
  ).toMatchObject({
    content: [{ type: "text", text: '{"a":[1]}' }],
    structuredContent: { outcome: "done", result: { a: [1] } },
  });
});
