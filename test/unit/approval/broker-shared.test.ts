import { describe, expect, onTestFinished, test, vi } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import type { ApprovalHandler, Asking } from "../../../src/approval/handler.ts";
import type { Grant } from "../../../src/policy/grant.ts";
import type { ApprovalRequest } from "../../../src/policy/request.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import {
  atRest,
  bringing,
  type Desk,
  desk,
  handlingAll,
  NOW,
  SILENCE,
  SmallJournal,
} from "../../support/approval/desk.ts";
import { requestWith } from "../../support/approval/request.ts";

/** A store that outlives whoever uses it. */
class Lasting extends MemoryStore {
  override readonly outlivesProcess = true;
  isAway = false;
  isDown = false;

  override async eventsAfter(...given: Parameters<MemoryStore["eventsAfter"]>) {
    if (this.isDown) throw new Error("connection lost");
    return super.eventsAfter(...given);
  }

  override async keepAlive(runId: string, forMs: number): Promise<void> {
    if (this.isAway) throw new Error("nobody can be reached");
    return super.keepAlive(runId, forMs);
  }
}

/** Two processes at one store: each has a broker and a journal of its own. */
function shared(): { readonly here: Desk; readonly there: Desk; readonly store: Lasting; now: number } {
  const clock = { now: NOW };
  const store = new Lasting({ now: () => clock.now });
  const here = desk({ store });
  const there = desk({ store, runId: "run-2" });
  return {
    here,
    there,
    store,
    get now() {
      return clock.now;
    },
    set now(now) {
      clock.now = now;
      here.clock.now = now;
      there.clock.now = now;
    },
  };
}

/** Somebody who is asked, and answers when told to. */
class Person implements ApprovalHandler {
  readonly asked: { readonly request: ApprovalRequest; readonly asking: Asking }[] = [];

  async requestApproval(request: ApprovalRequest, asking: Asking): Promise<{ status: "pending" }> {
    this.asked.push({ request, asking });
    return { status: "pending" };
  }

  get ids(): readonly string[] {
    return this.asked.map(({ request }) => request.approvalId);
  }
}

const ID = "approval-1";

