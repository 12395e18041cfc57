import { describe, expect, it } from "vitest";
import { cofferdamTools, settle } from "../../src/adapters/openai-agents.ts";
import { toolResult } from "../../src/index.ts";
import { ASKS, Fates, TOUCH } from "../support/approval/fates.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { call, DONE, inProcess, runner, told } from "../support/integrations/agents-run.ts";
import { Chat, touch, waiting } from "../support/integrations/ai-sdk-chat.ts";
import { scriptedModel, toldOf } from "../support/integrations/scripted-model.ts";
import { served } from "../support/mcp/served.ts";

sandboxMustWork("calls that a person edited");

/** The input by which ann replaces `touch made`, over HTTP. */
const OTHER = { editedInput: { argv: ["touch", "other"] } };
const DENIED = { editedInput: { argv: ["rm", "-rf", "."] } };
const RULES = {
  ...ASKS,
  shell: { default: { allowed: true, approval: true }, rules: [{ pattern: "rm", allowed: false }] },
};

const changed = (input: string): string =>
  `\`ann\` changed the input of this call. This is the result of the changed input: \`{"argv":[${input}]}\``;
const CHANGED = `${changed('"touch","other"')}\nNote of \`ann\`: as you like\n`;
const RULED_OUT = `Denied: blocked by rule \`rm\` of \`shell.rules\`\n${changed('"rm","-rf","."')}\nNote of \`ann\`: as you like\nWhat would help: `;

const startsWith = (text: string) =>
  expect.stringMatching(new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}`));

describe.skipIf(unusable !== null)("a model whose call was edited and approved elsewhere", () => {
  it.each([
    ["session.resume", OTHER, CHANGED],
    ["session.resume", DENIED, RULED_OUT],
  ])("is told into what, and the note, by %s", async (_face, edit, text) => {
    using fates = new Fates();
    const id = await fates.ask("shell", TOUCH, {}, RULES);
    await fates.answer(id, true, edit);
    const result = toolResult(await fates.resume(id, RULES));
    expect(result).toMatchObject(
      edit === OTHER
        ? { type: "success", answer: text.trimEnd() }
        : { type: "denied", output: startsWith(text) },
    );
    expect([fates.made(), fates.made("other")]).toEqual([false, edit === OTHER]);
    const [resolved] = fates.journal.of("approval.resolved");
    expect(resolved).toMatchObject({ isEdited: true, note: "as you like" });
    // What belongs to a request ends with it: the store promises to forget the input.
    expect(resolved).not.toHaveProperty("editedInput");
  });

  it.each([
    [OTHER, CHANGED],
    [DENIED, RULED_OUT],
  ])("is told so over MCP: %j", async (edit, text) => {
    using fates = new Fates();
    await served({ place: fates.place, settings: RULES }, async ({ client, supervisor }) => {
      expect((await client.call("shell", TOUCH)).structuredContent?.["outcome"]).toBe("pending");
      const [request] = await supervisor.broker.pending();
      await fates.answer(request?.approvalId ?? "", true, edit);
      const result = await client.call("shell", TOUCH);
      expect(result.content).toEqual([{ type: "text", text: startsWith(text) }]);
      expect(result.structuredContent?.["answer"]).toContain("`ann` changed the input of this call");
    });
    expect([fates.made(), fates.made("other")]).toEqual([false, edit === OTHER]);
  });

  it("is told so by the AI SDK", async () => {
    using fates = new Fates();
    const chat = new Chat(fates);
    await chat.turn(scriptedModel([touch("c1")]));
    const [question] = await waiting(fates);
    await fates.answer(question?.approvalId ?? "", true, OTHER);
    chat.answer(() => true);
    const model = scriptedModel("done");
    await chat.turn(model);
    expect(toldOf(model)).toEqual({ c1: { type: "text", value: startsWith(CHANGED) } });
    expect([fates.made(), fates.made("other")]).toEqual([false, true]);
  });

  it("is told so by the OpenAI Agents SDK", async () => {
    using fates = new Fates();
    await inProcess(fates, async ({ session, agentWith, open }) => {
      const agent = agentWith(cofferdamTools(session), [[call("shell", TOUCH, { callId: "1" })], DONE]);
      const { state } = await runner.run(agent, "go");
      const [request] = await open();
      await fates.answer(request?.approvalId ?? "", true, OTHER);
      await settle(state);
      const result = await runner.run(agent, state);
      expect(told(result.newItems)).toEqual({ "1": startsWith(CHANGED) });
    });
    expect([fates.made(), fates.made("other")]).toEqual([false, true]);
  });
});
