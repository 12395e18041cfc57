import { describe, expect, test } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import type { ApprovalHandler, Asking, RequestLookup } from "../../../src/approval/handler.ts";
import { presentText } from "../../../src/approval/present.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { atRest, bringing, desk, SILENCE } from "../../support/approval/desk.ts";
import { requestWith } from "../../support/approval/request.ts";

const ID = "approval-1";
const PENDING = { status: "pending" } as const;

test("a handler that answers through what it was given is told what came of it", async () => {
  const { broker, told } = desk();
  const said: string[] = [];
  const handler = async (_: unknown, asking: Asking) => {
    said.push(await asking.respond(approved("ann")), await asking.respond(rejected("bob")));
    return PENDING;
  };
  expect(await broker.request(requestWith(), bringing([handler]))).toEqual(approved("ann"));
  await atRest();
  expect(said).toEqual(["accepted", "duplicate"]);
  expect(told()).toEqual([
    "approval.requested",
    "approval.resolved: yes by ann",
    "approval.ignored: duplicate by bob",
  ]);
});

test("one that tells of a stranger, or that it hears nothing, decides nothing by that", async () => {
  const { broker, written } = desk();
  const handler = async (_: unknown, asking: Asking) => {
    await asking.report({ type: "approval.ignored", by: "eve", because: "forbidden" });
    await asking.report({ type: "approval.failed", reason: "the line is dead" });
    return new Promise<never>(() => undefined);
  };
  const held = broker.request(requestWith(), bringing([handler]));
  await atRest();
  expect(written().slice(1)).toMatchObject([
    { type: "approval.ignored", approvalId: ID, by: "eve", because: "forbidden", callId: "call-1" },
    { type: "approval.failed", approvalId: ID, reason: "the line is dead", callId: "call-1" },
  ]);
  await broker.respond(ID, approved("ann"), "a page");
  expect(await held).toEqual(approved("ann"));
});

test("one knows whether a call stands still", async () => {
  const { broker } = desk();
  const held: boolean[] = [];
  const handler = (_: unknown, { isBlocking }: Asking) => {
    held.push(isBlocking);
    return approved("ann");
  };
  await broker.request(requestWith(), bringing([handler]));
  await broker.request(requestWith({ approvalId: "2" }), bringing([handler], { isBlocking: false }));
  await atRest();
  expect(held).toEqual([true, false]);
});

test("one that attends hears of it once all that waits was brought, and can look up what is over", async () => {
  const store = new MemoryStore({ now: () => 1_900_000_000_000 });
  const before = desk({ store });
  await before.broker.request(requestWith(), bringing([SILENCE], { isBlocking: false }));
  await before.broker.request(requestWith({ approvalId: "2" }), bringing([() => rejected("ann")]));
  await before.broker[Symbol.asyncDispose]();
  const { broker } = desk({ store, runId: "run-2" });
  const heard: string[] = [];
  const lookups: RequestLookup[] = [];
  const handler: ApprovalHandler = {
    requestApproval: ({ approvalId }) => {
      heard.push(approvalId);
      return new Promise(() => undefined);
    },
    attends: (requests) => {
      heard.push("attends");
      lookups.push(requests);
    },
  };
  await broker.attend(handler);
  expect(heard).toEqual([ID, "attends"]);
  const [requests] = lookups;
  expect(await requests?.find(ID)).toMatchObject({ status: "pending" });
  expect(await requests?.find("2")).toMatchObject({ status: "rejected", decision: rejected("ann") });
  expect(await requests?.find("3")).toBeNull();
});

describe("a presentation", () => {
  const shownTo: Asking[] = [];
  const look = (_: unknown, asking: Asking) => {
    shownTo.push(asking);
    return new Promise<never>(() => undefined);
  };

  test("is not made before it is asked for, and then once for all who ask (S1-10)", async () => {
    const { broker } = desk();
    let made = 0;
    const present = async () => {
      made += 1;
      return presentText(`made ${made}`);
    };
    shownTo.length = 0;
    await broker.request(requestWith(), bringing([look, look], { isBlocking: false, present }));
    await atRest();
    expect([shownTo.length, made]).toEqual([2, 0]);
    const [first, second] = await Promise.all(shownTo.map((asking) => asking.present()));
    expect(first).toEqual({ type: "text", content: "made 1" });
    expect(second).toBe(first);
    expect(await broker.present(ID)).toBe(first);
    expect(await shownTo[0]?.present()).toBe(first);
    expect(made).toBe(1);
  });

  test("that could not be made is tried again when it is asked for again (S1-10)", async () => {
    const { broker } = desk();
    let tries = 0;
    const present = () => {
      tries += 1;
      if (tries < 3) throw new Error(`try ${tries}`);
      return Promise.resolve(presentText("made"));
    };
    shownTo.length = 0;
    await broker.request(requestWith(), bringing([look, look], { isBlocking: false, present }));
    await atRest();
    const [one, other] = shownTo.map((asking) => asking.present());
    await expect(one).rejects.toThrow("try 1");
    await expect(other).rejects.toThrow("try 1");
    await expect(broker.present(ID)).rejects.toThrow("try 2");
    expect(await shownTo[1]?.present()).toEqual({ type: "text", content: "made" });
    expect(tries).toBe(3);
  });
});
