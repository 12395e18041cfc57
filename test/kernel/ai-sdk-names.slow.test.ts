import { generateText, isStepCount, type ModelMessage, streamText } from "ai";
import { describe, expect, it } from "vitest";
import { cofferdamTools } from "../../src/adapters/ai-sdk.ts";
import { Fates } from "../support/approval/fates.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Settings } from "../support/battery/place.ts";
import { goOn, START, touch } from "../support/integrations/ai-sdk-chat.ts";
import {
  answering,
  requestsIn,
  scriptedModel,
  type Turn,
  toldOf,
} from "../support/integrations/scripted-model.ts";

sandboxMustWork("names of the AI SDK's calls");

const DONE = { type: "json", value: expect.objectContaining({ status: 0 }) };
const MIXED = {
  type: "execution-denied",
  reason: expect.stringMatching(/^another call has the same id.*\nWhat would help: repeat the call/),
};
const ECHO = { id: "c1", tool: "shell", input: { argv: ["echo", "hi"] } };
/** To echo, nobody has to be asked. */
const ECHOES: Settings = {
  shell: {
    default: { allowed: true, approval: true },
    rules: [{ pattern: "echo", allowed: true, approval: false }],
  },
  approval: { wait: "suspend" },
};

/** One turn that is streamed: the framework's questions, and the messages after it. */
async function streamed(gate: ReturnType<typeof cofferdamTools>, turn: Turn, messages = START) {
  const { tools, toolApproval, prepareStep } = gate;
  const model = scriptedModel(turn, "done");
  const run = streamText({ model, tools, toolApproval, prepareStep, messages, stopWhen: isStepCount(3) });
  const content = await run.content;
  const after: ModelMessage[] = JSON.parse(JSON.stringify([...messages, ...(await run.responseMessages)]));
  return { requests: requestsIn(content), messages: after, model };
}

const response = (approvalId: string, approved: boolean) => ({
  type: "tool-approval-response" as const,
  approvalId,
  approved,
});

