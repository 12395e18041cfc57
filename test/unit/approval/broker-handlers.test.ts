import { describe, expect, test } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import type { Answer, ApprovalHandler, Asking } from "../../../src/approval/handler.ts";
import { BrokerHandler } from "../../../src/approval/handlers.ts";
import { atRest, bringing, desk, handlingAll, SILENCE } from "../../support/approval/desk.ts";
import { requestWith } from "../../support/approval/request.ts";
import { answering } from "../../support/approval/respondent.ts";

const ID = "approval-1";
const fail = (): Answer => {
  throw new Error("no terminal");
};

describe("of several handlers", () => {
  test("the first answer counts, and the others hear that it is over (S4-6)", async () => {
    const { broker, told } = desk();
    const heard: string[] = [];
    const listen =
      (name: string) =>
      (_: unknown, { signal }: Asking): Promise<Answer> => {
        signal.addEventListener("abort", () => heard.push(name));
        return new Promise(() => undefined);
      };
    const got = await broker.request(
      requestWith(),
      bringing([listen("a"), () => rejected("b", "no"), listen("c")]),
    );
    expect(got).toEqual(rejected("b", "no"));
    expect(heard).toEqual(["a", "c"]);
    expect(told()).toEqual(["approval.requested", "approval.resolved: no by b, no"]);
  });

  test("one may throw, and another answers", async () => {
    const { broker, told } = desk();
    expect(await broker.request(requestWith(), bringing([fail, () => approved("ann")]))).toEqual(
      approved("ann"),
    );
    expect(told()).toContain("approval.failed: no terminal");
  });

  test("all may throw: then nobody said no, and nothing runs (S3-14)", async () => {
    const { broker } = desk();
    expect(await broker.request(requestWith(), bringing([fail, fail]))).toEqual(
      rejected("nobody", "no person could be asked: no terminal"),
    );
    expect(await broker.find(ID)).toMatchObject({ status: "rejected" });
  });

  test("one may give an answer that can't be read: that is told as the fault of the program", async () => {
    const { broker } = desk();
    const broken = answering(() => ({ approved: true, sudo: true }));
    expect(await broker.request(requestWith(), { ...bringing([]), handlers: [broken] })).toEqual(
      rejected(
        "nobody",
        "the program's approval handler is broken: invalid answer: `sudo` is missing or not allowed",
      ),
    );
  });

  test("there may be none: then nobody was there", async () => {
    const { broker } = desk();
    expect(await broker.request(requestWith(), bringing([]))).toEqual(
      rejected("nobody", "no handler was available to ask"),
    );
  });

  test("one may leave it open, and another that answers is waited for (C2)", async () => {
    const { broker } = desk();
    const slow = async (): Promise<Answer> => {
      await atRest();
      return approved("ann");
    };
    expect(await broker.request(requestWith(), bringing([() => ({ status: "pending" }), slow]))).toEqual(
      approved("ann"),
    );
  });

  test("when those that did not throw left it open, it is, and can be answered later (S3-10, C2)", async () => {
    const { broker } = desk();
    const aborting = new AbortController();
    const open = bringing([() => ({ status: "pending" }), fail], { signal: aborting.signal });
    expect(await broker.request(requestWith(), open)).toEqual({ status: "pending" });
    // The call has ended; that it is let go now means nothing.
    aborting.abort();
    await atRest();
    expect(await broker.respond(ID, approved("ann"), "a page")).toBe("accepted");
    expect(await broker.claim(ID)).toBe(true);
  });
});

describe("a page that answers through its handler", () => {
  const waiting = (page: BrokerHandler) => ({ ...bringing([]), handlers: [page] });

  test("completes the one question of an id, once, and is told of any other (S0-23, S4-1)", async () => {
    const { broker } = desk();
    const page = new BrokerHandler();
    const held = broker.request(requestWith(), waiting(page));
    await atRest();
    expect(page.resolve("approval-2", approved("ann"))).toBe(false);
    expect(page.resolve(ID, approved("ann"))).toBe(true);
    expect(page.resolve(ID, rejected("bob"))).toBe(false);
    expect(await held).toEqual(approved("ann"));
  });

  test("is told that garbage is no answer, and the question waits on", async () => {
    const { broker } = desk();
    const page = new BrokerHandler();
    const held = broker.request(requestWith(), waiting(page));
    await atRest();
    for (const garbage of ["yes", { approved: "true" }, { status: "pending" }])
      expect(() => Reflect.apply(page.resolve, page, [ID, garbage])).toThrow("invalid answer");
    expect(page.resolve(ID, { approved: false, by: "ann" })).toBe(true);
    expect(await held).toEqual(rejected("ann"));
  });

  test("has nothing to answer once somebody else has", async () => {
    const { broker } = desk();
    const page = new BrokerHandler();
    const held = broker.request(requestWith(), waiting(page));
    await atRest();
    await broker.respond(ID, rejected("bob"), "a page");
    expect(await held).toEqual(rejected("bob"));
    expect(page.resolve(ID, approved("ann"))).toBe(false);
  });
});

