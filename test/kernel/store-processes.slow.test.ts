import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { requestWith } from "../support/approval/request.ts";
import { startDriver } from "../support/battery/storm.ts";
import { abandoned, asked, GO, inShort } from "../support/store/news.ts";
import { openStore, PLACES } from "../support/store/open-store.ts";

const STORM_MS = 4_000;
const PROCESSES = 8;
const REQUESTS = 2_000;

describe.each(PLACES)("a store in $kind that processes share", ({ fresh }) => {
  it(`decides each of ${REQUESTS} requests once, and lets each be run once, when ${PROCESSES} answer them all; who follows misses nothing`, async () => {
    const where = fresh();
    await using store = openStore(where);
    const requests = Array.from({ length: REQUESTS }, (_, index) =>
      requestWith({ approvalId: `r ${index}` }),
    );
    await Promise.all(requests.map((request) => add(store, request)));
    const follower = start(where, "follow", String(REQUESTS + 1));
    const answering = Array.from({ length: PROCESSES }, (_, index) => start(where, "answer", `run ${index}`));
    for (const process of answering) await process.line("ready");
    await add(store, requestWith({ approvalId: GO }));

    const done = await Promise.all(answering.map((process) => process.last<Done>()));
    const accepted = done.flatMap((one) => one.accepted).filter((id) => id !== GO);
    const run = done.flatMap((one) => one.run).filter((id) => id !== GO);
    const ids = requests.map(({ approvalId }) => approvalId);
    expect(accepted.toSorted()).toEqual(ids.toSorted());
    const told = (await follower.last<Told[]>()).filter(([, id]) => id !== GO);
    const saidYes = told.flatMap(([, id, what]) => (what === "yes" ? [id] : []));
    expect(run.toSorted()).toEqual(saidYes.toSorted());
    expect(saidYes.length).toBeGreaterThan(REQUESTS / 2);
    expect(
      told
        .filter(([, , what]) => what !== "asked")
        .map(([, id]) => id)
        .toSorted(),
    ).toEqual(ids.toSorted());
  }, 60_000);

  it("is whole whenever its processes are killed: what has come back stands, what has not is there or not, and what was taken is found", async () => {
    const where = fresh();
    const until = performance.now() + STORM_MS;
    const all = { kills: 0, abandoned: 0, pending: 0 };
    for (let round = 0; performance.now() < until || all.abandoned < 3; round += 1) {
      const runs = Array.from({ length: 3 }, (_, index) => `run ${round}.${index}`);
      const working = runs.map((run) => start(where, "work", run));
      for (const process of working) {
        await process.line("ready");
        // One is killed while others start, and one while others work.
        await pause(Math.random() * 30);
        process.child.kill("SIGKILL");
        await process.closed;
        all.kills += 1;
      }
      assertWhole(where);
      await using store = openStore(where);
      await using other = openStore(where);
      const states = await statesIn(store);
      for (const [step, id] of working.flatMap((process) => process.said()).flatMap(stepOf))
        expect([id, AFTER[step]]).toEqual([id, expect.arrayContaining([states.get(id)])]);

      for (const run of runs) while (await store.isAlive(run)) await pause(5);
      const found = (await store.overdue()).abandoned;
      const taken = [...states].flatMap(([id, status]) => (status === "executing" ? [id] : []));
      expect(found.map(({ approvalId }) => approvalId)).toEqual(taken);
      for (const request of found) {
        const ended = [store, other, store].map((one) => one.abandon(request.approvalId, abandoned(request)));
        expect((await Promise.all(ended)).toSorted()).toEqual([false, false, true]);
      }
      expect((await store.overdue()).abandoned).toEqual([]);
      all.abandoned += found.length;
      all.pending = (await store.pending()).length;
    }
    console.log(
      `${all.kills} were killed; ${all.abandoned} runs were cut off, ${all.pending} questions left open`,
    );
  }, 60_000);
});

/** What a request may be when a step has come back that its process has said. */
const AFTER = {
  asked: ["pending", "approved", "rejected", "executing", "done"],
  accepted: ["approved", "rejected", "executing", "done"],
  claimed: ["executing", "done"],
  finished: ["done"],
} as const;

function stepOf(line: unknown): readonly (readonly [keyof typeof AFTER, string])[] {
  const [, step, id] = /^(asked|accepted|claimed|finished) (.+)$/.exec(String(line)) ?? [];
  return isStep(step) && id !== undefined ? [[step, id]] : [];
}

function isStep(step: string | undefined): step is keyof typeof AFTER {
  return step !== undefined && step in AFTER;
}

/** Where every request is in its life, oldest first; what was told of each agrees with that. */
async function statesIn(store: Store): Promise<ReadonlyMap<string, string>> {
  const told = new Map<string, string[]>();
  const events = await store.eventsAfter(null, 100_000, null);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  for (const event of events) {
    const [id, what] = inShort(event);
    told.set(id, [...(told.get(id) ?? []), what]);
  }
  const states = new Map<string, string>();
  for (const [id, whats] of told) {
    const status = (await store.find(id))?.status ?? "unknown";
    states.set(id, status);
    expect([id, ...whats]).toEqual([id, ...tellingOf(status)]);
  }
  return states;
}

function tellingOf(status: string): readonly string[] {
  if (status === "pending") return ["asked"];
  if (status === "rejected") return ["asked", "no"];
  return status === "failed" ? ["asked", "yes", "abandoned"] : ["asked", "yes"];
}

/** SQLite's own look at all of a file; a log that was left is read in by it. Of a server that is for it to say. */
function assertWhole(where: string): void {
  if (!where.startsWith("/")) return;
  using database = new DatabaseSync(where);
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
}

type Told = readonly [seq: number, id: string, what: string];
interface Done {
  readonly accepted: readonly string[];
  readonly run: readonly string[];
}

function add(store: Store, request: ReturnType<typeof requestWith>): Promise<void> {
  return store.add(request, { call: null, presentation: null }, asked(request));
}

function start(where: string, role: string, word: string) {
  const child = startDriver("store-driver.ts", [where, role, word]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (some: string) => (text += some));
  const closed = once(child, "close");
  const said = (): readonly unknown[] =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return {
    child,
    said,
    closed,
    line: async (line: string) => {
      while (!said().includes(line)) await pause(5);
    },
    last: async <What>() => {
      await closed;
      return said().at(-1) as What;
    },
  };
}