describe.skipIf(unusable !== null)("calls of one name that a model makes at once", () => {
  it("run by nobody's yes: a yes to the one and a no to the other run neither", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    await using gate = cofferdamTools(supervisor, { by: "ann" });
    const { requests, messages } = await streamed(gate, [touch("c1", "harmless"), touch("c1", "pwned")]);
    const [one] = requests;
    expect(requests).toHaveLength(1);
    const yes: ModelMessage = { role: "tool", content: [response(one?.approvalId ?? "", true)] };
    const model = scriptedModel("done");
    await goOn(gate, model, [...messages, yes]);
    expect(toldOf(model)).toEqual({ c1: MIXED });
    expect([fates.made("harmless"), fates.made("pwned")]).toEqual([false, false]);
  });

  it("run by nobody's yes where both were asked about, as messages say", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    await using gate = cofferdamTools(supervisor, { by: "ann" });
    const calls = ["harmless", "pwned"].map((name) => ({ ...touch("c1", name), approvalId: `of ${name}` }));
    // Both are questions in the store, as if they had been asked in two steps.
    for (const { id, tool, input } of calls)
      await gate.toolApproval({
        toolCall: { toolCallId: id, toolName: tool, input },
        messages: [...START],
      });
    expect(await supervisor.broker.pending()).toHaveLength(2);
    const asked: ModelMessage = {
      role: "assistant",
      content: calls.flatMap(({ id, tool, input, approvalId }) => [
        { type: "tool-call", toolCallId: id, toolName: tool, input },
        { type: "tool-approval-request", approvalId, toolCallId: id },
      ]),
    };
    const answers: ModelMessage = {
      role: "tool",
      content: [response("of harmless", true), response("of pwned", false)],
    };
    const model = scriptedModel("done");
    await goOn(gate, model, [...START, asked, answers]);
    expect(toldOf(model)).toEqual({ c1: MIXED });
    expect([fates.made("harmless"), fates.made("pwned")]).toEqual([false, false]);
    // The no is written down for what it was said to.
    expect(await supervisor.broker.pending()).toMatchObject([
      { description: expect.stringContaining("harmless") },
    ]);
  });

  it("do not run unasked either, in whatever order they come", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor(ECHOES);
    await using gate = cofferdamTools(supervisor);
    for (const turn of [
      [touch("c1"), ECHO],
      [ECHO, touch("c1")],
    ]) {
      const { messages } = await streamed(gate, turn);
      expect(JSON.stringify(messages)).not.toContain('"stdout"');
      expect(JSON.stringify(messages)).toContain("another call has the same id");
    }
    const model = scriptedModel([ECHO, { ...ECHO, input: { argv: ["echo", "ho"] } }]);
    const { responseMessages } = await goOn(gate, model, START);
    expect(responseMessages.at(-1)).toMatchObject({
      content: [
        { type: "tool-approval-response", approved: false },
        { toolCallId: "c1", output: MIXED },
      ],
    });
    expect(fates.made()).toBe(false);
    // As the hint says.
    const apart = scriptedModel([ECHO, { ...ECHO, id: "c2", input: { argv: ["echo", "ho"] } }], "done");
    await goOn(gate, apart, START);
    expect(toldOf(apart)).toEqual({ c1: DONE, c2: DONE });
  });

  it("are told so by the tools themselves, where an app forgets `toolApproval`", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor(ECHOES);
    const { tools } = cofferdamTools(supervisor);
    const model = scriptedModel([ECHO, { ...ECHO, input: { argv: ["touch", "made"] } }], "done");
    await generateText({ model, tools, messages: START, stopWhen: isStepCount(3) });
    expect(toldOf(model)).toMatchObject({ c1: { value: expect.stringContaining("the same id") } });
    expect(fates.made()).toBe(false);
  });

  it("run where they are the same call: an answer to it is for both", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    await using gate = cofferdamTools(supervisor);
    const { content, responseMessages } = await goOn(gate, scriptedModel([touch("c1"), touch("c1")]), START);
    expect(requestsIn(content)).toHaveLength(1);
    const model = scriptedModel("done");
    await goOn(gate, model, [...START, ...responseMessages, answering(content, () => true)]);
    expect(toldOf(model)).toEqual({ c1: DONE });
  });
});

describe.skipIf(unusable !== null)("a name that comes back", () => {
  it("is another call's: an answer to the one before it runs nothing", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    await using gate = cofferdamTools(supervisor);
    const first = await goOn(gate, scriptedModel([touch("c1", "harmless")]), START);
    const [harmless] = requestsIn(first.content);
    const no = answering(first.content, () => "no");
    const second = await goOn(gate, scriptedModel([touch("c1", "pwned")]), [
      ...START,
      ...first.responseMessages,
      no,
    ]);
    expect(requestsIn(second.content)).toHaveLength(1);
    const messages = [...START, ...first.responseMessages, no, ...second.responseMessages];
    expect(await gate.answered(messages)).toBeNull();
    const model = scriptedModel("done");
    const yes: ModelMessage = { role: "tool", content: [response(harmless?.approvalId ?? "", true)] };
    const denied = await goOn(gate, model, [...messages, yes]);
    expect(toldOf(model)["c1"]).toEqual({
      type: "execution-denied",
      reason: expect.stringMatching(
        /^the call needs approval, but no person was asked\nWhat would help: repeat the call/,
      ),
    });
    expect([fates.made("harmless"), fates.made("pwned")]).toEqual([false, false]);
    // As the hint says.
    const after = [...messages, yes, ...denied.responseMessages];
    const anew = await goOn(gate, scriptedModel([touch("c3", "anew")]), after);
    const last = scriptedModel("done");
    await goOn(gate, last, [...after, ...anew.responseMessages, answering(anew.content, () => true)]);
    expect([toldOf(last)["c3"], fates.made("anew")]).toEqual([DONE, true]);
    const both = scriptedModel("done");
    await goOn(gate, both, [...messages, answering(second.content, () => true)]);
    expect(toldOf(both)["c1"]).toEqual(DONE);
    expect([fates.made("harmless"), fates.made("pwned")]).toEqual([false, true]);
  });
});

