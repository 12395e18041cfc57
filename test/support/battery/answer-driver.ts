/**
 * Says yes to so many requests of a store as they come, and prints when it began to say each, in milliseconds since 1970:
 * `answer-driver.ts FILE COUNT`.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Broker } from "../../../src/approval/broker.ts";
import { MemoryJournal } from "../../../src/journal/journal.ts";
import { Recorder } from "../../../src/journal/recorder.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { SqliteStore } from "../../../src/store/sqlite.ts";

const [, , file = "", count = "0"] = process.argv;
await using store = new SqliteStore(absolutePath(file));
await using broker = new Broker(
  { now: Date.now },
  store,
  new Recorder({ now: Date.now }, new MemoryJournal(), "answers"),
);
console.log("ready");
for (let left = Number(count); left > 0; ) {
  const [request] = await broker.pending();
  if (request === undefined) await pause(1);
  else {
    // A person thinks for a while: whoever asks is at rest.
    await pause(20);
    const at = performance.timeOrigin + performance.now();
    await broker.respond(request.approvalId, { approved: true }, "ann");
    console.log(at);
    left -= 1;
  }
}
