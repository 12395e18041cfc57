import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import type { Answer } from "../../../src/approval/handler.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { atRest, bringing, type Desk, desk, handlingAll, NOW, SILENCE } from "../../support/approval/desk.ts";
import { requestWith } from "../../support/approval/request.ts";
import { SlowStore, turns } from "../../support/approval/slow-store.ts";

const ID = "approval-1";

/** A store in which a request can be found before whoever adds it knows that. */
class LaggingStore extends MemoryStore {
  override readonly outlivesProcess = true;
  readonly added = Promise.withResolvers<void>();

  constructor() {
    super({ now: () => NOW });
  }

  override async add(...given: Parameters<MemoryStore["add"]>): Promise<void> {
    await super.add(...given);
    await this.added.promise;
  }
}

const decisionsIn = ({ written }: Desk): number =>
  written().filter(({ type }) => type === "approval.resolved" || type === "approval.expired").length;

test("approve.race: of answers to two processes at once one decides, and the record of the one that asked has it once", async () => {
  const answer = fc.record({ isYes: fc.boolean(), after: fc.nat(40), isHere: fc.boolean() });
  const delays = fc.array(fc.nat(12), { maxLength: 8 });
  await handlingAll(() =>
    fc.assert(
      fc.asyncProperty(
        fc.array(answer, { minLength: 1, maxLength: 6 }),
        fc.option(fc.nat(40)),
        delays,
        async (answers, abortAfter, delaysOf) => {
          const store = new SlowStore(delaysOf, { now: () => NOW, outlivesProcess: true });
          const [here, there] = [desk({ store }), desk({ store, runId: "run-2" })];
          using _attending = await there.broker.attend({
            requestApproval: () => new Promise(() => undefined),
          });
          const aborting = new AbortController();
          const held = here.broker.request(requestWith(), bringing([SILENCE], { signal: aborting.signal }));
          const given = answers.map(async ({ isYes, after, isHere }, index) => {
            await turns(after);
            const by = `person ${index}`;
            return (isHere ? here : there).broker.respond(ID, isYes ? approved(by) : rejected(by), by);
          });
          const abort = turns(abortAfter ?? 41).then(() => {
            if (abortAfter !== null) aborting.abort();
          });
          const [said] = await Promise.all([Promise.all(given), abort]);
          await atRest();
          await there.broker.respond(ID, rejected("the last"), "nobody else");
          const got = await held;
          await atRest();
          expect(decisionsIn(here)).toBe(1);
          expect(decisionsIn(there)).toBeLessThanOrEqual(1);
          expect((await store.find(ID))?.decision).toEqual(got);
          const accepted = said.flatMap((one, index) => (one === "accepted" ? [`person ${index}`] : []));
          expect(accepted.length).toBeLessThanOrEqual(1);
          for (const by of accepted) expect(got).toMatchObject({ by });
          for (const { broker } of [here, there]) expect(broker.countWaiting("session-1")).toBe(0);
          expect(getEventListeners(aborting.signal, "abort")).toEqual([]);
          for (const { broker } of [here, there]) await broker[Symbol.asyncDispose]();
        },
      ),
      { numRuns: 300 },
    ),
  );
});

