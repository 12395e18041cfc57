import { describe, expect, test, vi } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import { pressData } from "../../../src/channel/telegram/press-data.ts";
import { telegramHandler } from "../../../src/channel/telegram.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { bringing, SILENCE } from "../../support/approval/desk.ts";
import { requestOf } from "../../support/screen/requests.ts";
import { ANN, BOB, EVE } from "../../support/telegram/bot-api.ts";
import { asker, PATIENT, telegram } from "../../support/telegram/chat.ts";
import { CHAT, TOKEN } from "../../support/telegram/one-bot.ts";

const BY_ANN = "telegram:7 (Ann Lee @ann)";
const BY_BOB = "telegram:8 (Bob)";
const VIA_TELEGRAM = "Rejected by user via Telegram";
const EXPIRED = "This approval request has expired.";

describe("a question", () => {
  test("is one message with the tool, the reason, the arguments and two buttons (S2-15, S2-18)", async () => {
    const api = await telegram();
    const { asked } = asker(api);
    const { message } = await asked(
      {
        agent: "support",
        reason: "orders are Ann's",
        safeArgs: { order: 17 },
        covers: null,
        expiresAt: 1_900_000_300_000,
      },
      { present: () => Promise.reject(new Error("it can't be made")) },
    );
    expect(message.text.split("\n")).toEqual([
      "cofferdam asks: this call needs your approval",
      "tool: deploy",
      "risk: write",
      "agent: support",
      "would do: deploy to staging",
      "because: orders are Ann's",
      "preview failed; its arguments:",
      "│ {",
      '│   "order": 17',
      "│ }",
      "reach: it runs without a sandbox",
      "time left: 5 minutes, until 2030-03-17 17:51 UTC",
      'To reject with a reason, reply to this message: "no: …"',
    ]);
    expect(message.buttons.map((row) => row.map(({ text }) => text))).toEqual([["Approve", "Reject"]]);
    expect([message.chat, api.messages.size, api.mistakes]).toEqual([CHAT, 1, []]);
  });

  test("says of which project it is: one chat is asked for all of them", async () => {
    const { asked } = asker(await telegram());
    const { message } = await asked({ project: "/srv/shop" });
    expect(message.text.split("\n")).toContain("project: /srv/shop");
  });

  test("says what a yes gives and what it does not, and what one for the session covers", async () => {
    const api = await telegram();
    const { asked } = asker(api);
    const { message } = await asked(requestOf({ agent: null, why: [] }));
    expect(message.text.split("\n")).toEqual(
      expect.arrayContaining([
        "can write: /home/ann/project",
        "can read: /usr/share/dict, the runtimes system",
        "network: none",
        "not given: write /etc",
        "approval for this session covers:",
        "│ `npm install left-pad` in /home/ann/project",
      ]),
    );
    expect(message.buttons.map((row) => row.map(({ text }) => text))).toEqual([
      ["Approve", "Reject"],
      ["For this session"],
    ]);
  });

  test("of a session that was given no chat is no message (S2-16)", async () => {
    const api = await telegram();
    const { ask, asked } = asker(api);
    void ask({ approvalId: "silent" }, bringing([SILENCE]));
    await asked({ approvalId: "told" });
    expect([api.of("sendMessage"), api.messages.size]).toEqual([1, 1]);
  });
});

