import { describe, expect, test } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import type { Answer } from "../../../src/approval/handler.ts";
import { createGate, type GateSettings } from "../../../src/call/create-gate.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import { atRest, handlingAll, SILENCE } from "../../support/approval/desk.ts";

const deploy = defineTool({ name: "deploy", run: () => "deployed" });
const denied = (reason: string) => ({ kind: "denied", code: "APPROVAL_DENIED", reason });

describe("three noes to the same", () => {
  test("are enough: nobody is asked about it any more, and anything else is asked about as before", async () => {
    let asked = 0;
    using gate = createGate({
      handler: ({ safeArgs }) => {
        asked += 1;
        return JSON.stringify(safeArgs).includes("staging") ? rejected("ann", "no") : approved("ann");
      },
    });
    const tools = gate.guard([deploy]);
    for (let time = 0; time < 3; time += 1)
      expect(await tools.call("deploy", { env: "staging" })).toMatchObject(denied("rejected by ann: no"));
    expect(asked).toBe(3);
    expect(await tools.call("deploy", { env: "staging" })).toMatchObject(
      denied("the same call was rejected three times in this session"),
    );
    expect(asked).toBe(3);
    expect(await tools.call("deploy", { env: "production" })).toEqual({ kind: "done", value: "deployed" });
    expect(asked).toBe(4);
  });

  test("are a person's: that nobody answered, or that a handler failed, counts for none", async () => {
    let asked = 0;
    const answers: readonly (() => Answer | Promise<Answer>)[] = [
      () => {
        throw new Error("no terminal");
      },
      () => new Promise(() => undefined),
    ];
    using gate = createGate({
      approval: { timeout: "10ms" },
      handler: () => {
        asked += 1;
        const answer = answers[asked % 2] ?? SILENCE;
        return asked > 6 ? approved("ann") : Reflect.apply(answer, undefined, []);
      },
    });
    const tools = gate.guard([deploy]);
    for (let time = 0; time < 6; time += 1)
      expect(await tools.call("deploy", {})).toMatchObject({ kind: "denied" });
    expect(await tools.call("deploy", {})).toMatchObject({ kind: "done" });
  });

  const suspending = (more: Parameters<typeof createGate>[0] = {}) =>
    createGate({ handler: SILENCE, wait: { style: "suspend" }, approval: { most_pending: 2_000 }, ...more });

  test("may come late: an answer to a request that was left open counts, a dismissal does not", async () => {
    using gate = suspending();
    const tools = gate.guard([deploy]);
    const ids: string[] = [];
    for (let time = 0; time < 4; time += 1) {
      const left = await tools.call("deploy", {});
      if (left.kind === "pending") ids.push(left.approvalId);
    }
    const [first = "", second = "", third = "", fourth = ""] = ids;
    await gate.broker.decide(first, rejected("nobody", "obsolete"), "nobody");
    for (const id of [second, third]) await gate.broker.respond(id, rejected("ann"), "a page");
    expect(await tools.call("deploy", {})).toMatchObject({ kind: "pending" });
    await gate.broker.respond(fourth, rejected("ann"), "a page");
    for (let time = 0; time < 2; time += 1)
      expect(await tools.call("deploy", {})).toMatchObject({ kind: "denied" });
    expect(await tools.call("deploy", { env: "other" })).toMatchObject({ kind: "pending" });
  });

  test("are counted for a thousand calls, of which the one that was asked about longest ago is forgotten", async () => {
    using gate = createGate({ handler: () => rejected("ann", "no") });
    const tools = gate.guard([deploy]);
    const reasonOf = async (index: number) => {
      const outcome = await tools.call("deploy", { index });
      return outcome.kind === "denied" ? outcome.reason : outcome.kind;
    };
    for (let time = 0; time < 3; time += 1) await reasonOf(0);
    for (let index = 1; index < 1_000; index += 1) await reasonOf(index);
    expect(await reasonOf(0)).not.toBe("rejected by ann: no");
    await reasonOf(1_000);
    expect(await reasonOf(0)).toBe("rejected by ann: no");
  });
});