describe("an answer that another process takes", () => {
  test("reaches the call that waits, and stands in both records before it counts (S4-6)", async () => {
    await handlingAll(async () => {
      const { here, there } = shared();
      const held = here.broker.request(requestWith(), bringing([SILENCE]));
      await atRest();
      expect(await there.broker.respond(ID, approved("ann", { note: "go" }), "a page")).toBe("accepted");
      expect(await held).toEqual(approved("ann", { note: "go" }));
      expect(here.told()).toEqual(["approval.requested", "approval.resolved: yes by ann, go"]);
      expect(there.told()).toEqual(["approval.resolved: yes by ann, go"]);
      expect(here.broker.countWaiting("session-1")).toBe(0);
    });
  });

  test("is told once to those who follow every run, with the run that asked", async () => {
    const { here, there, store } = shared();
    const held = here.broker.request(requestWith(), bringing([SILENCE]));
    await atRest();
    await there.broker.respond(ID, rejected("ann"), "a page");
    await held;
    const events = await store.eventsAfter(null, 10, null);
    expect(events.map(({ type, runId, seq }) => [type, runId, seq])).toEqual([
      ["approval.requested", "run-1", 0],
      ["approval.resolved", "run-1", 1],
    ]);
  });

  test("counts for nothing where it can't be written down: the call fails, and it can't be run", async () => {
    await handlingAll(async () => {
      const journal = new SmallJournal();
      const store = new Lasting({ now: () => NOW });
      const [here, there] = [desk({ store, journal }), desk({ store, runId: "run-2" })];
      const held = here.broker.request(requestWith(), bringing([SILENCE]));
      await atRest();
      journal.isFull = true;
      expect(await there.broker.respond(ID, approved("ann"), "a page")).toBe("accepted");
      await expect(held).rejects.toThrow("ENOSPC");
      expect(await there.broker.find(ID)).toMatchObject({ status: "failed" });
      expect(await there.broker.claim(ID)).toBe(false);
    });
  });

  test("and one of our own at the same time: one of them counts, in both records", async () => {
    await handlingAll(async () => {
      for (let round = 0; round < 50; round += 1) {
        const { here, there } = shared();
        const held = here.broker.request(requestWith(), bringing([SILENCE]));
        await atRest();
        const said = await Promise.all([
          here.broker.respond(ID, approved("ann"), "a page"),
          there.broker.respond(ID, rejected("bob"), "a page"),
        ]);
        expect(said.toSorted()).toEqual(["accepted", "duplicate"]);
        const by = said[0] === "accepted" ? "ann" : "bob";
        expect(await held).toMatchObject({ by });
        await atRest();
        const resolved = here.written().filter(({ type }) => type === "approval.resolved");
        expect(resolved).toMatchObject([{ by }]);
      }
    });
  });

  test("is learned also when it comes while the request is still being kept: others may find it first", async () => {
    await handlingAll(async () => {
      const kept = Promise.withResolvers<void>();
      class Lagging extends Lasting {
        override async add(...given: Parameters<MemoryStore["add"]>): Promise<void> {
          await super.add(...given);
          await kept.promise;
        }
      }
      const store = new Lagging({ now: () => NOW });
      const [here, there] = [desk({ store }), desk({ store, runId: "run-2" })];
      let asked = 0;
      const held = here.broker.request(
        requestWith(),
        bringing([
          () => {
            asked += 1;
            return approved("the handler");
          },
        ]),
      );
      while ((await there.broker.pending()).length === 0) await atRest();
      expect(await there.broker.respond(ID, rejected("ann"), "a page")).toBe("accepted");
      await atRest();
      kept.resolve();
      expect(await held).toEqual(rejected("ann"));
      expect(asked).toBe(0);
      expect(here.told()).toEqual(["approval.requested", "approval.resolved: no by ann"]);
    });
  });

  test("is learned also when the store could not be read for a while", async () => {
    await handlingAll(async () => {
      const { here, there, store } = shared();
      const held = here.broker.request(requestWith(), bringing([SILENCE]));
      await atRest();
      store.isDown = true;
      await there.broker.respond(ID, approved("ann"), "a page");
      setTimeout(() => (store.isDown = false), 20);
      expect(await held).toEqual(approved("ann"));
    });
  });
});

