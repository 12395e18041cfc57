import {
  convertToModelMessages,
  generateText,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  readUIMessageStream,
  streamText,
  ToolLoopAgent,
  tool,
  toUIMessageStream,
  type UIMessage,
} from "ai";
import { describe, expect, it } from "vitest";
import { cofferdamTools } from "../../src/adapters/ai-sdk.ts";
import { approved } from "../../src/approval/factories.ts";
import { ASKS, Fates } from "../support/approval/fates.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Settings } from "../support/battery/place.ts";
import { answering, requestsIn, scriptedModel, toldOf } from "../support/integrations/scripted-model.ts";

sandboxMustWork("apps with the AI SDK");

const START: ModelMessage[] = [{ role: "user", content: "go on" }];
const TOUCH = { id: "c1", tool: "shell", input: { argv: ["touch", "made"] } };
const DONE = { type: "json", value: expect.objectContaining({ status: 0 }) };
const BLOCKS: Settings = { ...ASKS, approval: {} };

describe.skipIf(unusable !== null)("an app with the AI SDK", () => {
  it("streams: the question, the answer and the result come as they do without it", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    await using gate = cofferdamTools(supervisor);
    const { tools, toolApproval, prepareStep } = gate;
    const first = streamText({
      model: scriptedModel([TOUCH]),
      tools,
      toolApproval,
      prepareStep,
      messages: START,
    });
    const content = await first.content;
    expect(requestsIn(content)).toMatchObject([{ toolCallId: "c1" }]);
    const messages = [...START, ...(await first.responseMessages), answering(content, () => true)];
    const model = scriptedModel("there it is");
    const second = streamText({ model, tools, toolApproval, prepareStep, messages });
    expect(await second.text).toBe("there it is");
    expect(toldOf(model)).toEqual({ c1: DONE });
    expect(fates.made()).toBe(true);
  });

  it("streams a no as well, and nothing waits on", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    const { tools, toolApproval, prepareStep } = cofferdamTools(supervisor);
    const first = streamText({
      model: scriptedModel([TOUCH]),
      tools,
      toolApproval,
      prepareStep,
      messages: START,
    });
    const messages = [
      ...START,
      ...(await first.responseMessages),
      answering(await first.content, () => "no"),
    ];
    const model = scriptedModel("I see");
    expect(await streamText({ model, tools, toolApproval, prepareStep, messages }).text).toBe("I see");
    expect(toldOf(model)).toEqual({ c1: { type: "execution-denied", reason: "no" } });
    expect(await supervisor.broker.pending()).toEqual([]);
  });

  it("has its messages in a browser: what a click says there is the answer", async () => {
    const told = async (isYes: boolean) => {
      using fates = new Fates();
      await using supervisor = await fates.supervisor();
      const { tools, toolApproval, prepareStep } = cofferdamTools(supervisor);
      /** What the server does with the messages that it is sent. */
      const answer = async (messages: readonly UIMessage[], model: ReturnType<typeof scriptedModel>) => {
        const { stream } = streamText({
          model,
          tools,
          toolApproval,
          prepareStep,
          messages: await convertToModelMessages([...messages], { tools }),
        });
        const last = messages.at(-1);
        const isLate = last?.role === "assistant";
        const read = readUIMessageStream({
          stream: toUIMessageStream({ stream, tools, originalMessages: [...messages] }),
          ...(isLate ? { message: last } : {}),
        });
        let shown: UIMessage | undefined;
        for await (const message of read) shown = message;
        if (shown === undefined) throw new Error("nothing was shown");
        return [...(isLate ? messages.slice(0, -1) : messages), shown];
      };
      const start: UIMessage = { id: "1", role: "user", parts: [{ type: "text", text: "go on" }] };
      const asked = await answer([start], scriptedModel([TOUCH]));
      expect(JSON.stringify(asked)).toContain('"state":"approval-requested"');
      const clicked = JSON.stringify(asked)
        .replace('"state":"approval-requested"', '"state":"approval-responded"')
        .replace('"approval":{', `"approval":{"approved":${isYes},`);
      const model = scriptedModel("done");
      const sent: UIMessage[] = JSON.parse(clicked);
      const shown = await answer(sent, model);
      expect(await supervisor.broker.pending()).toEqual([]);
      // And once more, as useChat does with the next message.
      const next = scriptedModel("bye");
      await answer([...shown, { id: "9", role: "user", parts: [{ type: "text", text: "thanks" }] }], next);
      return [toldOf(model), toldOf(next), fates.made()];
    };
    expect(await told(true)).toEqual([{ c1: DONE }, { c1: DONE }, true]);
    const [denied, , made] = await told(false);
    expect([denied, made]).toEqual([{ c1: { type: "execution-denied" } }, false]);
  });

  it("that approves by its own code is nobody's yes: a session's own gate is asked, and it asks its handlers", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor(BLOCKS);
    const told = async (gate: ReturnType<typeof cofferdamTools>) => {
      const model = scriptedModel([TOUCH], "done");
      const own = { toolApproval: () => "approved" as const, stopWhen: isStepCount(3) };
      await generateText({ model, tools: gate.tools, messages: START, ...own });
      return [toldOf(model), fates.made()];
    };
    expect(await told(cofferdamTools(supervisor))).toEqual([
      { c1: { type: "text", value: expect.stringMatching(/^Denied: /) } },
      false,
    ]);
    const session = supervisor.session({ handler: async () => approved("bob") });
    expect(await told(cofferdamTools(session))).toEqual([{ c1: DONE }, true]);
  });

  it("that forgets `toolApproval` runs nothing that needs a yes, and still what needs none", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor(BLOCKS);
    const { tools } = cofferdamTools(supervisor);
    const list = { id: "c2", tool: "list_dir", input: { path: "." } };
    const model = scriptedModel([TOUCH, list], "done");
    await generateText({ model, tools, messages: START, stopWhen: isStepCount(3) });
    expect(toldOf(model)).toEqual({
      c1: { type: "text", value: expect.stringMatching(/^Denied: /) },
      c2: { type: "json", value: expect.objectContaining({ entries: [] }) },
    });
    expect(fates.made()).toBe(false);
  });

  it("that prepares steps by itself, or ends with a no, has it written down by `settle`", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    const { tools, toolApproval, settle } = cofferdamTools(supervisor);
    const first = await generateText({ model: scriptedModel([TOUCH]), tools, toolApproval, messages: START });
    const messages = [...START, ...first.responseMessages, answering(first.content, () => "no")];
    await generateText({ model: scriptedModel("I see"), tools, toolApproval, messages });
    expect(await supervisor.broker.pending()).toHaveLength(1);
    await settle(messages);
    expect(await supervisor.broker.pending()).toEqual([]);
  });

  it("may have tools of its own beside ours, which are its own business", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    const { tools, toolApproval, prepareStep } = cofferdamTools(supervisor, { prefix: "box_" });
    const weather = tool({
      inputSchema: jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } } }),
      execute: async ({ city }) => `sun over ${city}`,
    });
    const model = scriptedModel([
      { id: "w1", tool: "weather", input: { city: "Bern" } },
      { ...TOUCH, tool: "box_shell" },
    ]);
    const all = { ...tools, weather };
    const { content } = await generateText({ model, tools: all, toolApproval, prepareStep, messages: START });
    expect(content.map(({ type }) => type)).toEqual([
      "tool-call",
      "tool-call",
      "tool-result",
      "tool-approval-request",
    ]);
    expect(content).toContainEqual(expect.objectContaining({ toolName: "weather", output: "sun over Bern" }));
  });

  it("may be a `ToolLoopAgent`", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    const { tools, toolApproval, prepareStep } = cofferdamTools(supervisor);
    const model = scriptedModel([TOUCH], "there it is");
    const agent = new ToolLoopAgent({ model, tools, toolApproval, prepareStep });
    const first = await agent.generate({ messages: START });
    const messages = [...START, ...first.responseMessages, answering(first.content, () => true)];
    const { text } = await agent.generate({ messages });
    expect([text, fates.made()]).toEqual(["there it is", true]);
  });
});
