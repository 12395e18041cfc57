import { expect, test } from "vitest";
import { ANN, type BotApi } from "../../support/telegram/bot-api.ts";
import { telegram } from "../../support/telegram/chat.ts";
import { CHAT, TOKEN } from "../../support/telegram/one-bot.ts";

const BUTTON = { text: "Approve", callback_data: "a:1" };
const MESSAGE = {
  chat_id: CHAT,
  text: "hello",
  entities: [],
  reply_markup: { inline_keyboard: [[BUTTON]] },
  link_preview_options: { is_disabled: true },
};
const POLL = { limit: 10, timeout: 1, allowed_updates: ["callback_query"] };

async function call(api: BotApi, method: string, payload: object, token = TOKEN): Promise<string> {
  const response = await fetch(`${api.root}/bot${token}/${method}`, {
    method: "POST",
    body: JSON.stringify(payload),
  });
  return `${response.status} ${await response.text()}`;
}

const button = (data: string) => ({
  reply_markup: { inline_keyboard: [[{ text: "x", callback_data: data }]] },
});
const entity = (offset: number, length: number, type = "code") => ({ entities: [{ type, offset, length }] });

test.each([
  ["a button that carries nothing", button("")],
  ["one that carries 65 bytes", button("é".repeat(33))],
  ["no text", { text: "" }],
  ["blanks alone", { text: " \n " }],
  ["4,097 units", { text: "x".repeat(4097) }],
  ["half a character", { text: "\u{d83d}" }],
  ["markup", { parse_mode: "HTML" }],
  ["links that show what is behind them", { link_preview_options: {} }],
  ["a style beyond the end", entity(3, 9)],
  ["one that begins in a character", { text: "\u{1f600}", ...entity(1, 1) }],
  ["styles across each other", { entities: [...entity(0, 3).entities, ...entity(2, 2).entities] }],
  ["a style that leads elsewhere", entity(0, 2, "text_link")],
  ["a chat in which the bot is not", { chat_id: 5 }],
])("the stand-in of the Bot API refuses %s", async (_, wrong) => {
  const api = await telegram();
  expect(await call(api, "sendMessage", MESSAGE)).toMatch(/^200 /);
  expect(await call(api, "sendMessage", { ...MESSAGE, ...wrong })).toMatch(/^400 .*Bad Request/);
  expect([api.messages.size, api.mistakes.length]).toEqual([1, 1]);
});

test("it takes 64 bytes, 4,096 units, and 100 styles", async () => {
  const api = await telegram();
  const text = "\u{1f600}".repeat(2048);
  const entities = Array.from({ length: 100 }, (_, index) => ({
    type: "code",
    offset: 2 * index,
    length: 2,
  }));
  expect(await call(api, "sendMessage", { ...MESSAGE, ...button("x".repeat(64)), text, entities })).toMatch(
    /^200 /,
  );
  expect(await call(api, "sendMessage", { ...MESSAGE, text, entities: [...entities, entities[0]] })).toMatch(
    /^400 /,
  );
});

test("it knows one bot, by its token, and what a bot can do", async () => {
  const api = await telegram();
  expect(await call(api, "getMe", {})).toMatch(/^200 /);
  expect(await call(api, "getMe", {}, "1:x")).toMatch(/^404 /);
  expect(await call(api, "banEverybody", {})).toMatch(/^404 /);
  api.token = null;
  expect(await call(api, "getMe", {})).toMatch(/^401 /);
});

test("it keeps what happened until a poll confirms it, and takes one poll at a time", async () => {
  const api = await telegram();
  const message = { id: 1, chat: CHAT };
  const ids = async (payload: object): Promise<readonly number[]> => {
    const { result } = JSON.parse((await call(api, "getUpdates", payload)).slice(4));
    return result.map((one: { readonly update_id: number }) => one.update_id);
  };
  api.forge(message, "a:1", ANN);
  api.forge(message, "a:2", ANN);
  const [first = 0, second = 0] = await ids(POLL);
  expect(await ids(POLL)).toEqual([first, second]);
  expect(await ids({ ...POLL, offset: second })).toEqual([second]);
  expect(await ids({ ...POLL, offset: second + 1 })).toEqual([]);
  const [one, other] = [call(api, "getUpdates", { ...POLL, timeout: 50 }), call(api, "getUpdates", POLL)];
  expect((await Promise.all([one, other])).map((said) => said.slice(0, 3)).sort()).toEqual(["200", "409"]);
  api.hasWebhook = true;
  expect(await call(api, "getUpdates", POLL)).toMatch(/^409 /);
  await call(api, "deleteWebhook", {});
  expect(await call(api, "getUpdates", POLL)).toMatch(/^200 /);
});

test("it changes what is there and is not as it was, and answers a press once", async () => {
  const api = await telegram();
  await call(api, "sendMessage", MESSAGE);
  const { id } = await api.message("hello");
  const changed = { ...MESSAGE, message_id: id };
  expect(await call(api, "editMessageText", changed)).toContain("message is not modified");
  expect(await call(api, "editMessageText", { ...changed, text: "bye" })).toMatch(/^200 /);
  expect(await call(api, "editMessageText", { ...changed, message_id: 9 })).toContain(
    "message to edit not found",
  );
  const query = api.press(await api.message("bye"), "Approve", ANN);
  const answer = { callback_query_id: query, text: "Approved", show_alert: false };
  expect(await call(api, "answerCallbackQuery", { ...answer, text: "x".repeat(201) })).toMatch(/^400 /);
  expect(await call(api, "answerCallbackQuery", answer)).toMatch(/^200 /);
  expect(await call(api, "answerCallbackQuery", answer)).toContain("query is too old");
});