describe("a press", () => {
  test.each([
    ["Approve", approved(BY_ANN), "Approved", "Approved, 2030-03-17 17:46 UTC"],
    [
      "For this session",
      approved(BY_ANN, { scope: "session" }),
      "Approved for this session",
      "Approved for this session, 2030-03-17 17:46 UTC",
    ],
    ["Reject", rejected(BY_ANN, VIA_TELEGRAM), "Rejected", "Rejected, 2030-03-17 17:46 UTC"],
  ])(
    "on %s answers, says so at once, and the message becomes the outcome (S2-17)",
    async (button, decision, said, first) => {
      const api = await telegram();
      const { asked } = asker(api);
      const { answer, message } = await asked();
      const press = api.press(message, button, ANN);
      expect(await answer).toEqual(decision);
      expect(await api.answer(press)).toBe(said);
      const now = await api.message(first);
      expect(now).toMatchObject({ id: message.id, buttons: [] });
      expect(now.text.split("\n").slice(1, 3)).toContain(`by: ${BY_ANN}`);
      expect(now.text).toContain("would do: deploy to staging");
      expect(api.mistakes).toEqual([]);
    },
  );

  test("on an answer for more than this call shows what it covers before, and gives exactly that", async () => {
    const api = await telegram();
    const { asked } = asker(api);
    const offer = {
      cover: { of: "tool", tool: "deploy", version: "1", args: {}, others: "free" },
      covers: "deploy with any arguments",
      passed: { count: 1, calls: ["use deploy"] },
      asked: { count: 0, calls: [] },
    } as const;
    const offers = [
      { scope: "similar", ...offer },
      { scope: "project", ...offer },
    ] as const;
    const given: readonly (readonly [string, unknown])[] = [
      ["Similar calls, for this session", approved(BY_ANN, { scope: "similar" })],
      [
        "Similar calls, for 15 minutes",
        { ...approved(BY_ANN, { scope: "similar" }), limits: { minutes: 15 } },
      ],
      ["In this project from now on", approved(BY_ANN, { scope: "project" })],
      ["No, for this session", { status: "rejected", scope: "session", by: BY_ANN }],
    ];
    for (const [button, decision] of given) {
      const { answer, message } = await asked({ approvalId: button, offers });
      expect(message.text).toContain("deploy with any arguments");
      expect(message.text).toContain("would have let pass 1 of 1 recorded calls: use deploy");
      api.press(message, button, ANN);
      expect(await answer).toEqual(decision);
    }
    // The control: a request that offers nothing more has no such button, and a forged press gives nothing.
    const { message } = await asked({ approvalId: "plain" });
    expect(message.buttons.map((row) => row.map(({ text }) => text))).toEqual([
      ["Approve", "Reject"],
      ["For this session"],
    ]);
    const forged = api.forge(message, pressData("similar", ":plain"), ANN);
    expect(await api.answer(forged)).toBe(EXPIRED);
    expect(api.mistakes).toEqual([]);
  });

  test("of one who is not listed, or in another chat, decides nothing, is told so and written down (S2-D2)", async () => {
    const api = await telegram();
    const { asked, told } = asker(api);
    const { answer, message } = await asked();
    const presses = [
      api.press(message, "Approve", EVE),
      api.press(message, "Approve", EVE),
      api.forge({ ...message, chat: ANN.id }, pressData("once", ":approval-1"), ANN),
    ];
    for (const press of presses) expect(await api.answer(press)).toBe("You may not answer this request.");
    expect(told()).toEqual([
      "approval.requested",
      "approval.ignored: forbidden by telegram:666 (Eve)",
      `approval.ignored: forbidden by ${BY_ANN}`,
    ]);
    expect(api.now(message)).toEqual(message);
    api.press(message, "Reject", BOB);
    expect(await answer).toEqual(rejected(BY_BOB, VIA_TELEGRAM));
  });

  test("by strangers is written down ten times for a question, and not without end", async () => {
    const api = await telegram();
    const { asked, told } = asker(api);
    const { message } = await asked();
    const crowd = Array.from({ length: 30 }, (_, index) => ({ id: 1000 + index, first_name: "Eve" }));
    await Promise.all(crowd.map((one) => api.answer(api.press(message, "Approve", one))));
    expect(told().filter((one) => one.includes("forbidden"))).toHaveLength(10);
  });

  test("on what nobody knows, or that nobody made, is told that it expired, and nothing else (S2-17)", async () => {
    const api = await telegram();
    const { asked, told } = asker(api);
    const { answer, message } = await asked({ covers: null });
    const forged = [
      "a:approval-2",
      "approve:1:2",
      "x:approval-1",
      "a",
      "",
      "a:",
      "a#",
      "s:approval-1",
      "a:__proto__",
      "\u{0}",
    ];
    for (const data of forged) expect(await api.answer(api.forge(message, data, ANN))).toBe(EXPIRED);
    expect([told(), api.now(message)]).toEqual([["approval.requested"], message]);
    api.press(message, "Approve", ANN);
    expect(await answer).toEqual(approved(BY_ANN));
  });

  test("that was made up about another question does not touch the message that it was pressed on", async () => {
    const api = await telegram();
    const { asked } = asker(api);
    const over = await asked({ approvalId: "1" });
    api.press(over.message, "Reject", ANN);
    await api.message("Rejected, ");
    const other = await asked({ approvalId: "2" });
    const { answer, message } = await asked({ approvalId: "3" });
    expect(await api.answer(api.forge(message, "a:1", BOB))).toBe(`Answered already: rejected by ${BY_ANN}`);
    expect(await api.answer(api.forge(message, "a:2", BOB))).toBe("Approved");
    expect(await other.answer).toEqual(approved(BY_BOB));
    await api.message("Approved, ", ({ id }) => id === other.message.id);
    expect(api.now(message)).toEqual(message);
    api.press(message, "Reject", BOB);
    expect(await answer).toEqual(rejected(BY_BOB, VIA_TELEGRAM));
  });

  test("after the time is over is told that it expired (S2-26)", async () => {
    const api = await telegram();
    const { asked, clock, written } = asker(api);
    const { answer, message } = await asked({ expiresAt: 1_900_000_060_000 });
    clock.now += 60_000;
    const press = api.press(message, "Approve", ANN);
    expect(await api.answer(press)).toBe(EXPIRED);
    expect(await answer).toEqual({ status: "expired" });
    await api.message(
      "Expired, 2030-03-17 17:47 UTC: no answer in time",
      ({ buttons }) => buttons.length === 0,
    );
    expect(written().map(({ type }) => type)).toEqual([
      "approval.requested",
      "approval.expired",
      "approval.ignored",
    ]);
    const again = api.forge(message, "a:approval-1", BOB);
    expect(await api.answer(again)).toBe(EXPIRED);
  });

  test("of two at once the first counts, and the other is told whose it was (S2-17)", async () => {
    const api = await telegram();
    const { asked, told } = asker(api);
    const { answer, message } = await asked();
    const [first, second] = [api.press(message, "Reject", BOB), api.press(message, "Approve", ANN)];
    expect(await answer).toEqual(rejected(BY_BOB, VIA_TELEGRAM));
    expect(await api.answer(first)).toBe("Rejected");
    expect(await api.answer(second)).toBe(`Answered already: rejected by ${BY_BOB}`);
    await api.message("Rejected, ");
    expect(told()).toEqual([
      "approval.requested",
      `approval.resolved: no by ${BY_BOB}, ${VIA_TELEGRAM}`,
      `approval.ignored: duplicate by ${BY_ANN}`,
    ]);
    const late = api.forge(message, "a:approval-1", ANN);
    expect(await api.answer(late)).toBe(`Answered already: rejected by ${BY_BOB}`);
  });

  test("of two by the same person at once the first counts, whichever it was", async () => {
    const api = await telegram();
    const { asked } = asker(api);
    const { answer, message } = await asked();
    const [yes, no] = [api.press(message, "Approve", ANN), api.press(message, "Reject", ANN)];
    expect(await answer).toEqual(approved(BY_ANN));
    expect(await api.answer(yes)).toBe("Approved");
    expect(await api.answer(no)).toBe(`Answered already: approved by ${BY_ANN}`);
  });

  test("and an answer from elsewhere at once: one of them counts, and the message says which", async () => {
    const api = await telegram();
    const { asked, broker } = asker(api);
    const { answer, message } = await asked();
    const press = api.press(message, "Approve", ANN);
    const elsewhere = await broker.respond("approval-1", rejected("bob", "not today"), "a page");
    const isFirst = elsewhere === "accepted";
    expect(await answer).toEqual(isFirst ? rejected("bob", "not today") : approved(BY_ANN));
    expect(await api.answer(press)).toBe(isFirst ? "Answered already: rejected by bob" : "Approved");
    await api.message(isFirst ? "Rejected, " : "Approved, ");
  });
});