describe("a handler that misbehaves", () => {
  const hostileError = new Error("x");
  Object.defineProperty(hostileError, "message", {
    get: () => {
      throw new Error("again");
    },
  });
  const noText = new Error("x");
  Object.defineProperty(noText, "message", { value: { toString: 1 } });
  const trap = new Proxy(
    {},
    {
      get: () => {
        throw new Error("trapped");
      },
      getPrototypeOf: () => {
        throw new Error("trapped");
      },
      ownKeys: () => {
        throw new Error("trapped");
      },
    },
  );
  const raise = (thrown: unknown): ApprovalHandler => ({
    requestApproval: () => {
      throw thrown;
    },
  });
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];

  const cases: readonly (readonly [what: string, handler: ApprovalHandler])[] = [
    ["throws at once", raise(new Error("boom"))],
    ["throws later", answering(async () => Promise.reject(new Error("boom")))],
    ["throws no error", raise(undefined)],
    ["throws an error that can't be read", raise(hostileError)],
    ["throws an error whose message is no text", raise(noText)],
    ["throws a trap", raise(trap)],
    ["throws a very long story", raise(new Error("x".repeat(1_000_000)))],
    ["answers nothing", answering(() => undefined)],
    ["answers null", answering(() => null)],
    ["answers true", answering(() => true)],
    ["answers a text", answering(() => "approved")],
    ["answers a function", answering(() => () => approved("x"))],
    ["answers a list", answering(() => [{ approved: true }])],
    ["answers a truthy text", answering(() => ({ approved: "true" }))],
    ["answers one", answering(() => ({ approved: 1 }))],
    ["answers an inherited yes", answering(() => Object.create({ approved: true }))],
    ["answers a yes and more", answering(() => ({ approved: true, sudo: true }))],
    ["answers a status that there is not", answering(() => ({ status: "APPROVED", scope: "once", by: "x" }))],
    ["answers a status that is none", answering(() => ({ status: Symbol("approved") }))],
    ["answers a trap", answering(() => [trap][0])],
    [
      "answers a yes that throws when read",
      answering(() =>
        Object.defineProperty({}, "approved", {
          enumerable: true,
          get: () => {
            throw new Error("read");
          },
        }),
      ),
    ],
    [
      "answers what is too deep",
      answering(() => ({ status: "approved", scope: "once", by: "x", editedInput: deep })),
    ],
    [
      "changes the request",
      answering((request) => {
        Object.assign(request, { tool: "other" });
        return approved("x");
      }),
    ],
    [
      "changes what is in the request",
      answering((request) => {
        Object.assign(Object(request.safeArgs), { env: "production" });
        return approved("x");
      }),
    ],
    ["is none", Object.create(null)],
  ];

  test.each(cases)(
    "%s is no yes, is written down, and harms no later question (S3-10, S3-14)",
    async (_, handler) => {
      await handlingAll(async () => {
        const { broker, written } = desk();
        const got = await broker.request(requestWith(), { ...bringing([]), handlers: [handler] });
        expect(got).toMatchObject({ status: "rejected", by: "nobody" });
        expect(written().map(({ type }) => type)).toEqual([
          "approval.requested",
          "approval.failed",
          "approval.resolved",
        ]);
        expect(written()).toMatchObject([{ request: { safeArgs: { env: "staging" } } }, {}, {}]);
        expect(JSON.stringify(written()).length).toBeLessThan(50_000);
        expect(broker.countWaiting("session-1")).toBe(0);
        const next = requestWith({ approvalId: "approval-2" });
        expect(await broker.request(next, bringing([() => approved("ann")]))).toEqual(approved("ann"));
      });
    },
  );

  test("asks through a promise that settles twice is heard once", async () => {
    const { broker, told } = desk();
    const settle = (take: (answer: Answer) => void): void => {
      take(rejected("ann"));
      take(approved("ann"));
    };
    const twice = answering(
      () => new Proxy({}, { get: (_, name) => (name === "then" ? settle : undefined) }),
    );
    expect(await broker.request(requestWith(), { ...bringing([]), handlers: [twice] })).toEqual(
      rejected("ann"),
    );
    expect(told()).toEqual(["approval.requested", "approval.resolved: no by ann"]);
  });

  test("answers by itself and through the broker is heard once, and told so (S4-6)", async () => {
    const { broker, told } = desk();
    const both = async (): Promise<Answer> => {
      await broker.respond(ID, rejected("ann"), "a page");
      return approved("ann");
    };
    expect(await broker.request(requestWith(), bringing([both]))).toEqual(rejected("ann"));
    await atRest();
    expect(told()).toEqual([
      "approval.requested",
      "approval.resolved: no by ann",
      "approval.ignored: duplicate by ann",
    ]);
  });

  test("hangs for ever holds up no other question, and the call can be given up", async () => {
    const { broker } = desk();
    const aborting = new AbortController();
    const held = broker.request(requestWith(), bringing([SILENCE], { signal: aborting.signal }));
    const next = requestWith({ approvalId: "approval-2" });
    expect(await broker.request(next, bringing([() => approved("ann")]))).toEqual(approved("ann"));
    aborting.abort();
    expect(await held).toMatchObject({ status: "rejected", by: "nobody" });
  });

  test("keeps what it was given can look at what waits and take grants back, never answer", async () => {
    const { broker, told } = desk();
    const kept: Asking[] = [];
    await broker.request(
      requestWith(),
      bringing([
        (_, asking) => {
          kept.push(asking);
          return rejected("ann");
        },
      ]),
    );
    await broker.saveGrant({
      kind: "call",
      grantId: "g",
      sessionId: "session-1",
      tool: "deploy",
      key: { cacheKey: "k", toolVersion: "", program: null, granted: null },
      covers: "every use of deploy",
      by: "ann",
      grantedAt: 0,
    });
    const [asking] = kept;
    expect(asking?.signal.aborted).toBe(true);
    expect(asking?.waiting()).toEqual([]);
    expect(await asking?.grants()).toHaveLength(1);
    expect(await asking?.revoke("g", "ann")).toBe(true);
    expect(await asking?.revoke("g", "ann")).toBe(false);
    expect(told().slice(-2)).toEqual(["grant.saved", "grant.revoked"]);
  });
});
