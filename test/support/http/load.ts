import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Broker } from "../../../src/approval/broker.ts";
import { serveApprovals } from "../../../src/http/serve.ts";
import { Recorder } from "../../../src/journal/recorder.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { bringing, SILENCE } from "../approval/desk.ts";
import { requestWith } from "../approval/request.ts";

/** A server in a process of its own, and those who follow it: `SUBSCRIBERS EVENTS-A-SECOND SECONDS`. Prints figures. */
const [, , subscribers = "1000", rate = "10", seconds = "5"] = process.argv;
const host = { now: Date.now };
const journal = { write: () => undefined, [Symbol.dispose]: () => undefined };
const broker = new Broker(host, new MemoryStore(), new Recorder(host, journal, "run"));
const server = await serveApprovals(broker);
const before = process.memoryUsage();
const audience = spawn(
  process.execPath,
  [join(import.meta.dirname, "audience.ts"), server.url, server.approvers[0]?.token ?? "", subscribers],
  { stdio: ["pipe", "pipe", "inherit"] },
);
const lines = createInterface({ input: audience.stdout })[Symbol.asyncIterator]();
const began = performance.now();
await lines.next();
const connectMs = Math.round(performance.now() - began);
const events = Number(rate) * Number(seconds);
const cpu = process.cpuUsage();
let peak = 0;
for (let index = 0; index < events; index += 2) {
  const due = began + connectMs + (index * 1_000) / Number(rate);
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
  const request = requestWith({ approvalId: String(index), createdAt: Date.now() });
  await broker.request(request, bringing([SILENCE], { isBlocking: false }));
  await broker.respond(String(index), { approved: true }, "the load");
  peak = Math.max(peak, process.memoryUsage().rss);
}
const { user, system } = process.cpuUsage(cpu);
audience.stdin.write(`${events - 1}\n`);
const { value } = await lines.next();
audience.stdin.end();
await once(audience, "exit");
const mib = (bytes: number): number => Math.round(bytes / 1024 ** 2);
process.stdout.write(
  `${JSON.stringify({
    events,
    ...JSON.parse(String(value)),
    connectMs,
    cpuShare: Math.round((user + system) / 1e4 / Number(seconds)) / 100,
    rssMiB: { before: mib(before.rss), max: mib(peak) },
    heapMiB: { before: mib(before.heapUsed), after: mib(process.memoryUsage().heapUsed) },
  })}\n`,
);
await server.close();
await broker[Symbol.asyncDispose]();