describe("what comes from elsewhere", () => {
  test("changes the message: an answer, with what was said besides", async () => {
    const api = await telegram();
    const { asked, broker } = asker(api);
    const { message } = await asked();
    await broker.respond("approval-1", rejected("bob at the inbox", "not on a Friday"), "a page");
    const now = await api.message("Rejected, ");
    expect(now.text.split("\n").slice(0, 4)).toEqual([
      "Rejected, 2030-03-17 17:46 UTC",
      "by: bob at the inbox",
      "because: not on a Friday",
      "",
    ]);
    expect(now).toMatchObject({ id: message.id, buttons: [] });
  });

  test("changes the message: the call is given up, the time is over, the supervisor ends", async () => {
    const api = await telegram();
    const { asked, broker } = asker(api);
    const abort = new AbortController();
    await asked({ approvalId: "1" }, { signal: abort.signal });
    abort.abort();
    await api.message("Closed, 2030-03-17 17:46 UTC: no answer\nbecause: the call was cancelled before");
    await asked({ approvalId: "2", expiresAt: 1_900_000_000_020 });
    await api.message("Expired, ");
    await asked({ approvalId: "3" });
    await broker[Symbol.asyncDispose]();
    await api.message("because: the supervisor has ended");
    expect([...api.messages.values()].flatMap(({ buttons }) => buttons)).toEqual([]);
  });
});

