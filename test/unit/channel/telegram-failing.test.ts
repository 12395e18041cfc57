import { join } from "node:path";
import { inspect } from "node:util";
import { execa } from "execa";
import { describe, expect, test, vi } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import { CallbackHandler } from "../../../src/approval/handlers.ts";
import { CofferdamError } from "../../../src/errors.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { NOW, SILENCE } from "../../support/approval/desk.ts";
import { ANN } from "../../support/telegram/bot-api.ts";
import { asker, PATIENT, telegram } from "../../support/telegram/chat.ts";
import { TOKEN } from "../../support/telegram/one-bot.ts";
import { Refused } from "../../support/telegram/payloads.ts";

const BY_ANN = "telegram:7 (Ann Lee @ann)";
const SECRET = TOKEN.split(":")[1] ?? "";
const busy = new Refused(429, "Too Many Requests: retry after 3", { retry_after: 3 });
const conflict = new Refused(409, "Conflict: terminated by other getUpdates request");
const unauthorized = new Refused(401, "Unauthorized");

describe("a question that can't be sent", () => {
  test.each([
    ["is too much", busy],
    ["is down", new Refused(502, "Bad Gateway")],
    ["hangs up", "hang up"],
    ["talks nonsense", "garbage"],
  ] as const)("where Telegram %s is sent again", async (_, how) => {
    const api = await telegram();
    const { asked } = asker(api);
    api.refuse("sendMessage", how, how, how);
    const { answer, message } = await asked();
    api.press(message, "Approve", ANN);
    expect(await answer).toEqual(approved(BY_ANN));
    expect(api.of("sendMessage")).toBe(4);
  });

  test.each([
    [
      "shuts the bot out",
      [new Refused(403, "Forbidden: bot was blocked by the user")],
      "Forbidden: bot was blocked by the user",
    ],
    [
      "moved the chat",
      [new Refused(400, "Bad Request: group chat was upgraded", { migrate_to_chat_id: -1009 })],
      "Bad Request: group chat was upgraded (its new number is -1009)",
    ],
    [
      "is down for long",
      Array.from({ length: 4 }, () => new Refused(500, "Internal Server Error")),
      "Internal Server Error",
    ],
    [
      "wants an hour",
      [new Refused(429, "Too Many Requests: retry after 3600", { retry_after: 3600 })],
      "Too Many Requests: retry after 3600",
    ],
    [
      "tells the token",
      [new Refused(400, `Bad Request: /bot${TOKEN}/ ${encodeURIComponent(TOKEN)} \u{1b}`)],
      "Bad Request: /bot123456789:[hidden]/ 123456789%3A[hidden] \\u{1b}",
    ],
  ])("where Telegram %s fails this channel alone", async (_, how, reason) => {
    const api = await telegram();
    const { ask, channel, broker, told } = asker(api);
    api.refuse("sendMessage", ...how);
    const answer = ask({}, { handlers: [channel, new CallbackHandler(SILENCE)] });
    const said = `approval.failed: the request can't be sent to Telegram: ${reason}`;
    await vi.waitFor(() => expect(told()).toEqual(["approval.requested", said]), PATIENT);
    await broker.respond("approval-1", approved("bob"), "a page");
    expect(await answer).toEqual(approved("bob"));
  });

  test.each([
    ["that is unknown", "999:unknown", TOKEN],
    ["that was revoked", TOKEN, null],
  ])("with a token %s fails, and nothing runs", async (_, token, known) => {
    const api = await telegram();
    api.token = known;
    const { ask, trouble } = asker(api, { token });
    expect(await ask()).toMatchObject({
      status: "rejected",
      by: "nobody",
      note: expect.stringMatching(/^no person could be asked: .*Telegram.*: (Not Found|Unauthorized)$/),
    });
    await vi.waitFor(() => expect(trouble).toHaveLength(1), PATIENT);
    expect(trouble[0]).toMatchObject({
      code: "CHANNEL_CLOSED",
      hint: expect.stringContaining("@BotFather"),
    });
    expect(inspect(trouble, { depth: 9, showHidden: true })).not.toContain(token.split(":")[1]);
  });

  test("with nobody at the other end fails, and the token is in no error", async () => {
    const api = await telegram();
    const { ask, channel, trouble } = asker(api);
    await api[Symbol.asyncDispose]();
    expect(await ask()).toEqual(
      rejected(
        "nobody",
        "no person could be asked: the request can't be sent to Telegram: it can't be reached (ECONNREFUSED)",
      ),
    );
    await vi.waitFor(() => expect(trouble).toHaveLength(1), PATIENT);
    expect(inspect([trouble, channel], { depth: 9, showHidden: true })).not.toContain(SECRET);
  });

  test("goes away with its request while it waits for its turn", async () => {
    const api = await telegram();
    const { ask, broker } = asker(api);
    api.refuse("sendMessage", new Refused(429, "Too Many Requests: retry after 60", { retry_after: 60 }));
    const answer = ask();
    await api.until(() => api.of("sendMessage") === 1);
    await broker.respond("approval-1", approved("bob"), "a page");
    expect(await answer).toEqual(approved("bob"));
    expect(await ask({ approvalId: "2" }, { isBlocking: false })).toEqual({ status: "pending" });
    await api.message("this call needs your approval");
    expect(api.of("sendMessage")).toBe(2);
  });
});