describe("those who attend", () => {
  test("are asked what waited before they came, what comes, and what others ask; once each (S2-13, S2-14, S2-21)", async () => {
    const { here, there } = shared();
    const person = new Person();
    await here.broker.request(requestWith({ approvalId: "before" }), bringing([], { isBlocking: false }));
    using _attending = await there.broker.attend(person);
    await here.broker.request(requestWith({ approvalId: "after" }), bringing([], { isBlocking: false }));
    void there.broker.request(requestWith({ approvalId: "own", runId: "run-2" }), bringing([SILENCE]));
    await atRest();
    expect(person.ids).toEqual(["before", "after", "own"]);
    expect(await there.broker.respond("own", approved("ann"), "a page")).toBe("accepted");
  });

  test("of a process that was started again are asked again, with what there was to look at (S2-13, S4-17)", async () => {
    const { here, there } = shared();
    await here.broker.request(requestWith(), bringing([], { isBlocking: false }));
    await here.broker[Symbol.asyncDispose]();
    const person = new Person();
    using _attending = await there.broker.attend(person);
    await atRest();
    const [{ request, asking } = {}] = person.asked;
    expect(request).toEqual(requestWith());
    expect(await asking?.present()).toMatchObject({ type: "text", content: "deploy" });
  });

  test("hear when somebody else answered, and what", async () => {
    const { here, there } = shared();
    const person = new Person();
    using _attending = await there.broker.attend(person);
    await here.broker.request(requestWith(), bringing([], { isBlocking: false }));
    await atRest();
    const [{ asking } = {}] = person.asked;
    expect(asking?.signal.aborted).toBe(false);
    await here.broker.respond(ID, rejected("ann", "no"), "a page");
    await atRest();
    expect(asking?.signal.aborted).toBe(true);
    expect(await asking?.outcome()).toMatchObject({
      status: "rejected",
      decision: { by: "ann", note: "no" },
    });
  });

  test("answer for the process that asked", async () => {
    const { here, there } = shared();
    using _attending = await there.broker.attend({ requestApproval: async () => approved("ann") });
    expect(await here.broker.request(requestWith(), bringing([SILENCE]))).toEqual(approved("ann"));
  });

  test("are asked what came while the store could not be read", async () => {
    const { here, there, store } = shared();
    const person = new Person();
    using _attending = await there.broker.attend(person);
    store.isDown = true;
    await here.broker.request(requestWith(), bringing([], { isBlocking: false }));
    await atRest();
    expect(person.ids).toEqual([]);
    store.isDown = false;
    await vi.waitFor(() => expect(person.ids).toEqual([ID]), { timeout: 5_000 });
  });

  test("are asked nothing more when they have left", async () => {
    const { here, there } = shared();
    const person = new Person();
    (await there.broker.attend(person))[Symbol.dispose]();
    await here.broker.request(requestWith(), bringing([], { isBlocking: false }));
    await atRest();
    expect(person.asked).toEqual([]);
  });

  test("keep notes that they find again", async () => {
    const { here, there } = shared();
    const person = new Person();
    await here.broker.request(requestWith(), bringing([], { handlers: [person], isBlocking: false }));
    await atRest();
    await person.asked[0]?.asking.note("chat", "message 7");
    await here.broker[Symbol.asyncDispose]();
    using _attending = await there.broker.attend(person);
    await atRest();
    expect(await person.asked[1]?.asking.noted("chat")).toBe("message 7");
  });
});