describe("a reply", () => {
  test.each([
    ["no: the staging cluster is down", "the staging cluster is down"],
    ["No, it is Friday", "it is Friday"],
    ["  NO  ", VIA_TELEGRAM],
    ["no not now\nreally", "not now\nreally"],
  ])("that begins with no is a no with its reason: %j", async (text, note) => {
    const api = await telegram();
    const { asked } = asker(api);
    const { answer, message } = await asked();
    api.reply(message, text, ANN);
    expect(await answer).toEqual(rejected(BY_ANN, note));
    await api.message("Rejected, ");
  });

  test("of any other kind, to anything else, or by anybody else is talk", async () => {
    const api = await telegram();
    const { asked, told } = asker(api);
    const { answer, message } = await asked();
    for (const text of ["ok", "yes", "nobody knows", "is it from today? no", "", "/no"])
      api.reply(message, text, ANN);
    api.reply({ ...message, id: 1 }, "no: what?", ANN);
    api.reply({ ...message, chat: ANN.id }, "no: here", ANN);
    api.reply(message, "no: I say so", EVE);
    api.happen({ message: { message_id: 9, chat: { id: CHAT }, date: 0, text: "no" } });
    api.happen({ edited_message: { message_id: message.id } });
    api.happen({ callback_query: { id: "1", from: ANN, game_short_name: "no" } });
    expect(await api.answer(api.forge(message, "a:nothing", ANN))).toBe(EXPIRED);
    expect(told()).toEqual(["approval.requested"]);
    api.press(message, "Approve", ANN);
    expect(await answer).toEqual(approved(BY_ANN));
  });
});

