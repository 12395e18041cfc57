import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ApprovalEvent } from "../../src/event/event.ts";
import type { Store } from "../../src/store/store.ts";
import { abandoned, inShort } from "../support/store/news.ts";
import { openStore } from "../support/store/open-store.ts";
import { PLACES } from "../support/store/places.ts";
import { answerTogether, drive } from "../support/store/together.ts";

const STORM_MS = 2_000;
const PROCESSES = 8;
const REQUESTS = 2_000;

/** Where it must be there, the tests of the store in Postgres say that it is not. */
const HERE = PLACES.filter(({ isThere }) => isThere);

describe.each(HERE)("a store in $kind, shared by processes", ({ fresh }) => {
  it(`decides each of ${REQUESTS} requests once, and lets each be run once, when ${PROCESSES} answer them all; who follows misses nothing, and nothing twice`, async () => {
    await using shared = await fresh();
    await using store = openStore(shared.where);
    const { ids, accepted, run, told } = await answerTogether(store, {
      ...shared,
      processes: PROCESSES,
      requests: REQUESTS,
    });
    expect(accepted).toEqual(ids);
    for (const events of told) {
      const idsOf = (...whats: string[]): readonly string[] =>
        events.flatMap(([, id, what]) => (whats.includes(what) ? [id] : [])).toSorted();
      expect(idsOf("asked")).toEqual(ids);
      expect(idsOf("yes", "no")).toEqual(ids);
      expect(run).toEqual(idsOf("yes"));
      expect(events).toHaveLength(2 * REQUESTS);
    }
    expect(told[0]).toEqual(told[1]);
    expect(run.length).toBeGreaterThan(REQUESTS / 2);
  });

  it("is whole whenever its processes are killed: what has come back stands, what has not is there or not, and what was taken is found", async () => {
    await using shared = await fresh();
    const { where } = shared;
    const until = performance.now() + STORM_MS;
    const all = { kills: 0, abandoned: 0, pending: 0 };
    for (let round = 0; performance.now() < until || all.abandoned < 3; round += 1) {
      const runs = Array.from({ length: 3 }, (_, index) => `run ${round}.${index}`);
      const working = runs.map((run) => drive(where, "work", run));
      for (const process of working) {
        await process.saying("ready");
        // One is killed while others start, and one while others work.
        await pause(Math.random() * 30);
        process.kill();
        await process.closed;
        all.kills += 1;
      }
      assertWhole(where);
      await using store = openStore(where);
      await using other = openStore(where);
      // By then a server has done what the killed ones had sent to it.
      for (const run of runs) while (await store.isAlive(run)) await pause(5);
      const states = await statesIn(store);
      for (const [step, id] of working.flatMap((process) => process.said()).flatMap(stepOf))
        expect([id, AFTER[step]]).toEqual([id, expect.arrayContaining([states.get(id)])]);

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
  });
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

/**
 * Where every request is in its life, oldest first; what was told of each agrees with that. Both are looked at while nothing
 * is told: of a killed process a server may still have something to do.
 */
async function statesIn(store: Store): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  let events: readonly ApprovalEvent[];
  do {
    events = await store.eventsAfter(null, 100_000, null);
    for (const id of new Set(events.map((event) => inShort(event)[0])))
      states.set(id, (await store.find(id))?.status ?? "unknown");
  } while ((await store.lastSeq()) !== (events.at(-1)?.seq ?? -1));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  const told = Map.groupBy(events.map(inShort), ([id]) => id);
  for (const [id, all] of told)
    expect([id, ...all.map(([, what]) => what)]).toEqual([id, ...tellingOf(states.get(id) ?? "unknown")]);
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