describe("what a process leaves", () => {
  const grant: Grant = {
    kind: "call",
    grantId: "g1",
    sessionId: "session-1",
    tool: "deploy",
    key: { cacheKey: "k", toolVersion: "1", program: null, granted: null },
    covers: "every use of deploy",
    by: "ann",
    grantedAt: NOW,
  };

  test("open can be answered and run by another, once (S4-19)", async () => {
    const { here, there } = shared();
    const call = { input: { env: "staging" }, cwd: "/w" } as const;
    await here.broker.request(requestWith(), bringing([], { isBlocking: false, call }));
    await here.broker[Symbol.asyncDispose]();
    expect(await there.broker.pending()).toEqual([requestWith()]);
    expect(await there.broker.respond(ID, approved("ann"), "a page")).toBe("accepted");
    expect(await there.broker.callOf(ID)).toEqual(call);
    expect(await there.broker.claim(ID)).toBe(true);
    expect(await there.broker.claim(ID)).toBe(false);
  });

  test("taken and not ended fails when it is not heard of any more, and is not run again", async () => {
    const fates = shared();
    const { here, there, store } = fates;
    await here.broker.request(requestWith(), bringing([], { isBlocking: false }));
    await there.broker.respond(ID, approved("ann"), "a page");
    expect(await here.broker.claim(ID)).toBe(true);
    await there.broker.sweep();
    expect(await there.broker.find(ID)).toMatchObject({ status: "executing" });
    await store.keepAlive("run-1", 0);
    expect(await there.broker.find(ID)).toMatchObject({ status: "failed" });
    expect(await there.broker.claim(ID)).toBe(false);
    expect(there.told()).toEqual(["approval.resolved: yes by ann", "approval.abandoned"]);
  });

  type Beat = (ms: number) => Promise<void>;
  test.each([
    ["the machine slept", async (_: Lasting, beat: Beat) => beat(3_600_000)],
    [
      "the store was away",
      async (store: Lasting, beat: Beat) => {
        // The other one said last of all that it is there.
        for (const run of ["run-1", "run-3"]) await store.keepAlive(run, 15_000);
        store.isAway = true;
        await beat(8_000);
        await beat(8_000);
        store.isAway = false;
        await beat(4_000);
      },
    ],
  ])(
    "taken by a run that is not heard of after %s is left to it, and fails when that does not come back",
    async (_, happens) => {
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
      onTestFinished(() => void vi.useRealTimers());
      const fates = shared();
      const { here, there, store } = fates;
      const beat = async (ms: number): Promise<void> => {
        fates.now += ms;
        await vi.advanceTimersByTimeAsync(10_000);
      };
      // The other one's beat comes first each time.
      for (const [{ broker }, approvalId] of [
        [there, "lost"],
        [here, "kept"],
      ] as const) {
        await broker.request(requestWith({ approvalId }), bringing([], { isBlocking: false }));
        await there.broker.respond(approvalId, approved("ann"), "a page");
      }
      await store.keepAlive("run-3", 30_000);
      expect([await store.claim("lost", "run-3"), await here.broker.claim("kept")]).toEqual([true, true]);
      await happens(store, beat);
      const states = async () =>
        Promise.all(["lost", "kept"].map(async (id) => (await store.find(id))?.status));
      expect(await states()).toEqual(["executing", "executing"]);
      await beat(10_000);
      expect(await states()).toEqual(["failed", "executing"]);
    },
  );

  test("unanswered expires, and granted is taken back, by whoever looks after it", async () => {
    const fates = shared();
    const { here, there, store } = fates;
    const timed = requestWith({ expiresAt: NOW + 1_000 });
    await here.broker.request(timed, bringing([], { isBlocking: false }));
    await here.broker.saveGrant(grant);
    await there.broker.sweep();
    expect(await there.broker.grants(null)).toEqual([grant]);
    await store.keepAlive("run-1", 0);
    fates.now = NOW + 1_000;
    await Promise.all([there.broker.sweep(), here.broker.sweep()]);
    expect(await there.broker.find(ID)).toMatchObject({ status: "expired" });
    expect(await there.broker.grants(null)).toEqual([]);
    const events = await store.eventsAfter(null, 10, null);
    expect(events.map(({ type }) => type)).toEqual([
      "approval.requested",
      "grant.saved",
      "approval.expired",
      "grant.revoked",
    ]);
  });

  test("unanswered expires when another run begins: none may last until it looks after others", async () => {
    const fates = shared();
    const { here, there, store } = fates;
    const bring = bringing([], { isBlocking: false, call: { input: "x", cwd: "/srv/shop" } });
    await here.broker.request(requestWith({ expiresAt: NOW + 1_000 }), bring);
    await here.broker.request(requestWith({ approvalId: "later", expiresAt: NOW + 2_000 }), bring);
    await here.broker[Symbol.asyncDispose]();
    fates.now = NOW + 1_500;
    expect([await store.belongings(ID), await store.find(ID)]).toMatchObject([{}, { status: "pending" }]);
    await there.broker.request(requestWith({ approvalId: "new" }), bring);
    expect([await store.belongings(ID), await store.find(ID)]).toMatchObject([null, { status: "expired" }]);
    expect(await store.find("later")).toMatchObject({ status: "pending" });
  });

  test("says that it has ended when it ends", async () => {
    const { here, there, store } = shared();
    await here.broker.saveGrant(grant);
    expect(await store.isAlive("run-1")).toBe(true);
    await here.broker[Symbol.asyncDispose]();
    expect(await store.isAlive("run-1")).toBe(false);
    await there.broker.sweep();
    expect(await there.broker.grants(null)).toEqual([]);
  });
});

test("what there is to look at is made before anybody elsewhere can ask for it, and its lack keeps nobody from being asked", async () => {
  const { here, there } = shared();
  const failing = bringing([SILENCE], {
    isBlocking: false,
    present: () => Promise.reject(new Error("it can't be made")),
  });
  await here.broker.request(requestWith(), bringing([SILENCE], { isBlocking: false }));
  await here.broker.request(requestWith({ approvalId: "approval-2" }), failing);
  expect(await there.broker.present(ID)).toMatchObject({ content: "deploy" });
  expect(await there.broker.present("approval-2")).toBeNull();
  expect(await there.broker.pending()).toHaveLength(2);
});
