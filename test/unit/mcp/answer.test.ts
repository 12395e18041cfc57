import { expect, test } from "vitest";
import { answerOf } from "../../../src/mcp/answer.ts";
import { receiptWithoutWalls } from "../../../src/supervisor/receipt.ts";

const cyclic: unknown[] = [];
cyclic.push(cyclic);

test.each([
  ["a large integer", 1n],
  ["a value that holds itself", cyclic],
  ["a function", () => 1],
])("a tool that gave %s is done all the same", (_, value) => {
  const answer = answerOf({ kind: "done", value, receipt: receiptWithoutWalls(0), durationMs: 1 });
  expect(answer).toMatchObject({ structuredContent: { outcome: "done", result: null } });
  expect(answer.isError).toBeUndefined();
});

test("what JSON can hold is its answer, as text and as data", () => {
  expect(
    answerOf({ kind: "done", value: { a: [1] }, receipt: receiptWithoutWalls(0), durationMs: 1 }),
  ).toMatchObject({
    content: [{ type: "text", text: '{"a":[1]}' }],
    structuredContent: { outcome: "done", result: { a: [1] } },
  });
});