describe("while a request is being stored", () => {
  let asked = 0;
  const yes = (): Answer => {
    asked += 1;
    return approved("the handler");
  };
  const begun = (more: Parameters<typeof bringing>[1] = {}) => {
    asked = 0;
    const store = new LaggingStore();
    const at = desk({ store });
    return { ...at, store, held: at.broker.request(requestWith(), bringing([yes], more)) };
  };

  test("its call may be given up: nobody is asked, and it is rejected", async () => {
    await handlingAll(async () => {
      const aborting = new AbortController();
      const { store, held, told } = begun({ signal: aborting.signal });
      await atRest();
      aborting.abort();
      store.added.resolve();
      expect(await held).toMatchObject({ status: "rejected", by: "nobody" });
      expect(asked).toBe(0);
      expect(await store.find(ID)).toMatchObject({ status: "rejected" });
      expect(told()).toEqual([
        "approval.requested",
        "approval.resolved: no by nobody, the call was cancelled before an answer",
      ]);
      expect(getEventListeners(aborting.signal, "abort")).toEqual([]);
    });
  });

  test("the broker may end: a call that waits gets a no, which is stored; one that does not stays open", async () => {
    await handlingAll(async () => {
      for (const isBlocking of [true, false]) {
        const { store, held, broker } = begun({ isBlocking });
        await atRest();
        const ending = broker[Symbol.asyncDispose]();
        await atRest();
        store.added.resolve();
        await ending;
        const no = rejected("nobody", "the supervisor has ended");
        expect(await held).toEqual(isBlocking ? no : { status: "pending" });
        expect(await store.find(ID)).toMatchObject({ status: isBlocking ? "rejected" : "pending" });
        expect([asked, broker.countWaiting("session-1")]).toEqual([0, 0]);
      }
    });
  });

  test("it may be answered, and then storing it fails: the call fails, and nothing waits", async () => {
    await handlingAll(async () => {
      const { store, held, broker } = begun();
      await atRest();
      const answered = broker.respond(ID, approved("ann"), "a page");
      store.added.reject(new Error("connection lost"));
      await expect(held).rejects.toThrow("connection lost");
      await answered;
      expect([asked, broker.countWaiting("session-1")]).toEqual([0, 0]);
    });
  });

  test("an answer that came too early to be the first keeps nobody from being asked", async () => {
    await handlingAll(async () => {
      class Refusing extends LaggingStore {
        override async resolve(...given: Parameters<MemoryStore["resolve"]>) {
          if (given[1].status === "rejected") throw new Error("connection lost");
          return super.resolve(...given);
        }
      }
      asked = 0;
      const store = new Refusing();
      const { broker } = desk({ store });
      const held = broker.request(requestWith(), bringing([yes]));
      await atRest();
      const answered = broker.respond(ID, rejected("ann"), "a page");
      store.added.resolve();
      await expect(answered).rejects.toThrow("connection lost");
      expect(await held).toEqual(approved("the handler"));
      expect(asked).toBe(1);
    });
  });
});

test("an answer that the store tells before its own process has recorded it is recorded once, and dismisses once", async () => {
  await handlingAll(async () => {
    const told = Promise.withResolvers<void>();
    class TellsFirst extends MemoryStore {
      override async resolve(...given: Parameters<MemoryStore["resolve"]>) {
        const resolution = await super.resolve(...given);
        await told.promise;
        return resolution;
      }
    }
    const at = desk({ store: new TellsFirst({ now: () => NOW }) });
    let dismissed = 0;
    const held = at.broker.request(
      requestWith(),
      bringing([
        (_, { signal }) => {
          signal.addEventListener("abort", () => (dismissed += 1));
          return new Promise(() => undefined);
        },
      ]),
    );
    await atRest();
    const answered = at.broker.respond(ID, approved("ann"), "a page");
    await atRest();
    expect([dismissed, decisionsIn(at)]).toEqual([0, 0]);
    told.resolve();
    expect(await answered).toBe("accepted");
    expect(await held).toEqual(approved("ann"));
    await atRest();
    expect([dismissed, decisionsIn(at)]).toEqual([1, 1]);
  });
});

test("handlers whose attending can't begin are asked nothing", async () => {
  let isDown = true;
  class Failing extends MemoryStore {
    override async pending() {
      if (isDown) throw new Error("connection lost");
      return super.pending();
    }
  }
  const { broker } = desk({ store: new Failing({ now: () => NOW }) });
  let asked = 0;
  const handler = {
    requestApproval: (): Promise<Answer> => {
      asked += 1;
      return new Promise(() => undefined);
    },
  };
  await expect(broker.attend(handler)).rejects.toThrow("connection lost");
  isDown = false;
  await broker.request(requestWith(), bringing([], { isBlocking: false }));
  expect(asked).toBe(0);
});
