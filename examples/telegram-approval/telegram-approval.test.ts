import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TelegramOptions } from "cofferdam/telegram";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { ANN, BOB, BotApi, EVE } from "../../test/support/telegram/bot-api.ts";
import { CHAT, TOKEN } from "../../test/support/telegram/one-bot.ts";
import { release } from "./release.ts";

const state = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-example-")));
process.env["XDG_STATE_HOME"] = state;
afterAll(() => rmSync(state, { recursive: true, force: true }));

/** A Telegram of the test's own; in the real one, `apiRoot` is left out. */
async function telegram(): Promise<{ readonly api: BotApi; readonly chat: TelegramOptions }> {
  const api = await BotApi.start(1000);
  onTestFinished(() => api[Symbol.asyncDispose]());
  return { api, chat: { token: TOKEN, chat: CHAT, approvers: [ANN.id, BOB.id], apiRoot: api.root } };
}

test("a release waits in the chat, and a yes of a listed person lets it out (S2-15, S2-17)", async () => {
  const { api, chat } = await telegram();
  const released = release("2.0.0", chat);
  const message = await api.message("this call needs your approval");
  expect(message.text.split("\n")).toEqual(
    expect.arrayContaining([
      "tool: publish",
      "agent: release-bot",
      "because: people get what is published",
      '│   "version": "2.0.0",',
    ]),
  );
  const stranger = api.press(message, "Approve", EVE);
  expect(await api.answer(stranger)).toBe("You may not answer this request.");
  const press = api.press(message, "Approve", ANN);
  expect(await released).toEqual({ type: "success", output: "2.0.0 is on registry" });
  expect(await api.answer(press)).toBe("Approved");
  expect(api.now(message)).toMatchObject({ text: expect.stringMatching(/^Approved, /), buttons: [] });
});

test("a no is told to the agent with its reason, a reply's too", async () => {
  const { api, chat } = await telegram();
  const first = release("2.0.1", chat);
  api.press(await api.message("2.0.1"), "Reject", BOB);
  expect(await first).toEqual({
    type: "denied",
    output: expect.stringMatching(/^Denied: Rejected by user via Telegram\nWhat would help: /),
  });
  const second = release("2.0.2", chat);
  api.reply(await api.message("2.0.2"), "no: the changelog is empty", BOB);
  expect(await second).toEqual({
    type: "denied",
    output: expect.stringMatching(
      /^Denied: rejected by telegram:.*: the changelog is empty\nWhat would help: /,
    ),
  });
});
