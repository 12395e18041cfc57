import { describe, expect, it } from "vitest";
import { cofferdamTools } from "../../src/adapters/ai-sdk.ts";
import { approved } from "../../src/approval/factories.ts";
import { Fates } from "../support/approval/fates.ts";
import { toldNote } from "../support/approval/told.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { Chat, goOn, START, touch, waiting } from "../support/integrations/ai-sdk-chat.ts";
import { requestsIn, scriptedModel, toldOf } from "../support/integrations/scripted-model.ts";

sandboxMustWork("the AI SDK and answers from elsewhere");

const DONE = { type: "json", value: expect.objectContaining({ status: 0 }) };
/** The result after an approval elsewhere, with its note. */
const NOTED = { type: "text", value: expect.stringMatching(/Note of `ann`: as you like\n\{"status":0/) };

describe.skipIf(unusable !== null)("tools for the AI SDK, answered elsewhere,", () => {
  it("take what was answered elsewhere into the conversation, once all of it is", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    await using gate = cofferdamTools(supervisor);
    const first = await goOn(gate, scriptedModel([touch("c1"), touch("c2", "other")]), START);
    const messages = [...START, ...first.responseMessages];
    const [one, two] = await supervisor.broker.pending();
    await fates.answer(one?.approvalId ?? "");
    expect(await gate.answered(messages)).toBeNull();
    await fates.answer(two?.approvalId ?? "", false);
    const ready = await gate.answered(messages);
    expect(messages.at(-1)?.role).toBe("assistant");
    const model = scriptedModel("done");
    await goOn(gate, model, ready ?? []);
    const told = Object.values(toldOf(model));
    expect(told).toContainEqual(NOTED);
    expect(told).toContainEqual({
      type: "execution-denied",
      reason: toldNote("as you like", "ann").replace("Denied: ", ""),
    });
    expect([fates.made(), fates.made("other")].sort()).toEqual([false, true]);
    // Where nothing is open, they are what they were.
    expect(await gate.answered(START)).toEqual(START);
  });

  it("let the next calls pass where somebody said yes for the session elsewhere, and ask again in another", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    await using gate = cofferdamTools(supervisor);
    const first = await goOn(gate, scriptedModel([touch("c1")]), START);
    const [question] = await supervisor.broker.pending();
    const yes = approved("ann", { scope: "session" });
    await supervisor.broker.respond(question?.approvalId ?? "", yes, "ann");
    const ready = await gate.answered([...START, ...first.responseMessages]);
    const model = scriptedModel([touch("c2")], "done");
    const { content } = await goOn(gate, model, ready ?? []);
    expect(requestsIn(content)).toEqual([]);
    expect(toldOf(model)).toEqual({ c1: DONE, c2: DONE });
    await using other = cofferdamTools(supervisor);
    const asked = await goOn(other, scriptedModel([touch("c3")]), START);
    expect(requestsIn(asked.content)).toHaveLength(1);
  });

  it("run the input that somebody put in its place elsewhere", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    await using gate = cofferdamTools(supervisor);
    const first = await goOn(gate, scriptedModel([touch("c1")]), START);
    const [question] = await supervisor.broker.pending();
    await fates.answer(question?.approvalId ?? "", true, { editedInput: { argv: ["touch", "edited"] } });
    const ready = await gate.answered([...START, ...first.responseMessages]);
    const model = scriptedModel("done");
    await goOn(gate, model, ready ?? []);
    expect(toldOf(model)).toEqual({ c1: NOTED });
    expect([fates.made(), fates.made("edited")]).toEqual([false, true]);
  });

  it("run by a yes that was given while the conversation was lost, and do not ask again", async () => {
    using fates = new Fates();
    await new Chat(fates).turn(scriptedModel([touch("c1")]));
    const [question] = await waiting(fates);
    await fates.answer(question?.approvalId ?? "");
    const chat = new Chat(fates);
    const model = scriptedModel([touch("c1")], "done");
    await chat.turn(model);
    expect(toldOf(model)).toEqual({ c1: NOTED });
    expect([fates.made(), chat.requests, await waiting(fates)]).toEqual([true, [], []]);
    expect(JSON.stringify(chat.messages)).toContain("approved elsewhere");
    await chat.turn(scriptedModel([touch("c1")]));
    expect(chat.requests).toHaveLength(1);
  });

  it("follow whoever answered first: a no elsewhere is no yes in the app", async () => {
    using fates = new Fates();
    const chat = new Chat(fates);
    await chat.turn(scriptedModel([touch("c1")]));
    const [question] = await waiting(fates);
    await fates.answer(question?.approvalId ?? "", false);
    chat.answer(() => true);
    const model = scriptedModel("done");
    await chat.turn(model);
    expect(toldOf(model)).toEqual({
      c1: { type: "execution-denied", reason: toldNote("as you like", "ann").replace("Denied: ", "") },
    });
    expect(fates.made()).toBe(false);
  });

  it("are asked about by the session's own handlers at the same time", async () => {
    using fates = new Fates();
    const chat = new Chat(fates);
    const session = { handler: async () => ({ approved: true, by: "bob" }) };
    await chat.turn(scriptedModel([touch("c1")]), { session });
    chat.answer(() => true);
    const [question] = await waiting(fates);
    expect(question).toBeUndefined();
    const model = scriptedModel("done");
    await chat.turn(model);
    expect(toldOf(model)).toEqual({ c1: DONE });
    expect(fates.made()).toBe(true);
  });
});
