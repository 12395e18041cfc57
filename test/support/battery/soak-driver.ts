/**
 * A supervisor that makes call after call of every kind and ending, some at once, and prints its figures now and then.
 * Started with `--expose-gc`, it collects what is garbage before it looks.
 */
import { getEventListeners } from "node:events";
import { readdirSync } from "node:fs";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { CofferdamError } from "../../../src/errors.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import type { Session } from "../../../src/session/session.ts";
import { createSupervisor } from "../../../src/session/supervisor.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { descendantsOf } from "./descendants.ts";
import { ENDINGS, Figures, SoakJob } from "./soak-job.ts";

const job = SoakJob.parse(JSON.parse(process.argv[2] ?? ""));
const ends = new Map<string, number>();
const MAX_MORE = 20;
/** Lives as long as the process, as an agent's own signal does. */
const lasting = new AbortController();
let dice = job.seed;

let made = 0;

// What is loaded and kept once is there after a few calls.
await soak(job.perSession);
await tell();
await soak(job.calls);
// Now and then what is rare is in none of the calls: then there are more.
for (let more = 0; more < MAX_MORE && ENDINGS.some((end) => !ends.has(end)); more += 1)
  await soak(job.perSession);
await tell();
print({ kind: "ends", ends: Object.fromEntries(ends) });

/** Has a supervisor of its own make so many calls. */
async function soak(calls: number): Promise<void> {
  await using supervisor = await createSupervisor({
    host: thisHost({ operatorFolders: [] }),
    config: job.config,
    profiles: job.profiles,
    cwd: absolutePath(job.cwd),
    // Full after a few calls: what grows behind that is not what is kept on purpose.
    store: new MemoryStore({ maxEvents: 100, maxSettled: 20 }),
  });
  const until = made + calls;
  while (made < until) {
    await using session = supervisor.session({ handler: answer });
    for (let at = 0; at < job.perSession && made < until; ) {
      const many = Math.min(1 + below(4), until - made);
      await Promise.all(Array.from({ length: many }, () => callOne(session)));
      at += many;
      made += many;
      if (Math.floor(made / job.every) > Math.floor((made - many) / job.every)) await tell();
    }
  }
}

async function answer(): Promise<{ readonly approved: boolean; readonly by: string }> {
  await pause(below(10));
  return { approved: below(8) > 0, by: "ann" };
}

async function callOne(session: Session): Promise<void> {
  const end = await tryOne(session).catch((error: unknown) =>
    error instanceof CofferdamError ? error.code : error instanceof Error ? error.name : String(error),
  );
  ends.set(end, (ends.get(end) ?? 0) + 1);
}

async function tryOne(session: Session): Promise<string> {
  const { word } = job;
  const name = `f${below(20)}`;
  const { signal } = lasting;
  const soon = (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(below(120))]);
  const sh = (line: string, options = {}) =>
    session.call("shell", { argv: ["sh", "-c", line, word] }, { signal, ...options });
  const kinds: readonly (() => Promise<{ readonly kind: string }>)[] = [
    () => sh("echo x; echo y >&2"),
    () => sh("exit 3"),
    () => sh("head -c 300000 /dev/zero"),
    () => sh("cat", { stdin: Readable.from([Buffer.alloc(100_000, "x")]) }),
    () => sh("setsid sh -c 'sleep 600; :' & sleep 600 & exit 0"),
    () => sh("kill -9 $$"),
    () => sh("no-such-program-at-all"),
    () => sh("sleep 600", { timeoutMs: 1 + below(150) }),
    () => sh("for n in 1 2 3 4 5 6 7 8; do sleep 600 & done; wait", { signal: soon() }),
    () => sh(below(10) === 0 ? "trap '' TERM; sleep 600; sleep 600" : "sleep 600", { signal: soon() }),
    () => sh("true", { signal: AbortSignal.abort() }),
    () => sh("forbidden"),
    () => session.call("write_file", { path: name, content: "x".repeat(below(50_000)) }, { signal }),
    () => session.call("read_file", { path: name }, { signal }),
    () => session.call("edit_file", { path: name, edits: [{ old_text: "x", new_text: "y" }] }, { signal }),
    () => session.call("list_dir", { path: "." }, { signal }),
    () => session.call("search_files", { pattern: "y" }, { signal: soon() }),
    () => session.call("write_file", { path: name, content: "x".repeat(500_000) }, { signal: soon() }),
    () => session.call("delete_file", { path: name }, { signal }),
    () => session.call("read_file", { path: "/etc/shadow" }, { signal }),
  ];
  const outcome = await kinds[below(kinds.length)]?.();
  return outcome?.kind ?? "none";
}

/** A number from 0 on, of a generator whose seed is told when something goes wrong (xorshift). */
function below(count: number): number {
  dice ^= dice << 13;
  dice ^= dice >>> 17;
  dice ^= dice << 5;
  return (dice >>> 0) % count;
}

async function tell(): Promise<void> {
  // What waits for a turn of the loop is let go of first; finalizers run between two collections.
  for (let round = 0; round < 3; round += 1) {
    await pause(30);
    globalThis.gc?.();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  print({
    kind: "figures",
    calls: made,
    heapBytes: heapUsed,
    externalBytes: external,
    rssBytes: rss,
    descriptors: readdirSync("/proc/self/fd").length,
    processes: descendantsOf(process.pid).length,
    listeners: getEventListeners(lasting.signal, "abort").length,
  });
}

function print(figures: Figures): void {
  process.stdout.write(`${JSON.stringify(Figures.parse(figures))}\n`);
}
