import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from "ai";
import { describe, expect, it } from "vitest";
import { answersIn, openIn, withAnswers } from "../../../src/adapters/ai-sdk/answers.ts";
import { denialText, modelOutput } from "../../../src/adapters/ai-sdk/model-output.ts";
import { namedCards } from "../../../src/adapters/ai-sdk/names.ts";
import { toolResult } from "../../../src/call/tool-result.ts";
import { CofferdamError } from "../../../src/errors.ts";

const USER: ModelMessage = { role: "user", content: "go on" };

function asking(...ids: readonly string[]): AssistantModelMessage {
  return {
    role: "assistant",
    content: ids.flatMap((id) => [
      { type: "tool-call", toolCallId: id, toolName: "shell", input: { argv: [id] } },
      { type: "tool-approval-request", approvalId: `a ${id}`, toolCallId: id },
    ]),
  };
}

type Content = ToolModelMessage["content"][number];
const response = (id: string, approved: boolean): Content => ({
  type: "tool-approval-response",
  approvalId: `a ${id}`,
  approved,
});
const result = (id: string, type: "text" | "execution-denied"): Content => ({
  type: "tool-result",
  toolCallId: id,
  toolName: "shell",
  output: type === "text" ? { type, value: "x" } : { type },
});
const tool = (...content: Content[]): ModelMessage => ({ role: "tool", content });
const said = (messages: readonly ModelMessage[]) =>
  answersIn(messages).map(({ call: { toolCallId }, isYes }) => [toolCallId, isYes]);

describe("the answers in messages", () => {
  it("are those of the last message, and of each call the first", () => {
    const both = tool(response("1", false), response("1", true), response("2", true));
    expect(said([USER, asking("1", "2"), both])).toEqual([
      ["1", false],
      ["2", true],
    ]);
    expect(said([USER, asking("1", "2"), both, USER])).toEqual([]);
    expect(said([USER, asking("1"), tool(response("9", true))])).toEqual([]);
  });

  it("are none where the call has its result, but a no that is told once more", () => {
    expect(said([asking("1"), tool(response("1", true), result("1", "text"))])).toEqual([]);
    expect(said([asking("1"), tool(response("1", false), result("1", "text"))])).toEqual([]);
    expect(said([asking("1"), tool(response("1", false), result("1", "execution-denied"))])).toEqual([
      ["1", false],
    ]);
  });

  it("leave open what has neither, until it is answered elsewhere: where the framework looks, and marked", () => {
    const messages = [USER, asking("1", "2", "3"), tool(result("3", "text"), response("1", true))];
    const open = openIn(messages);
    expect(open.map(({ toolCallId }) => toolCallId)).toEqual(["2"]);
    const answers = open.map((call) => ({ call, isYes: false, reason: "no" }));
    const whole = withAnswers(messages, answers);
    expect(openIn(whole)).toEqual([]);
    expect(answersIn(whole)).toMatchObject([
      { call: { toolCallId: "1", isAutomatic: false }, isYes: true },
      { call: { toolCallId: "2", isAutomatic: true }, isYes: false, reason: "no" },
    ]);
    expect(whole).toHaveLength(3);
    expect(JSON.stringify(messages)).not.toContain("isAutomatic");
  });
});

describe("what a model is told", () => {
  it("is a result's text, its JSON, why it was denied, or its error", () => {
    expect(modelOutput({ type: "success", output: "hi" })).toEqual({ type: "text", value: "hi" });
    expect(modelOutput({ type: "success", output: { a: [1] } })).toEqual({ type: "json", value: { a: [1] } });
    expect(modelOutput({ type: "success", output: undefined })).toEqual({ type: "json", value: null });
    expect(modelOutput({ type: "success", output: 1n })).toMatchObject({ type: "error-text" });
    expect(modelOutput({ type: "denied", output: "Denied: no" })).toEqual({
      type: "text",
      value: "Denied: no",
    });
    expect(modelOutput({ type: "error", error: "Error: x" })).toEqual({
      type: "error-text",
      value: "Error: x",
    });
    const pending = { type: "pending", reason: "wait", approvalId: "1" };
    expect(modelOutput(pending)).toEqual({
      type: "text",
      value: expect.stringMatching(/^Pending: wait\. Nothing has run/),
    });
    expect(modelOutput({ type: "denied" })).toEqual({ type: "json", value: { type: "denied" } });
  });

  it("is of a denial what `toolResult` says behind its first word", () => {
    const denied = { kind: "denied", code: "DENIED", reason: "it is not granted", hint: "grant it" } as const;
    expect(`Denied: ${denialText(denied)}`).toBe(Object.values(toolResult(denied))[1]);
  });
});

describe("the tools that a model gets", () => {
  const cards = ["shell", "read_file"].map((name) => ({
    name,
    risk: "write" as const,
    description: name,
    schema: null,
  }));

  it("are those that are wanted, each under its name", () => {
    expect([...namedCards(cards, "", undefined).keys()]).toEqual(["shell", "read_file"]);
    expect([...namedCards(cards, "x_", ["read_file"])]).toEqual([["x_read_file", cards[1]]]);
    expect(() => namedCards(cards, "", ["read"])).toThrow(
      new CofferdamError("USAGE", "unknown tool `read`", { hint: "use one of: `shell`, `read_file`" }),
    );
  });
});
