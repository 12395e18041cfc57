import { generateText, jsonSchema, type ToolSet } from "ai";
import { describe, expect, it } from "vitest";
import { OVERTAKEN } from "../../src/adapters/ai-sdk/overtaken.ts";
import { cofferdamTools } from "../../src/adapters/ai-sdk.ts";
import { Fates } from "../support/approval/fates.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { Chat, touch, waiting } from "../support/integrations/ai-sdk-chat.ts";
import { scriptedModel, toldOf } from "../support/integrations/scripted-model.ts";

sandboxMustWork("conversations of the AI SDK in which nobody answers");

const DENIED = { type: "execution-denied", reason: OVERTAKEN };
const DONE = { type: "json", value: expect.objectContaining({ status: 0 }) };

describe.skipIf(unusable !== null)("a user who writes another message instead of an answer", () => {
  it.each([
    ["with an id of the conversation", { conversation: "one" }],
    ["without one", {}],
  ])(
    "goes on, %s: the call is denied, its request is withdrawn, and the same call asks anew",
    async (_case, tools) => {
      using fates = new Fates();
      const chat = new Chat(fates);
      await chat.turn(scriptedModel([touch("c1")]), { tools });
      expect(await waiting(fates)).toHaveLength(1);
      chat.say("what would that do?");
      const model = scriptedModel("it makes a file");
      await chat.turn(model, { tools });
      expect(toldOf(model)).toEqual({ c1: DENIED });
      expect([await waiting(fates), fates.made()]).toEqual([[], false]);
      // Every further turn goes on as well, also with a call of the same id: an answer is for that one.
      chat.say("then do it");
      await chat.turn(scriptedModel([touch("c1")]), { tools });
      chat.answer(() => true);
      const last = scriptedModel("done");
      await chat.turn(last, { tools });
      expect(toldOf(last)).toEqual({ c1: DONE });
      expect([await waiting(fates), fates.made()]).toEqual([[], true]);
    },
  );

  it("lets nothing run by an approval that came before the message, here or elsewhere", async () => {
    using fates = new Fates();
    const chat = new Chat(fates);
    await chat.turn(scriptedModel([touch("c1"), touch("c2", "other")]));
    await using supervisor = await fates.supervisor();
    for (const { approvalId } of await supervisor.broker.pending())
      await supervisor.broker.respond(approvalId, { approved: true }, "bob");
    chat.answer(() => true);
    chat.say("no, wait");
    const model = scriptedModel([touch("c1")], "done");
    await chat.turn(model);
    expect(toldOf(model)).toEqual({ c1: DENIED, c2: DENIED });
    expect(chat.requests).toMatchObject([{ toolCallId: "c1" }]);
    expect([fates.made(), fates.made("other")]).toEqual([false, false]);
  });

  it("and a rejection: the model reads its reason", async () => {
    using fates = new Fates();
    const chat = new Chat(fates);
    await chat.turn(scriptedModel([touch("c1"), touch("c2", "other")]));
    chat.answer((id) => (id === "c1" ? "not on Fridays" : true));
    chat.say("go on");
    const model = scriptedModel("done");
    await chat.turn(model);
    expect(toldOf(model)).toEqual({ c1: { type: "execution-denied", reason: "not on Fridays" }, c2: DENIED });
    expect(await waiting(fates)).toEqual([]);
  });

  it("changes nothing about other tools: their calls are the app's", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    const gate = cofferdamTools(supervisor);
    const other = { inputSchema: jsonSchema<object>({ type: "object" }) };
    const model = scriptedModel([touch("c1"), { id: "o1", tool: "other", input: {} }]);
    const { toolApproval, prepareStep } = gate;
    const tools: ToolSet = { ...gate.tools, other };
    const start = [{ role: "user" as const, content: "go on" }];
    const { responseMessages } = await generateText({
      model,
      tools,
      toolApproval,
      prepareStep,
      messages: start,
    });
    const messages = [...start, ...responseMessages, { role: "user" as const, content: "well?" }];
    const settled = await gate.settle(messages);
    expect(settled).toHaveLength(messages.length + 1);
    expect(settled.at(-2)).toMatchObject({ role: "tool", content: [{ toolCallId: "c1", output: DENIED }] });
    expect(await gate.settle(settled)).toEqual(settled);
    const next = generateText({ model: scriptedModel("done"), tools, toolApproval, prepareStep, messages });
    await expect(next).rejects.toThrow("o1");
  });
});
