import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import type { Answer } from "../../../src/approval/handler.ts";
import { BrokerHandler } from "../../../src/approval/handlers.ts";
import { deadlineOf } from "../../../src/approval/wait.ts";
import { atRest, bringing, desk, handlingAll, NOW, SILENCE } from "../../support/approval/desk.ts";
import { requestWith } from "../../support/approval/request.ts";
import { asRespondent } from "../../support/approval/respondent.ts";

const ID = "approval-1";
const timers = (): number => process.getActiveResourcesInfo().filter((one) => one === "Timeout").length;

/** Whether no more timers than these are left soon; the test runner has some of its own, which come and go. */
async function timersFallTo(count: number): Promise<boolean> {
  for (let tries = 0; tries < 200 && timers() > count; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return timers() <= count;
}

describe("the time", () => {
  test("an answer in the last moment counts; one at the deadline does not, and is written down (S4-7)", async () => {
    const inTime = desk();
    const held = inTime.broker.request(requestWith({ expiresAt: NOW + 60_000 }), bringing([SILENCE]));
    await atRest();
    inTime.clock.now = NOW + 59_999;
    expect(await inTime.broker.respond(ID, approved("ann"), "a page")).toBe("accepted");
    expect(await held).toEqual(approved("ann"));

    const late = desk();
    const over = late.broker.request(requestWith({ expiresAt: NOW + 60_000 }), bringing([SILENCE]));
    await atRest();
    late.clock.now = NOW + 60_000;
    expect(await late.broker.pending()).toEqual([]);
    expect(await late.broker.respond(ID, approved("ann"), "a page")).toBe("expired");
    expect(await over).toEqual({ status: "expired" });
    expect(await late.broker.respond(ID, approved("ann"), "a page")).toBe("expired");
    expect(late.told()).toEqual([
      "approval.requested",
      "approval.expired",
      "approval.ignored: expired by ann",
      "approval.ignored: expired by ann",
    ]);
  });

  test("runs out by itself, and the answer that a handler gives later is written down and counts for nothing (S4-7, S0-37)", async () => {
    const { broker, told } = desk();
    const late = Promise.withResolvers<Answer>();
    const got = await broker.request(requestWith({ expiresAt: NOW + 20 }), bringing([() => late.promise]));
    expect(got).toEqual({ status: "expired" });
    late.resolve(approved("ann"));
    await atRest();
    expect(told()).toEqual(["approval.requested", "approval.expired", "approval.ignored: expired by ann"]);
  });

  test("runs out however the clock is set back, and a clock that is set forward ends it at the next answer", async () => {
    const back = desk();
    const held = back.broker.request(requestWith({ expiresAt: NOW + 20 }), bringing([SILENCE]));
    await atRest();
    back.clock.now = NOW - 3_600_000;
    expect(await held).toEqual({ status: "expired" });

    const forward = desk();
    const other = forward.broker.request(requestWith({ expiresAt: NOW + 3_600_000 }), bringing([SILENCE]));
    await atRest();
    forward.clock.now = NOW + 7_200_000;
    expect(await forward.broker.respond(ID, approved("ann"), "a page")).toBe("expired");
    expect(await other).toEqual({ status: "expired" });
  });

  test("of a year is not cut to none, and no timer is set for longer than there are", async () => {
    const { broker } = desk();
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on("warning", note);
    const year = 365 * 24 * 3_600_000;
    const held = broker.request(requestWith({ expiresAt: NOW + year }), bringing([SILENCE]));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await broker.respond(ID, approved("ann"), "a page")).toBe("accepted");
    expect(await held).toEqual(approved("ann"));
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  test("without end sets no timer (C6)", async () => {
    for (const wait of [
      { timeoutMs: null, onTimeout: "error", style: "block" },
      { timeoutMs: 1, onTimeout: "wait", style: "block" },
    ] as const)
      expect(deadlineOf(wait, NOW)).toBeNull();
    expect(deadlineOf({ timeoutMs: 1, onTimeout: "deny", style: "block" }, NOW)).toBe(NOW + 1);
    const { broker } = desk();
    const before = timers();
    const held = broker.request(requestWith({ expiresAt: null }), bringing([SILENCE]));
    await atRest();
    expect(await timersFallTo(before)).toBe(true);
    await broker.respond(ID, rejected("ann"), "a page");
    await held;
  });
});

describe("an answer", () => {
  test("that is none is refused, and the request waits on (C2)", async () => {
    const { broker } = desk();
    const held = broker.request(requestWith(), bringing([SILENCE]));
    await atRest();
    const respond = asRespondent(broker);
    for (const garbage of [undefined, "yes", { approved: "true" }, { status: "pending" }, { status: "ok" }])
      await expect(respond(ID, garbage)).rejects.toMatchObject({ code: "USAGE" });
    expect(await broker.pending()).toHaveLength(1);
    expect(await broker.respond(ID, { approved: true, by: "ann" }, "a page")).toBe("accepted");
    expect(await held).toEqual(approved("ann"));
  });

  test("to an id that there is not is written down, its words bounded (S0-23)", async () => {
    const { broker, written } = desk();
    expect(await broker.respond("x".repeat(99_999), approved("y".repeat(256)), "a page")).toBe("unknown");
    expect(written()).toMatchObject([{ type: "approval.ignored", because: "unknown", sessionId: "none" }]);
    expect(JSON.stringify(written()).length).toBeLessThan(40_000);
  });

  test.each([
    ["groupId", { groupId: "turn-1" }, ["a", "b"]],
    ["sessionId", { sessionId: "session-2" }, ["b", "c"]],
    ["runId", { runId: "run-2" }, ["c"]],
    ["all of them", {}, ["a", "b", "c", "d"]],
    ["two", { groupId: "turn-1", sessionId: "session-2" }, ["b"]],
  ] as const)(
    "to many by %s reaches those and no other, each with a decision of its own (S4-16)",
    async (_, filter, meant) => {
      const { broker, written } = desk();
      const given = {
        a: { groupId: "turn-1" },
        b: { groupId: "turn-1", sessionId: "session-2" },
        c: { runId: "run-2", sessionId: "session-2" },
        d: {},
      };
      const held = Object.entries(given).map(([approvalId, one]) =>
        broker.request(requestWith({ approvalId, ...one }), bringing([SILENCE])),
      );
      await atRest();
      expect(await broker.respondAll(filter, rejected("ann"), "a page")).toBe(meant.length);
      const ended = written().flatMap((event) =>
        event.type === "approval.resolved" ? [event.approvalId] : [],
      );
      expect(ended.toSorted()).toEqual(meant);
      expect(await broker.respondAll({}, approved("bob"), "a page")).toBe(4 - meant.length);
      await Promise.all(held);
    },
  );
});

describe("a call", () => {
  test("that is given up ends its question: the handler hears of it, and a later answer is too late", async () => {
    const { broker, told } = desk();
    const aborting = new AbortController();
    let heard = false;
    const held = broker.request(
      requestWith({ expiresAt: NOW + 60_000 }),
      bringing(
        [
          (_, { signal }) => {
            signal.addEventListener("abort", () => (heard = true));
            return new Promise(() => undefined);
          },
        ],
        { signal: aborting.signal },
      ),
    );
    await atRest();
    const before = timers();
    aborting.abort();
    expect(await held).toMatchObject({ status: "rejected", by: "nobody" });
    expect(heard).toBe(true);
    expect(await timersFallTo(before - 1)).toBe(true);
    expect(getEventListeners(aborting.signal, "abort")).toEqual([]);
    expect(await broker.respond(ID, approved("ann"), "a page")).toBe("duplicate");
    expect(told().at(-1)).toBe("approval.ignored: duplicate by ann");
  });

  test("that was given up before it began is asked about nobody", async () => {
    const { broker, told } = desk();
    let asked = 0;
    const handler = (): Answer => {
      asked += 1;
      return approved("auto");
    };
    const signal = AbortSignal.abort();
    expect(await broker.request(requestWith(), bringing([handler], { signal }))).toMatchObject({
      status: "rejected",
    });
    expect(asked).toBe(0);
    expect(told()).toEqual([
      "approval.requested",
      "approval.resolved: no by nobody, the call was cancelled before an answer",
    ]);
  });

  test("that does not wait has its answer later, and its own end means nothing to the request (C8)", async () => {
    const { broker, written } = desk();
    const aborting = new AbortController();
    const before = timers();
    const suspended = bringing([SILENCE], { isBlocking: false, signal: aborting.signal });
    for (const approvalId of [ID, ...Array.from({ length: 19 }, (_, index) => `other ${index}`)]) {
      const request = requestWith({ approvalId, expiresAt: NOW + 60_000 });
      expect(await broker.request(request, suspended)).toEqual({ status: "pending" });
    }
    aborting.abort();
    await atRest();
    expect(await broker.pending()).toHaveLength(20);
    // Timers that would keep the process alive are counted here.
    expect(await timersFallTo(before + 5)).toBe(true);
    expect(await broker.respond(ID, approved("ann"), "a page")).toBe("accepted");
    expect(written().at(-1)).toMatchObject({ type: "approval.resolved", approvalId: ID, approved: true });
    expect(await broker.find(ID)).toMatchObject({ status: "approved" });
  });

  test("that does not wait is told nothing of handlers that fail: somebody else may answer (C8)", async () => {
    const { broker, told } = desk();
    const fail = (): Answer => {
      throw new Error("no terminal");
    };
    expect(await broker.request(requestWith(), bringing([fail, fail], { isBlocking: false }))).toEqual({
      status: "pending",
    });
    await atRest();
    expect(told()).toEqual([
      "approval.requested",
      "approval.failed: no terminal",
      "approval.failed: no terminal",
    ]);
    expect(await broker.respond(ID, approved("ann"), "a page")).toBe("accepted");
  });
});

describe("the end of the broker", () => {
  test("answers every call that stands still with a no, which is written down, and leaves what was suspended (C17)", async () => {
    await handlingAll(async () => {
      const { broker, told, store } = desk();
      const page = new BrokerHandler();
      const held = broker.request(requestWith({ expiresAt: NOW + 60_000 }), {
        ...bringing([]),
        handlers: [page],
      });
      const suspended = requestWith({ approvalId: "approval-2", expiresAt: NOW + 60_000 });
      await broker.request(suspended, bringing([SILENCE], { isBlocking: false }));
      await atRest();
      const before = timers();
      await broker[Symbol.asyncDispose]();
      expect(await held).toEqual(rejected("nobody", "the supervisor has ended"));
      expect(told().at(-1)).toBe("approval.resolved: no by nobody, the supervisor has ended");
      expect(await timersFallTo(before - 1)).toBe(true);
      expect(page.resolve(ID, approved("ann"))).toBe(false);
      expect(await store.find(ID)).toMatchObject({ status: "rejected" });
      expect(await store.find("approval-2")).toMatchObject({ status: "pending" });
      expect(await broker.respond("approval-2", approved("ann"), "a page")).toBe("unknown");
      expect(await store.find("approval-2")).toMatchObject({ status: "pending" });
    });
  });

  test("in the middle of a request's beginning asks nobody, and nothing can be asked after it", async () => {
    await handlingAll(async () => {
      const { broker } = desk();
      const yes = (): Answer => approved("auto");
      const begun = broker.request(requestWith(), bringing([yes]));
      broker[Symbol.dispose]();
      const after = broker.request(requestWith({ approvalId: "approval-2" }), bringing([yes]));
      for (const one of [begun, after])
        expect(await one).toEqual(rejected("nobody", "the supervisor has ended"));
      expect(broker.countWaiting("session-1")).toBe(0);
    });
  });

  test("does not hear what a handler says after it", async () => {
    await handlingAll(async () => {
      const { broker, told } = desk();
      const [yes, failure] = [Promise.withResolvers<Answer>(), Promise.withResolvers<Answer>()];
      const held = broker.request(requestWith(), bringing([() => yes.promise, () => failure.promise]));
      await atRest();
      await broker[Symbol.asyncDispose]();
      const before = told();
      yes.resolve(approved("ann"));
      failure.reject(new Error("too late"));
      await atRest();
      expect(await held).toMatchObject({ status: "rejected" });
      expect(told()).toEqual(before);
    });
  });
});
