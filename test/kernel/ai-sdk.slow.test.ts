import { describe, expect, it } from "vitest";
import { cofferdamTools } from "../../src/adapters/ai-sdk.ts";
import type { StoredRequest } from "../../src/store/store.ts";
import { ASKS, Fates, TOUCH } from "../support/approval/fates.ts";
import { toldWhy } from "../support/approval/told.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Settings } from "../support/battery/place.ts";
import { Chat, goOn, START, touch, waiting } from "../support/integrations/ai-sdk-chat.ts";
import { answering, scriptedModel, toldOf } from "../support/integrations/scripted-model.ts";

sandboxMustWork("the AI SDK");

const DONE = { type: "json", value: expect.objectContaining({ status: 0 }) };

async function kept(fates: Fates, approvalId: string): Promise<StoredRequest | null> {
  await using supervisor = await fates.supervisor();
  return await supervisor.broker.find(approvalId);
}

describe.skipIf(unusable !== null)("tools for the AI SDK", () => {
  it("run at once where nobody has to be asked, and the conversation says nothing of approvals", async () => {
    using fates = new Fates();
    const chat = new Chat(fates);
    const settings: Settings = { shell: { default: { allowed: true, approval: false } } };
    const model = scriptedModel([touch("c1")], "there it is");
    const { text } = await chat.turn(model, { settings });
    expect(fates.made()).toBe(true);
    expect(text).toBe("there it is");
    expect(toldOf(model)).toEqual({ c1: DONE });
    expect(JSON.stringify(chat.messages)).not.toContain("approval");
  });

  it("do not run where a rule denies it: the model is told which", async () => {
    using fates = new Fates();
    const chat = new Chat(fates);
    const rules = [{ pattern: "touch", allowed: false }];
    const settings: Settings = { shell: { default: { allowed: true, approval: false }, rules } };
    const model = scriptedModel([touch("c1"), { id: "c2", tool: "shell", input: { argv: ["echo", "hi"] } }]);
    const { finishReason } = await chat.turn(model, { settings });
    expect(finishReason).toBe("stop");
    expect(toldOf(model)).toEqual({
      c1: { type: "execution-denied", reason: toldWhy("blocked by rule `touch` of `shell.rules`", "rule") },
      c2: { type: "json", value: expect.objectContaining({ stdout: "hi\n" }) },
    });
    expect([fates.made(), await waiting(fates)]).toEqual([false, []]);
  });

  it("ask by the framework's approval request, and by one question in the store", async () => {
    using fates = new Fates();
    const chat = new Chat(fates);
    const { content } = await chat.turn(scriptedModel([touch("c1")]));
    expect(chat.requests).toEqual([
      { approvalId: expect.any(String), toolCallId: "c1", reason: "no rule covers this command" },
    ]);
    expect(content.map(({ type }) => type)).toEqual(["tool-call", "tool-approval-request"]);
    expect(fates.made()).toBe(false);
    expect(await waiting(fates)).toMatchObject([
      { tool: "shell", description: expect.stringContaining("touch made") },
    ]);
  });

  it("run what was approved in the app, once, by whoever is signed in", async () => {
    using fates = new Fates();
    const chat = new Chat(fates);
    await chat.turn(scriptedModel([touch("c1")]));
    const [question] = await waiting(fates);
    chat.answer(() => true);
    const before = chat.messages;
    const model = scriptedModel("done");
    await chat.turn(model, { by: "ann" });
    expect(toldOf(model)).toEqual({ c1: DONE });
    expect(fates.made()).toBe(true);
    expect(await kept(fates, question?.approvalId ?? "")).toMatchObject({
      status: "done",
      decision: { status: "approved", by: "ann", scope: "once" },
    });
    // The same messages once more: the same yes is no second one.
    fates.place.remove("ws/made");
    chat.tamper(() => JSON.stringify(before));
    const again = scriptedModel("done");
    await chat.turn(again);
    expect(toldOf(again)).toEqual({
      c1: { type: "execution-denied", reason: toldWhy("this approval was used already", "approval") },
    });
    expect(fates.made()).toBe(false);
  });

  it("do not run what was rejected in the app: the note reaches the model and the record, and nothing waits on", async () => {
    using fates = new Fates();
    const chat = new Chat(fates);
    await chat.turn(scriptedModel([touch("c1")]));
    const [question] = await waiting(fates);
    chat.answer(() => "not on a Friday");
    const model = scriptedModel("I see");
    await chat.turn(model, { by: "ann" });
    expect(toldOf(model)).toEqual({ c1: { type: "execution-denied", reason: "not on a Friday" } });
    expect([fates.made(), await waiting(fates)]).toEqual([false, []]);
    expect(await kept(fates, question?.approvalId ?? "")).toMatchObject({
      status: "rejected",
      decision: { by: "ann", note: "not on a Friday" },
    });
  });

  it("run of several calls of one turn what was approved, and tell what was rejected", async () => {
    using fates = new Fates();
    const chat = new Chat(fates);
    const list = { id: "c3", tool: "list_dir", input: { path: "." } };
    await chat.turn(scriptedModel([touch("c1"), touch("c2", "other"), list]));
    expect(chat.requests.map(({ toolCallId }) => toolCallId)).toEqual(["c1", "c2"]);
    // One group: people elsewhere can answer them in one act.
    const groups = (await waiting(fates)).map(({ groupId }) => groupId);
    expect(groups).toEqual([groups[0], groups[0]]);
    expect(groups).not.toContain("c1");
    chat.answer((id) => (id === "c1" ? true : "one is enough"));
    const model = scriptedModel("done");
    await chat.turn(model);
    expect(toldOf(model)).toEqual({
      c1: DONE,
      c2: { type: "execution-denied", reason: "one is enough" },
      c3: { type: "json", value: expect.objectContaining({ entries: [] }) },
    });
    expect([fates.made(), fates.made("other"), await waiting(fates)]).toEqual([true, false, []]);
  });

  it("run nothing before each call of the turn has its answer", async () => {
    using fates = new Fates();
    const chat = new Chat(fates);
    await chat.turn(scriptedModel([touch("c1"), touch("c2", "other")]));
    chat.answer(() => true);
    const all = chat.messages;
    chat.tamper((json) => json.replace(/,\{"type":"tool-approval-response"[^}]*\}/, ""));
    await expect(chat.turn(scriptedModel("done"))).rejects.toMatchObject({
      code: "USAGE",
      message: "unanswered calls: `c2` (`shell`)",
      hint: "answer each call of the turn first; `answered(messages)` adds the answers from other channels",
    });
    expect([fates.made(), fates.made("other")]).toEqual([false, false]);
    chat.tamper(() => JSON.stringify(all));
    await chat.turn(scriptedModel("done"));
    expect([fates.made(), fates.made("other")]).toEqual([true, true]);
  });

  it("run nothing by a yes that comes too late", async () => {
    using fates = new Fates();
    const settings = (timeout: string): Settings => ({
      ...ASKS,
      approval: { timeout, on_timeout: "error" },
    });
    const told = async (timeout: string) => {
      const chat = new Chat(fates);
      await chat.turn(scriptedModel([touch(timeout)]), { settings: settings(timeout) });
      await new Promise((resolve) => setTimeout(resolve, 200));
      chat.answer(() => true);
      const model = scriptedModel("done");
      await chat.turn(model, { settings: settings(timeout) });
      return toldOf(model)[timeout];
    };
    expect(await told("100ms")).toEqual({ type: "text", value: expect.stringMatching(/^Denied: .*in time/) });
    expect(fates.made()).toBe(false);
    expect(await told("1m")).toEqual(DONE);
    expect(fates.made()).toBe(true);
  });

  it("say in the framework's own words what was no input, what is not there, and what failed", async () => {
    using fates = new Fates();
    const chat = new Chat(fates);
    const model = scriptedModel([
      { id: "c1", tool: "read_file", input: { path: 7 } },
      { id: "c2", tool: "read_file", input: { path: "none" } },
      { id: "c3", tool: "read_file", input: { path: `${fates.place.outside}/x` } },
    ]);
    await chat.turn(model);
    expect(toldOf(model)).toMatchObject({
      c1: { type: "error-text", value: expect.stringMatching(/^Error: .*path/) },
      c2: { type: "error-text", value: expect.stringContaining("does not exist") },
      c3: {
        type: "execution-denied",
        reason: expect.stringMatching(/^no tool may read.*\nWhat would help: /),
      },
    });
  });

  it("end with the run that is aborted", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor({
      shell: { default: { allowed: true, approval: false } },
    });
    await using gate = cofferdamTools(supervisor);
    const { shell } = gate.tools;
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 1_000);
    const result = await shell?.execute?.(
      { argv: ["sleep", "600"] },
      { toolCallId: "c1", messages: [], abortSignal: abort.signal, context: {} },
    );
    expect(result).toMatchObject({ type: "success", output: { status: expect.any(Number) } });
  });

  it("bear the names that are wanted, and stand beside others", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    await using gate = cofferdamTools(supervisor, { only: ["shell"], prefix: "ws_" });
    expect(Object.keys(gate.tools)).toEqual(["ws_shell"]);
    expect(
      await gate.toolApproval({
        toolCall: { toolCallId: "1", toolName: "weather", input: {} },
        messages: [],
      }),
    ).toBeUndefined();
    const model = scriptedModel([{ id: "c1", tool: "ws_shell", input: TOUCH }]);
    const { content, responseMessages } = await goOn(gate, model, START);
    await goOn(gate, scriptedModel("done"), [...START, ...responseMessages, answering(content, () => true)]);
    expect(fates.made()).toBe(true);
    expect(() => cofferdamTools(supervisor, { only: ["shel"] })).toThrow("unknown tool `shel`");
  });
});
