import { writeSync } from "node:fs";
import { createRequire } from "node:module";
import { Broker } from "../../../src/approval/broker.ts";
import { presentText } from "../../../src/approval/present.ts";
import { Channel } from "../../../src/channel/telegram/channel.ts";
import { MemoryJournal } from "../../../src/journal/journal.ts";
import { Recorder } from "../../../src/journal/recorder.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { requestWith } from "../approval/request.ts";
import { CHAT, SECOND_MS, TOKEN } from "./one-bot.ts";

/** True when grammY has been loaded. */
function hasGrammy(): boolean {
  return Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes("/grammy/"));
}

// A process that asks and ends nothing itself: whether it goes on is for what waits to say.
const [, , apiRoot = "", tool = ""] = process.argv;
const options = { token: TOKEN, chat: CHAT, approvers: [7], apiRoot, onTrouble: () => undefined };
const atFirst = hasGrammy();
const channel = new Channel(options, { now: Date.now, secondMs: SECOND_MS });
const host = { now: Date.now };
const broker = new Broker(host, new MemoryStore(), new Recorder(host, new MemoryJournal(), "run-1"));
const answer = await broker.request(requestWith({ approvalId: tool, tool }), {
  handlers: [channel],
  present: async () => presentText(tool),
  signal: null,
  isBlocking: tool === "held",
  call: null,
});
writeSync(1, `${JSON.stringify({ answer, hasGrammy: [atFirst, hasGrammy()] })}\n`);