describe("a message that can't be changed", () => {
  test.each([
    ["is too much", busy],
    ["hangs up", "hang up"],
  ] as const)("where Telegram %s is changed later", async (_, how) => {
    const api = await telegram();
    const { asked } = asker(api);
    const { message } = await asked();
    api.refuse("editMessageText", how, how);
    api.press(message, "Reject", ANN);
    await api.message("Rejected, ");
  });

  test("since it is gone changes nothing of the answer", async () => {
    const api = await telegram();
    const { asked } = asker(api);
    const { answer, message } = await asked();
    const press = api.press(message, "Approve", ANN);
    api.messages.delete(message.id);
    expect(await answer).toEqual(approved(BY_ANN));
    expect(await api.answer(press)).toBe("Approved");
    await api.until(() => api.of("editMessageText") === 1);
    const next = await asked({ approvalId: "2" });
    api.press(next.message, "Approve", ANN);
    expect(await next.answer).toEqual(approved(BY_ANN));
  });

  test("since Telegram fails is changed by the next press", async () => {
    const api = await telegram();
    const { asked } = asker(api);
    const { answer, message } = await asked();
    api.refuse("editMessageText", new Refused(403, "Forbidden: bot was kicked"));
    api.press(message, "Approve", ANN);
    await answer;
    await api.until(() => api.of("editMessageText") === 1);
    const late = api.press(message, "Reject", ANN);
    expect(await api.answer(late)).toBe(`Answered already: approved by ${BY_ANN}`);
    expect(await api.message("Approved, ")).toMatchObject({ id: message.id, buttons: [] });
  });
});

describe("listening", () => {
  test.each([
    ["hangs up", ["hang up", "hang up"]],
    ["is down", [new Refused(502, "Bad Gateway"), new Refused(502, "Bad Gateway")]],
    ["is too much", [busy, busy]],
    ["talks nonsense", ["garbage", "garbage"]],
    ["says nothing", ["silence"]],
  ] as const)("goes on where Telegram %s, and nobody is bothered", async (_, how) => {
    // Its polls are over long before this side would give them up.
    const api = await telegram(2);
    api.refuse("getUpdates", ...how);
    const { asked, trouble, told } = asker(api);
    const { answer, message } = await asked();
    api.press(message, "Approve", ANN);
    expect(await answer).toEqual(approved(BY_ANN));
    expect([trouble, told().filter((one) => one.includes("failed"))]).toEqual([[], []]);
  });

  test("tells once of another who listens as the same bot, and goes on", async () => {
    const api = await telegram();
    api.refuse("getUpdates", conflict, conflict, conflict);
    const { asked, trouble, told } = asker(api);
    const { answer, message } = await asked();
    const reason =
      "answers from Telegram can't be received: Conflict: terminated by other getUpdates request";
    await vi.waitFor(() => expect(told()).toContain(`approval.failed: ${reason}`), PATIENT);
    api.press(message, "Approve", ANN);
    expect(await answer).toEqual(approved(BY_ANN));
    expect(trouble).toMatchObject([
      { code: "CHANNEL_CLOSED", message: reason, hint: expect.stringContaining("one process") },
    ]);
    expect(told().filter((one) => one.includes("failed"))).toHaveLength(1);
  });

  test("tells of a webhook, and leaves it where it is: another program is there", async () => {
    const api = await telegram();
    api.hasWebhook = true;
    const { asked, told } = asker(api);
    const { answer, message } = await asked();
    await vi.waitFor(() => expect(told().at(-1)).toContain("webhook is active"), PATIENT);
    const later = await asked({ approvalId: "2" });
    await vi.waitFor(
      () => expect(told().filter((one) => one.includes("webhook is active"))).toHaveLength(2),
      PATIENT,
    );
    expect(api.hasWebhook).toBe(true);
    api.hasWebhook = false;
    api.press(message, "Approve", ANN);
    api.press(later.message, "Approve", ANN);
    expect([await answer, await later.answer]).toEqual([approved(BY_ANN), approved(BY_ANN)]);
  });

  test("ends where the token is revoked: then its questions are others' to answer", async () => {
    const api = await telegram();
    const { asked, trouble } = asker(api);
    const { answer } = await asked();
    api.refuse("getUpdates", unauthorized);
    api.happen({ message: {} });
    expect(await answer).toEqual(
      rejected("nobody", "no person could be asked: answers from Telegram can't be received: Unauthorized"),
    );
    expect(trouble).toHaveLength(1);
    const { answer: next, message } = await asked({ approvalId: "2" });
    api.press(message, "Approve", ANN);
    expect(await next).toEqual(approved(BY_ANN));
  });

  test("is not ended by what is none of Telegram's updates", async () => {
    const api = await telegram();
    const { asked } = asker(api);
    const { answer, message } = await asked();
    for (const what of [
      { callback_query: 7 },
      { message: { text: [] } },
      { poll: null },
      { callback_query: { id: "1" } },
    ])
      api.happen(what);
    api.press(message, "Approve", ANN);
    expect(await answer).toEqual(approved(BY_ANN));
  });

  test("by two as one bot: each is put off, and the answer gets to whom it was given all the same", async () => {
    const api = await telegram();
    const store = new MemoryStore({ now: () => NOW });
    const [one, other] = [asker(api, { store }), asker(api, { store, runId: "run-2" })];
    const { answer, message } = await one.asked();
    await other.broker.attend(other.channel);
    await vi.waitFor(() => expect([...one.trouble, ...other.trouble].length).toBeGreaterThan(0), PATIENT);
    await vi.waitFor(async () => {
      const press = api.press(message, "Approve", ANN);
      expect(await api.answer(press)).not.toContain("again");
    }, PATIENT);
    expect(await answer).toEqual(approved(BY_ANN));
  });
});