describe.skipIf(unusable !== null)("a yes", () => {
  const saying = (text: string): ModelMessage[] => [{ role: "user", content: text }];

  /** Whether a yes that was given elsewhere in the first conversation is one in the second. */
  async function crosses(one: Conversation, other: Conversation): Promise<boolean> {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    const gateOf = ({ name }: Conversation) =>
      cofferdamTools(supervisor, name === undefined ? {} : { conversation: name });
    await using alices = gateOf(one);
    await using bobs = gateOf(other);
    await goOn(alices, scriptedModel([touch("call_0")]), saying(one.text));
    const [question] = await supervisor.broker.pending();
    await fates.answer(question?.approvalId ?? "");
    const { content } = await goOn(bobs, scriptedModel([touch("call_0")], "done"), saying(other.text));
    expect(requestsIn(content)).toHaveLength(fates.made() ? 0 : 1);
    return fates.made();
  }
  interface Conversation {
    readonly text: string;
    readonly name?: string;
  }

  it("in one conversation is none in another in which the model's id is the same", async () => {
    expect(await crosses({ text: "tidy up" }, { text: "tidy up" })).toBe(true);
    expect(await crosses({ text: "tidy up" }, { text: "what is the time?" })).toBe(false);
    expect(await crosses({ text: "tidy up", name: "a" }, { text: "tidy up", name: "b" })).toBe(false);
    expect(await crosses({ text: "tidy up", name: "a" }, { text: "shorter", name: "a" })).toBe(true);
  });

  it("in the app is one whether a message is a text or parts of one, and none in another conversation", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    await using gate = cofferdamTools(supervisor);
    const { content, responseMessages } = await goOn(gate, scriptedModel([touch("call_0")]), START);
    const after = [...responseMessages, answering(content, () => true)];
    const other = scriptedModel("done");
    await goOn(gate, other, [...saying("what is the time?"), ...after]);
    expect(toldOf(other)).toMatchObject({ call_0: { type: "execution-denied" } });
    expect(fates.made()).toBe(false);
    const same = scriptedModel("done");
    const parts: ModelMessage = { role: "user", content: [{ type: "text", text: "go on" }] };
    await goOn(gate, same, [parts, ...after]);
    expect(toldOf(same)).toEqual({ call_0: DONE });
  });

  it("elsewhere to a call that was then broken off is used up by no other call with its id", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor(ECHOES);
    await using gate = cofferdamTools(supervisor);
    const first = await goOn(gate, scriptedModel([touch("c1")]), START);
    const [question] = await supervisor.broker.pending();
    await fates.answer(question?.approvalId ?? "");
    const ready = (await gate.answered([...START, ...first.responseMessages])) ?? [];
    const call = touch("c1");
    // The framework was about to run it, and was aborted.
    await gate.toolApproval({
      toolCall: { toolCallId: "c1", toolName: "shell", input: call.input },
      messages: ready,
    });
    const model = scriptedModel([ECHO], "done");
    await goOn(gate, model, START);
    expect(toldOf(model)).toEqual({ c1: DONE });
    expect(await supervisor.broker.find(question?.approvalId ?? "")).toMatchObject({ status: "approved" });
    const late = scriptedModel("done");
    await goOn(gate, late, ready);
    expect(toldOf(late)).toEqual({ c1: { type: "text", value: expect.stringMatching(/^Note of `ann`: /) } });
    expect(fates.made()).toBe(true);
  });

  it("for all calls of a turn is for those of one conversation alone", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    for (const name of ["alices", "bobs"]) {
      await using gate = cofferdamTools(supervisor);
      await goOn(gate, scriptedModel([touch("call_0", name)]), START);
    }
    const groups = (await supervisor.broker.pending()).map(({ groupId }) => groupId);
    expect(new Set(groups).size).toBe(2);
  });
});