describe("twenty questions of a session", () => {
  test("are the most that wait: the next is refused and says so, and after an answer there is room again", async () => {
    await handlingAll(async () => {
      using gate = createGate({ handler: SILENCE });
      const tools = gate.guard([deploy]);
      const held = Array.from({ length: 20 }, (_, index) => tools.call("deploy", { index }));
      await atRest();
      expect(await tools.call("deploy", { index: 20 })).toMatchObject(
        denied("20 requests of this session already wait for an answer"),
      );
      const [first] = await gate.broker.pending();
      await gate.broker.respond(first?.approvalId ?? "", approved("ann"), "a page");
      expect(await held[0]).toMatchObject({ kind: "done" });
      const next = tools.call("deploy", { index: 21 });
      await atRest();
      expect(gate.broker.countWaiting(gate.sessionId)).toBe(20);
      expect(await gate.broker.respondAll({}, rejected("ann"), "a page")).toBe(20);
      expect((await Promise.all([...held.slice(1), next])).every(({ kind }) => kind === "denied")).toBe(true);
    });
  });

  test("are no other session's, also of the same broker", async () => {
    using one = createGate({ handler: SILENCE, approval: { most_pending: 1 } });
    using other = createGate({ handler: () => approved("ann"), approval: { most_pending: 1 } });
    const held = one.guard([deploy]).call("deploy", {});
    await atRest();
    expect(await one.guard([deploy]).call("deploy", { a: 1 })).toMatchObject({ kind: "denied" });
    expect(await other.guard([deploy]).call("deploy", {})).toMatchObject({ kind: "done" });
    expect(one.broker.countWaiting(other.sessionId)).toBe(0);
    await one.broker.respondAll({}, rejected("ann"), "a page");
    await held;
  });
});

describe("when nobody answers in time", () => {
  test.each([
    ["error", "APPROVAL_TIMEOUT"],
    ["deny", "APPROVAL_DENIED"],
  ] as const)("`on_timeout: %s` fails the call with %s (C6, S0-37, S3-10, S4-7)", async (onTimeout, code) => {
    using gate = createGate({ handler: SILENCE, approval: { timeout: "10ms", on_timeout: onTimeout } });
    expect(await gate.guard([deploy]).call("deploy", {})).toMatchObject({
      kind: "denied",
      code,
      reason: "the request was not answered in time",
    });
  });

  test("`on_timeout: wait` goes on waiting (C6, S2-22)", async () => {
    using gate = createGate({ handler: SILENCE, approval: { timeout: "1ms", on_timeout: "wait" } });
    const held = gate.guard([deploy]).call("deploy", {});
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await gate.broker.pending()).toMatchObject([{ expiresAt: null }]);
    await gate.broker.respondAll({}, approved("ann"), "a page");
    expect(await held).toMatchObject({ kind: "done" });
  });

  test("that is five minutes where nothing else is said (S0-37)", async () => {
    using gate = createGate({ handler: SILENCE });
    const held = gate.guard([deploy]).call("deploy", {});
    await atRest();
    const [request] = await gate.broker.pending();
    expect((request?.expiresAt ?? 0) - (request?.createdAt ?? 0)).toBe(300_000);
    await gate.broker.respondAll({}, rejected("ann"), "a page");
    await held;
  });
});

describe("a call that is suspended", () => {
  const DAY_MS = 24 * 3_600_000;
  const lasts = async (settings: GateSettings): Promise<number | null> => {
    using gate = createGate({ ...settings, wait: { style: "suspend", ...settings.wait } });
    await gate.guard([deploy]).call("deploy", {});
    const [request] = await gate.broker.pending();
    if (request === undefined) throw new Error("nothing waits");
    return request.expiresAt === null ? null : request.expiresAt - request.createdAt;
  };

  test("approve.bound: can be answered for a week where nothing else is said, and never without an end by itself", async () => {
    expect(await lasts({})).toBe(7 * DAY_MS);
    expect(await lasts({ approval: { timeout: "1m" } })).toBe(7 * DAY_MS);
    expect(await lasts({ approval: { wait: "suspend", keep: "30d" } })).toBe(30 * DAY_MS);
    expect(await lasts({ approval: { keep: "2h" } })).toBe(2 * 3_600_000);
  });

  test("ends when somebody says so, and has no end where somebody says that", async () => {
    expect(await lasts({ approval: { timeout: "1m", on_timeout: "deny" } })).toBe(60_000);
    expect(await lasts({ wait: { timeoutMs: 60_000 } })).toBe(60_000);
    expect(await lasts({ approval: { on_timeout: "wait" } })).toBeNull();
    expect(await lasts({ wait: { timeoutMs: null } })).toBeNull();
    expect(await lasts({ wait: { onTimeout: "wait" } })).toBeNull();
  });
});

test("a call that is suspended says under which id it waits, and runs once, when it comes back with a yes (C8, S3-10, S2-24)", async () => {
  using gate = createGate({ handler: SILENCE, wait: { style: "suspend" } });
  let runs = 0;
  const tools = gate.guard([defineTool({ name: "deploy", run: () => (runs += 1) })]);
  const left = await tools.call("deploy", {});
  const approvalId = left.kind === "pending" ? left.approvalId : "";
  expect(await tools.call("deploy", {}, { approvalId })).toMatchObject({ kind: "pending", approvalId });
  expect(await gate.broker.respond(approvalId, approved("ann"), "a page")).toBe("accepted");
  expect(await gate.broker.respond(approvalId, rejected("bob"), "a page")).toBe("duplicate");
  expect(await tools.call("deploy", {}, { approvalId })).toEqual({ kind: "done", value: 1 });
  expect(await tools.call("deploy", {}, { approvalId })).toMatchObject(
    denied("this approval was used already"),
  );
  expect(runs).toBe(1);
});