describe("the ids of requests", () => {
  test.each([
    ["with colons", "approve:7f:call_1:2"],
    ["of 62 characters, which fit", "x".repeat(62)],
    ["of 63 characters, which don't", "x".repeat(63)],
    ["of 74 characters, which don't", `${"7".repeat(36)}:call_${"x".repeat(32)}`],
    ["beyond ASCII", "réponse ✓ \u{1f600}"],
    ["with half a character", "\u{d83d}"],
    ["that look like a digest", `#${"A".repeat(22)}`],
    ["of a prototype", "__proto__"],
    ["with nothing in them", ""],
  ])("%s come back (S2-D1, S2-D3)", async (_, approvalId) => {
    const api = await telegram();
    const { asked } = asker(api);
    const other = await asked({ approvalId: `${approvalId}:other` });
    const { answer, message } = await asked({ approvalId });
    const data = message.buttons.flat().map((button) => Buffer.byteLength(button.data));
    expect(Math.max(...data)).toBeLessThanOrEqual(64);
    api.press(message, "Approve", ANN);
    expect(await answer).toEqual(approved(BY_ANN));
    api.press(other.message, "Reject", ANN);
    expect(await other.answer).toEqual(rejected(BY_ANN, VIA_TELEGRAM));
    expect(api.mistakes).toEqual([]);
  });

  test("find late presses again, digests too", async () => {
    const api = await telegram();
    const { asked } = asker(api);
    const { answer, message } = await asked({ approvalId: "x".repeat(99) });
    const { data = "" } = message.buttons[0]?.[0] ?? {};
    api.press(message, "Approve", ANN);
    await answer;
    await api.message("Approved, ");
    expect(await api.answer(api.forge(message, data, BOB))).toBe(`Answered already: approved by ${BY_ANN}`);
  });
});

test("who answered has a number, whatever their name says", async () => {
  const api = await telegram();
  const { asked } = asker(api, { approvers: [9] });
  const mallory = {
    id: 9,
    first_name: "\u{202e}telegram:7 (Ann)\n",
    last_name: "x".repeat(500),
    username: "m",
  };
  const { answer, message } = await asked();
  api.press(message, "Approve", mallory);
  const said = await answer;
  expect(said).toMatchObject({
    status: "approved",
    by: expect.stringMatching(/^telegram:9 \(\\u\{202e\}telegram:7 \(Ann\)\\u\{a\} x+…\)$/),
  });
  expect("by" in said && said.by.length).toBeLessThan(120);
});

test.each([
  ["first", true],
  ["last", false],
])(
  "of brokers that share a store and a channel one asks, and when it ends another does, which came %s",
  async (_, isFirst) => {
    const api = await telegram();
    const store = new MemoryStore({ now: () => 1_900_000_000_000 });
    const one = asker(api, { store });
    const other = asker(api, { store, runId: "run-2" });
    if (isFirst) await other.broker.attend(one.channel);
    const { message } = await one.asked({}, { isBlocking: false });
    if (!isFirst) await other.broker.attend(one.channel);
    await one.broker[Symbol.asyncDispose]();
    await vi.waitFor(async () => {
      const press = api.press(message, "Reject", ANN);
      expect(await api.answer(press)).toBe("Rejected");
    }, PATIENT);
    expect(await other.broker.find("approval-1")).toMatchObject({ decision: rejected(BY_ANN, VIA_TELEGRAM) });
    await api.message("Rejected, ");
    expect(api.of("sendMessage")).toBe(1);
  },
);

describe("options", () => {
  const options = { token: TOKEN, chat: CHAT, approvers: [ANN.id] };

  test("that are whole make a handler that is let go", () => {
    using handler = telegramHandler({ ...options, apiRoot: "http://localhost:8081/" });
    expect(handler.requestApproval).toBeTypeOf("function");
  });

  test.each([
    ["token", { ...options, token: "secret-that-is-none" }],
    ["chat", { ...options, chat: 0 }],
    ["approvers", { ...options, approvers: [] }],
    ["approvers.0", { ...options, approvers: [-5] }],
    ["apiRoot", { ...options, apiRoot: "ftp://example.org" }],
    ["aprovers", { ...options, aprovers: [1] }],
  ])("with a wrong %s are refused, and the token is not told", (place, given) => {
    const make = () => telegramHandler(given);
    expect(make).toThrow(`invalid option \`${place}\` of \`telegramHandler\``);
    expect(make).not.toThrow("secret");
  });
});
