import { expect, test } from "vitest";
import { outcomeText } from "../../../src/adapters/openai-agents/gated-calls.ts";
import { outputText } from "../../../src/adapters/output-text.ts";
import { receiptWithoutSandbox } from "../../../src/call/receipt.ts";

const cyclic: unknown[] = [1];
cyclic.push(cyclic);

test("what a tool gave is a text, also where it is no JSON", () => {
  expect([outputText("a"), outputText({ a: 1 }), outputText(undefined)]).toEqual(["a", '{"a":1}', ""]);
  expect([outputText(12n), outputText(cyclic)]).toEqual(["12", "1,"]);
});

test("a function that gave such a thing has run, and the model is told so", () => {
  const done = (value: unknown) =>
    outcomeText({ kind: "done", value, receipt: receiptWithoutSandbox(0), durationMs: 1 });
  expect([done(12n), done(undefined), done({ a: 1 })]).toEqual(["12", "done", '{"a":1}']);
});
