import { describe, expect, test } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import type { PendingBounds } from "../../../src/approval/pending-request.ts";
import { createGate, type GateSettings } from "../../../src/call/create-gate.ts";
import type { KeptCall } from "../../../src/policy/kept-call.ts";
import type { ApprovalRequest } from "../../../src/policy/request.ts";
import { joinPath } from "../../../src/profile/path.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { SqliteStore } from "../../../src/store/sqlite.ts";
import type { Store } from "../../../src/store/store.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import { atRest, bringing, desk, NOW, SILENCE } from "../../support/approval/desk.ts";
import { requestWith } from "../../support/approval/request.ts";
import { folderOfTest } from "../../support/store/folders.ts";

const KIB = 1_024;
const send = defineTool({ name: "send", run: () => "sent" });
/** A call whose input takes so much. */
const callOf = (bytes: number): KeptCall => ({ input: "x".repeat(bytes), cwd: "/srv/shop" });

const STORES: readonly (readonly [kind: string, open: () => () => Store])[] = [
  [
    "in memory",
    () => {
      const store = new MemoryStore({ now: () => NOW });
      return () => store;
    },
  ],
  [
    "in a file",
    () => {
      const file = joinPath(folderOfTest("disk"), "approvals.sqlite");
      return () => new SqliteStore(file, { now: () => NOW });
    },
  ],
];

/** Asks as a client of one project, in whatever session; what came of it. */
async function ask(
  at: ReturnType<typeof desk>,
  given: Partial<ApprovalRequest>,
  bounds: Partial<PendingBounds> = {},
  call: KeptCall | null = null,
) {
  const request = requestWith({ client: "mcp", project: "/srv/shop", ...given });
  const all = { maxPending: 3, maxPendingBytes: 100 * KIB, ...bounds };
  const answer = await at.broker.request(request, bringing([], { isBlocking: false, call, bounds: all }));
  return answer.status === "not-sent" ? answer.reason : answer.status;
}

describe.each(STORES)("what waits of one client, %s", (_kind, opening) => {
  test("approve.bound: is bounded over all its sessions, and over every process that was or is", async () => {
    const open = opening();
    const before = desk({ store: open() });
    const all = [];
    for (const n of [1, 2, 3, 4])
      all.push(await ask(before, { approvalId: `a${n}`, sessionId: `session-${n}` }));
    const full = "3 requests of this client already wait for an answer";
    expect(all).toEqual(["pending", "pending", "pending", full]);
    // What is refused leaves nothing behind: no request, no line, nobody who was asked.
    expect(await before.broker.find("a4")).toBeNull();
    expect(before.told()).toEqual(Array.from({ length: 3 }, () => "approval.requested"));
    await before.broker[Symbol.asyncDispose]();

    const after = desk({ store: open(), runId: "run-2" });
    expect(await ask(after, { approvalId: "b1", sessionId: "session-5" })).toBe(full);
    expect(await ask(after, { approvalId: "b2", client: "other" })).toBe("pending");
    expect(await ask(after, { approvalId: "b3", project: "/srv/wiki" })).toBe("pending");
    expect(await ask(after, { approvalId: "b4", client: undefined })).toBe("pending");
    expect(await after.broker.respond("a2", rejected("ann"), "a page")).toBe("accepted");
    expect(await ask(after, { approvalId: "b5", sessionId: "session-5" })).toBe("pending");
    expect(await ask(after, { approvalId: "b6", sessionId: "session-6" }, { maxPending: null })).toBe(
      "pending",
    );
  });

  test("approve.bound: is bounded in bytes as well, also of those that another process asked", async () => {
    const open = opening();
    const before = desk({ store: open() });
    const call = callOf(40 * KIB);
    const large = "the pending requests of this client would take more than 100KiB";
    for (const [n, came] of [
      [1, "pending"],
      [2, "pending"],
      [3, large],
    ] as const)
      expect(await ask(before, { approvalId: `a${n}`, sessionId: `session-${n}` }, {}, call)).toBe(came);
    expect(await ask(before, { approvalId: "small", sessionId: "session-3" }, {}, callOf(10))).toBe(
      "pending",
    );
    await before.broker[Symbol.asyncDispose]();
    const after = desk({ store: open(), runId: "run-2" });
    const plenty = { maxPending: 10 };
    expect(await ask(after, { approvalId: "b1", sessionId: "session-4" }, plenty, call)).toBe(large);
    await after.broker.respond("a1", rejected("ann"), "a page");
    expect(await ask(after, { approvalId: "b2", sessionId: "session-4" }, plenty, call)).toBe("pending");
  });

  test("is bounded however many are asked at once", async () => {
    const at = desk({ store: opening()() });
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, n) => ask(at, { approvalId: `a${n}`, sessionId: `session-${n}` })),
    );
    expect(all.filter((one) => one === "pending")).toHaveLength(3);
    expect(await at.broker.pending()).toHaveLength(3);
  });
});

describe("what is kept for the questions of a session", () => {
  const small: GateSettings = {
    wait: { style: "suspend" },
    approval: { most_pending_size: "64KiB" },
  };

  test("is bounded, and after an answer there is room again", async () => {
    using gate = createGate(small);
    const tools = gate.guard([send]);
    const input = { text: "x".repeat(40 * KIB) };
    expect(await tools.call("send", { ...input, n: 1 })).toMatchObject({ kind: "pending" });
    expect(await tools.call("send", { ...input, n: 2 })).toEqual({
      kind: "denied",
      code: "APPROVAL_DENIED",
      reason: "the pending requests of this session would take more than 64KiB",
      hint: "wait for answers, or make a smaller call",
      deniedBy: "queue",
    });
    expect(await tools.call("send", { n: 3 })).toMatchObject({ kind: "pending" });
    await gate.broker.respondAll({}, approved("ann"), "a page");
    expect(await tools.call("send", { ...input, n: 4 })).toMatchObject({ kind: "pending" });
  });

  test("counts for a call that stands still, and no more when that was given up", async () => {
    using gate = createGate({ ...small, wait: { style: "block" }, handler: SILENCE });
    const tools = gate.guard([send]);
    const input = { text: "x".repeat(40 * KIB) };
    const given = new AbortController();
    const held = tools.call("send", { ...input, n: 1 }, { signal: given.signal });
    await atRest();
    expect(await tools.call("send", { ...input, n: 2 })).toMatchObject({ kind: "denied" });
    given.abort();
    await held;
    const next = tools.call("send", { ...input, n: 3 });
    await atRest();
    await gate.broker.respondAll({}, approved("ann"), "a page");
    expect(await next).toMatchObject({ kind: "done" });
  });

  test("approve.bound: is bounded for all sessions of one supervisor together, which no number of sessions leads around", async () => {
    const at = desk();
    const all: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      const own = { approvalId: `a${n}`, sessionId: `session-${n}`, client: undefined };
      all.push(await ask(at, own, { maxPending: null }, callOf(80 * KIB)));
    }
    const large = "the pending requests of this supervisor would take more than 400KiB";
    expect(all).toEqual([
      ...Array.from({ length: 4 }, () => "pending"),
      ...Array.from({ length: 8 }, () => large),
    ]);
    await at.broker.respond("a0", approved("ann"), "a page");
    const own = { approvalId: "next", sessionId: "session-9", client: undefined };
    expect(await ask(at, own, { maxPending: null }, callOf(80 * KIB))).toBe("pending");
  });
});
