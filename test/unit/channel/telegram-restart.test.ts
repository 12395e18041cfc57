import { expect, test, vi } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { NOW } from "../../support/approval/desk.ts";
import { ANN, BOB, type BotApi } from "../../support/telegram/bot-api.ts";
import { type Asker, asker, PATIENT, telegram } from "../../support/telegram/chat.ts";
import { CHAT } from "../../support/telegram/one-bot.ts";

const BY_ANN = "telegram:7 (Ann Lee @ann)";
const OPEN = { isBlocking: false } as const;

/** A store that processes share, by a clock that is set by hand. */
function shared() {
  const clock = { now: NOW };
  return { clock, store: new MemoryStore({ now: () => clock.now }) };
}

/** The second process. */
async function again(api: BotApi, store: MemoryStore): Promise<Asker> {
  const process = asker(api, { store, runId: "run-2" });
  await process.broker.attend(process.channel);
  return process;
}

/** Until the number of the message is kept. */
async function isNoted(store: MemoryStore): Promise<void> {
  await vi.waitFor(
    async () => expect(await store.noted("approval-1", `telegram ${CHAT}`)).not.toBeNull(),
    PATIENT,
  );
}

test("after a restart a question is taken up where it stands, and not put twice (S2-13, S2-21)", async () => {
  const [api, { store }] = [await telegram(), shared()];
  const before = asker(api, { store });
  const { message } = await before.asked({ description: "deploy" }, OPEN);
  await isNoted(store);
  await before.end();
  const { broker, asked } = await again(api, store);
  await api.until(() => api.of("editMessageText") === 1);
  await asked({ approvalId: "approval-2" }, OPEN);
  expect(api.of("sendMessage")).toBe(2);
  const press = api.press(message, "Approve", ANN);
  expect(await api.answer(press)).toBe("Approved");
  expect(await api.message("Approved, ")).toMatchObject({ id: message.id, buttons: [] });
  expect(await broker.find("approval-1")).toMatchObject({ decision: approved(BY_ANN) });
  expect(api.messages.size).toBe(2);
});

test("a press that came while nobody listened answers as soon as somebody does", async () => {
  const [api, { store }] = [await telegram(), shared()];
  const before = asker(api, { store });
  const { message } = await before.asked({}, OPEN);
  await before.end();
  const press = api.press(message, "Reject", ANN);
  const { broker } = await again(api, store);
  expect(await api.answer(press)).toBe("Rejected");
  expect(await broker.find("approval-1")).toMatchObject({ status: "rejected", decision: { by: BY_ANN } });
  expect(await api.message("Rejected, ")).toMatchObject({ id: message.id });
});

test("so does a reply", async () => {
  const [api, { store }] = [await telegram(), shared()];
  const before = asker(api, { store });
  const { message } = await before.asked({}, OPEN);
  await isNoted(store);
  await before.end();
  api.reply(message, "no: wrong branch", ANN);
  const { broker } = await again(api, store);
  await api.message("Rejected, ");
  expect(await broker.find("approval-1")).toMatchObject({ decision: rejected(BY_ANN, "wrong branch") });
});

test("a press on what was answered meanwhile is told so, and the message too; nothing needs to wait for that", async () => {
  const [api, { store }] = [await telegram(), shared()];
  const before = asker(api, { store });
  const { message } = await before.asked({}, OPEN);
  await before.end();
  const elsewhere = asker(api, { store, runId: "run-3" });
  await elsewhere.broker.respond("approval-1", rejected("bob", "not today"), "a page");
  const press = api.press(message, "Approve", ANN);
  const { told } = await again(api, store);
  expect(await api.answer(press)).toBe("Answered already: rejected by bob");
  const now = await api.message("Rejected\nby: bob\nbecause: not today");
  expect(now).toMatchObject({ id: message.id, buttons: [] });
  expect(now.text).toContain('arguments:\n│ {\n│   "env": "staging"\n│ }');
  expect(told()).toEqual([]);
});

test("a press on what expired meanwhile is told so, and the message too", async () => {
  const [api, { store, clock }] = [await telegram(), shared()];
  const before = asker(api, { store });
  const { message } = await before.asked({ expiresAt: NOW + 60_000 }, OPEN);
  await before.end();
  clock.now += 60_000;
  const elsewhere = asker(api, { store, runId: "run-3" });
  await elsewhere.broker.sweep();
  const press = api.press(message, "Approve", ANN);
  await again(api, store);
  expect(await api.answer(press)).toBe("This approval request has expired.");
  expect(await api.message("Expired: no answer in time")).toMatchObject({
    id: message.id,
    buttons: [],
  });
});

test("a press on what waits elsewhere, and is not known here yet, decides nothing and can be repeated", async () => {
  const [api, { store }] = [await telegram(), shared()];
  const before = asker(api, { store });
  const { message } = await before.asked({}, OPEN);
  await before.end();
  const late = asker(api, { store, runId: "run-2" });
  late.channel.attends(late.broker);
  expect(await api.answer(api.press(message, "Approve", ANN))).toBe("Looking up this request: press again.");
  await late.broker.attend(late.channel);
  expect(await api.answer(api.press(message, "Approve", ANN))).toBe("Approved");
});

test("a message that was deleted meanwhile is put again", async () => {
  const [api, { store }] = [await telegram(), shared()];
  const before = asker(api, { store });
  const { message } = await before.asked({}, OPEN);
  await isNoted(store);
  await before.end();
  api.messages.delete(message.id);
  await again(api, store);
  const anew = await api.message("this call needs your approval");
  expect(await api.answer(api.press(anew, "Approve", ANN))).toBe("Approved");
  expect(await api.message("Approved, ")).toMatchObject({ id: anew.id });
});

test.each(["no JSON", "{}", `{"chat":5,"message":101}`, `{"chat":${CHAT},"message":"101"}`])(
  "a note that is none of this chat's is passed over: %s",
  async (note) => {
    const [api, { store }] = [await telegram(), shared()];
    const before = asker(api, { store });
    const { message } = await before.asked({}, OPEN);
    await before.end();
    await store.note("approval-1", `telegram ${CHAT}`, note);
    await again(api, store);
    const anew = await api.message("this call needs your approval", ({ id }) => id !== message.id);
    expect(await api.answer(api.press(anew, "Approve", ANN))).toBe("Approved");
  },
);

test("a process that ended before it could note its message leaves one that can be pressed as well", async () => {
  const [api, { store }] = [await telegram(), shared()];
  const note = store.note.bind(store);
  store.note = () => Promise.reject(new Error("the disk is full"));
  const before = asker(api, { store });
  const { message: first } = await before.asked({}, OPEN);
  await before.end();
  store.note = note;
  await again(api, store);
  const second = await api.message("this call needs your approval", ({ id }) => id !== first.id);
  expect(await api.answer(api.press(first, "Approve", BOB))).toBe("Approved");
  for (const { id } of [first, second])
    expect(await api.message("Approved, ", (one) => one.id === id)).toMatchObject({ buttons: [] });
});

test("an answer by another process changes the message here", async () => {
  const [api, { store }] = [await telegram(), shared()];
  const here = asker(api, { store });
  const { answer } = await here.asked();
  const elsewhere = asker(api, { store, runId: "run-2" });
  await elsewhere.broker.respond("approval-1", approved("bob"), "a page");
  expect(await answer).toEqual(approved("bob"));
  await api.message("Approved, 2030-03-17 17:46 UTC\nby: bob");
});