describe("an answer that can't be kept", () => {
  test("is told so and may be repeated", async () => {
    const api = await telegram();
    const store = new MemoryStore({ now: () => NOW });
    const { asked, trouble } = asker(api, { store });
    const { answer, message } = await asked();
    const resolve = store.resolve.bind(store);
    store.resolve = () => Promise.reject(new CofferdamError("STORE_UNAVAILABLE", "the store is locked"));
    const press = api.press(message, "Approve", ANN);
    expect(await api.answer(press)).toBe("Your answer could not be saved: press again.");
    api.reply(message, "no", ANN);
    await vi.waitFor(() => expect(trouble).toMatchObject([{ code: "STORE_UNAVAILABLE" }]), PATIENT);
    store.resolve = resolve;
    const again = api.press(message, "Approve", ANN);
    expect(await api.answer(again)).toBe("Approved");
    expect(await answer).toEqual(approved(BY_ANN));
  });
});

test("an answer that comes when the broker has ended is told so, and the question stays", async () => {
  const api = await telegram();
  const store = new MemoryStore({ now: () => NOW });
  const { asked, broker } = asker(api, { store });
  const { message } = await asked({}, { isBlocking: false });
  const ended = vi.spyOn(store, "find");
  ended.mockImplementationOnce(async () => {
    await broker[Symbol.asyncDispose]();
    return null;
  });
  expect(await api.answer(api.press(message, "Approve", ANN))).toBe(
    "Your answer could not be saved: press again.",
  );
  expect(api.now(message)).toEqual(message);
});

describe("the end of the channel", () => {
  test("comes at once, in the middle of a poll, and leaves the question to others", async () => {
    const api = await telegram(1000);
    const { ask, asked, channel, broker, told } = asker(api, { secondMs: 1000 });
    const { answer, message } = await asked({}, { isBlocking: false });
    await api.until(() => api.of("getUpdates") === 1);
    await channel[Symbol.asyncDispose]();
    expect(await answer).toEqual({ status: "pending" });
    expect(told().at(-1)).toBe("approval.failed: the Telegram channel is closed");
    expect(await broker.find("approval-1")).toMatchObject({ status: "pending" });
    expect(api.now(message)).toEqual(message);
    const polls = api.of("getUpdates");
    expect(await ask({ approvalId: "2" })).toMatchObject({
      note: expect.stringContaining("channel is closed"),
    });
    expect([api.of("getUpdates"), api.messages.size]).toEqual([polls, 1]);
  });

  test("still lets messages become what came of them", async () => {
    const api = await telegram();
    const { asked, channel, broker } = asker(api, { secondMs: 1000 });
    const { message } = await asked();
    await broker[Symbol.asyncDispose]();
    await channel[Symbol.asyncDispose]();
    expect(api.now(message).text).toContain("the supervisor has ended");
  });

  test("does not wait for ever for that", async () => {
    const api = await telegram();
    const { asked, channel, broker } = asker(api);
    const { message } = await asked();
    api.refuse("editMessageText", new Refused(429, "Too Many Requests: retry after 60", { retry_after: 60 }));
    await broker[Symbol.asyncDispose]();
    await channel[Symbol.asyncDispose]();
    expect([api.now(message), api.of("editMessageText")]).toEqual([message, 1]);
  });

  test("is not needed for a process to end: it goes on while a call stands still, and loads grammY when it asks", async () => {
    const api = await telegram();
    const script = join(import.meta.dirname, "../../support/telegram/holds.ts");
    const open = execa(process.execPath, [script, api.root, "open"]);
    const held = execa(process.execPath, [script, api.root, "held"]);
    expect(JSON.parse((await open).stdout)).toMatchObject({ answer: { status: "pending" } });
    const message = await api.message("tool: held");
    await api.until(() => api.of("getUpdates") >= 5);
    api.press(message, "Approve", ANN);
    expect(JSON.parse((await held).stdout)).toEqual({ answer: approved(BY_ANN), hasGrammy: [false, true] });
    expect(await api.message("tool: open")).toMatchObject({
      text: expect.stringContaining("needs your approval"),
    });
  });
});
