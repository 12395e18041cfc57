import { expect, test } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import type { ApprovalHandler, Asking, Lookup } from "../../../src/approval/handler.ts";
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
    await asking.tell({ type: "approval.ignored", by: "eve", because: "forbidden" });
    await asking.tell({ type: "approval.failed", reason: "the line is dead" });
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
  const handler = (_: unknown, { isHeld }: Asking) => {
    held.push(isHeld);
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
  const lookups: Lookup[] = [];
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
