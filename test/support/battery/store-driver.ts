/**
 * A process that shares a store with others: `store-driver.ts WHERE follow COUNT` prints what is told
 * until so many requests are decided; `WHERE answer RUN` answers all that waits when the word is given, among others who do,
 * runs what is approved, and prints what came of it; `WHERE work RUN` asks, answers, takes and ends requests of its own until it is killed, and prints each step
 * that has come back; `WHERE echo RUN` answers each request as soon as it hears of it; `WHERE fill BALLAST` asks until there is no room,
 * then removes the ballast and goes on.
 */
import { rmSync, writeSync } from "node:fs";
import { approved, rejected } from "../../../src/approval/factories.ts";
import type { ApprovalEvent } from "../../../src/event/event.ts";
import type { ApprovalRequest } from "../../../src/policy/request.ts";
import { requestWith } from "../approval/request.ts";
import { answered, asked, GO, inShort } from "../store/news.ts";
import { openStore } from "../store/open-store.ts";

/** So many steps are under way at once. */
const AT_ONCE = 50;
/** A run that says nothing for so long is gone. */
const ALIVE_MS = 300;

const [, , where = "", role = "", word = ""] = process.argv;
const store = openStore(where);
if (role === "follow") await follow(Number(word));
else if (role === "answer") await answerAll(word);
else if (role === "work") await work(word);
else if (role === "echo") await echo(word);
else if (role === "fill") await fill(word);
await store[Symbol.asyncDispose]();

async function follow(count: number): Promise<void> {
  const told: [number, ...(readonly string[])][] = [];
  let left = count;
  for await (const event of events()) {
    const [id, what] = inShort(event);
    told.push([event.seq, id, what]);
    if (what !== "asked") left -= 1;
    if (left === 0) break;
  }
  say(told);
}

/** Everybody answers everything, in an order of their own. */
async function answerAll(runId: string): Promise<void> {
  await store.keepAlive(runId, 60_000);
  const before = await store.lastSeq();
  say("ready");
  for await (const event of events(before)) if (inShort(event)[0] === GO) break;
  const waiting = [...(await store.pending())].sort(() => Math.random() - 0.5);
  const done = { said: {} as Record<string, number>, accepted: [] as string[], run: [] as string[] };
  const each = async (): Promise<void> => {
    for (let request = waiting.pop(); request !== undefined; request = waiting.pop()) {
      const { approvalId } = request;
      const decision = Math.random() < 0.8 ? approved(runId) : rejected(runId);
      const said = await store.resolve(approvalId, decision, answered(request, decision));
      done.said[said] = (done.said[said] ?? 0) + 1;
      if (said === "accepted") done.accepted.push(approvalId);
      if (!(await store.claim(approvalId, runId))) continue;
      done.run.push(approvalId);
      if (!(await store.finish(approvalId, runId, "done"))) throw new Error(`${approvalId} was not ours`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, each));
  say(done);
}

async function work(runId: string): Promise<void> {
  for (let count = 0; ; count += 1) {
    await store.keepAlive(runId, ALIVE_MS);
    const request = requestWith({ approvalId: `${runId}/${count}`, runId });
    await store.add(request, { call: { input: count, cwd: "/w" }, presentation: null }, asked(request));
    say(`asked ${request.approvalId}`);
    if (count === 0) say("ready");
    const decision = count % 4 === 3 ? rejected("bob") : approved("ann");
    const said = await store.resolve(request.approvalId, decision, answered(request, decision));
    say(`${said} ${request.approvalId}`);
    if (decision.status !== "approved") continue;
    if (await store.claim(request.approvalId, runId)) say(`claimed ${request.approvalId}`);
    if (await store.finish(request.approvalId, runId, "done")) say(`finished ${request.approvalId}`);
  }
}

async function echo(runId: string): Promise<void> {
  const before = await store.lastSeq();
  say("ready");
  for await (const event of events(before)) {
    if (event.type !== "approval.requested") continue;
    const { request }: { readonly request: ApprovalRequest } = event;
    const decision = approved(runId);
    await store.resolve(request.approvalId, decision, answered(request, decision));
    if (request.description === "the last") return;
  }
}

async function fill(ballast: string): Promise<void> {
  const kept: string[] = [];
  const ask = async (approvalId: string): Promise<void> => {
    const request = requestWith({ approvalId, safeArgs: { text: "x".repeat(5_000) } });
    await store.add(request, { call: null, presentation: null }, asked(request));
    kept.push(approvalId);
  };
  let refused: unknown = null;
  for (let count = 0; refused === null && count < 1_000; count += 1)
    await ask(`r ${count}`).catch(({ code, message, hint }) => (refused = { code, message, hint }));
  const whileFull = await found(kept).catch(({ code }) => code);
  rmSync(ballast, { force: true });
  if (refused !== null) await ask("behind it").catch(({ message }) => say(message));
  say({ refused, whileFull, behind: await found(kept), last: kept.at(-1) });
}

/** Whether all that was kept is there, and nothing else: neither as a request nor as an event. */
async function found(kept: readonly string[]): Promise<boolean> {
  const pending = (await store.pending()).map(({ approvalId }) => approvalId);
  const told = (await store.eventsAfter(null, 10_000, null)).map((event) => inShort(event)[0]);
  return [pending, told].every((ids) => JSON.stringify(ids) === JSON.stringify(kept));
}

/** Those that were and those that come, read when the store wakes us, and never in between. */
async function* events(after: number | null = null): AsyncGenerator<ApprovalEvent, void> {
  let [wake, hasChanged, seen] = [(): void => undefined, false, after];
  using _watch = store.watch(() => {
    hasChanged = true;
    wake();
  });
  // Nothing else keeps this process at it.
  const awake = setInterval(() => undefined, 60_000);
  try {
    for (;;) {
      hasChanged = false;
      const batch = await store.eventsAfter(seen, 256, null);
      for (const event of batch) {
        seen = event.seq;
        yield event;
      }
      if (batch.length === 0 && !hasChanged) await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    clearInterval(awake);
  }
}

/** At once, however this process ends. */
function say(what: unknown): void {
  writeSync(1, `${JSON.stringify(what)}\n`);
}
