import { describe, expect, test } from "vitest";
import { approved, rejected } from "../../src/approval/factories.ts";
import type { ApprovalEvent } from "../../src/event/event.ts";
import type { Grant } from "../../src/policy/grant.ts";
import type { Store } from "../../src/store/store.ts";
import { requestWith } from "../support/approval/request.ts";

/** How much a store of the contract keeps of what is over. */
export interface Kept {
  readonly mostEvents: number;
  readonly mostSettled: number;
}

/** Makes a fresh store that keeps at least so much of what is over, and not much more. */
export type MakeStore = (kept: Kept) => Store | Promise<Store>;

const PLENTY: Kept = { mostEvents: 1_000, mostSettled: 1_000 };
const YES = approved("ann");
const NO = rejected("bob", "not today");
const request = (approvalId: string) => requestWith({ approvalId });

/** What any store must do. */
export function storeContract(name: string, make: MakeStore): void {
  describe(name, () => {
    describe("a request", () => {
      describeRequests(make);
    });
    describe("what is approved", () => {
      describeRuns(make);
    });
    describe("what is over", () => {
      describeForgetting(make);
    });
    describe("a grant", () => {
      describeGrants(make);
    });
    describe("events", () => {
      describeEvents(make);
    });
  });
}

function describeRequests(make: MakeStore): void {
  test("that was added is found as it was, pending, and no other is", async () => {
    const store = await make(PLENTY);
    await store.add(request("a"));
    expect(await store.find("a")).toEqual({ request: request("a"), status: "pending", decision: null });
    expect(await store.find("b")).toBeNull();
  });

  test("can't be added under an id that stands for one, wherever that one is in its life", async () => {
    const store = await make(PLENTY);
    for (const id of ["pending", "approved", "rejected"]) await store.add(request(id));
    await store.resolve("approved", YES);
    await store.resolve("rejected", NO);
    for (const id of ["pending", "approved", "rejected"]) {
      const before = await store.find(id);
      await expect(store.add(requestWith({ approvalId: id, tool: "other" }))).rejects.toMatchObject({
        code: "INTERNAL",
      });
      expect(await store.find(id)).toEqual(before);
    }
  });

  test.each([YES, NO, { status: "expired" }] as const)(
    "is decided by the first answer: $status",
    async (first) => {
      const store = await make(PLENTY);
      await store.add(request("a"));
      expect(await store.resolve("a", first)).toBe("accepted");
      expect(await store.find("a")).toEqual({ request: request("a"), status: first.status, decision: first });
      for (const late of [YES, NO, { status: "expired" } as const])
        expect(await store.resolve("a", late)).toBe(first.status === "expired" ? "expired" : "duplicate");
      expect(await store.find("a")).toEqual({ request: request("a"), status: first.status, decision: first });
    },
  );

  test("is decided by one of a hundred answers at once, and every other is told (S4-6, S2-25)", async () => {
    const store = await make(PLENTY);
    await store.add(request("a"));
    const given = Array.from({ length: 100 }, (_, index) =>
      index % 2 === 0 ? approved(`person ${index}`) : rejected(`person ${index}`),
    );
    const said = await Promise.all(given.map((decision) => store.resolve("a", decision)));
    expect(said.toSorted()).toEqual(["accepted", ...Array.from({ length: 99 }, () => "duplicate")]);
    expect((await store.find("a"))?.decision).toEqual(given[said.indexOf("accepted")]);
  });

  test("that nobody made can't be decided", async () => {
    const store = await make(PLENTY);
    expect(await store.resolve("a", YES)).toBe("unknown");
    await store.add(request("a"));
    expect(await store.find("a")).toMatchObject({ status: "pending" });
  });

  test("is pending until it is decided, and those that are stand in the order in which they came", async () => {
    const store = await make(PLENTY);
    const ids = ["c", "a", "d", "b"];
    for (const id of ids) await store.add(request(id));
    expect((await store.pending()).map(({ approvalId }) => approvalId)).toEqual(ids);
    await store.resolve("a", YES);
    await store.resolve("d", NO);
    expect((await store.pending()).map(({ approvalId }) => approvalId)).toEqual(["c", "b"]);
  });
}

function describeRuns(make: MakeStore): void {
  test("is taken to be run by one of a hundred, once", async () => {
    const store = await make(PLENTY);
    await store.add(request("a"));
    await store.resolve("a", YES);
    const taken = await Promise.all(Array.from({ length: 100 }, () => store.claim("a")));
    expect(taken.filter((one) => one)).toEqual([true]);
    expect(await store.find("a")).toMatchObject({ status: "executing", decision: YES });
    expect(await store.resolve("a", NO)).toBe("duplicate");
  });

  test("can't be taken before a yes, after a no, or where there is nothing", async () => {
    const store = await make(PLENTY);
    await store.add(request("pending"));
    await store.add(request("rejected"));
    await store.resolve("rejected", NO);
    for (const id of ["pending", "rejected", "nowhere"]) expect(await store.claim(id)).toBe(false);
    expect(await store.find("pending")).toMatchObject({ status: "pending" });
  });

  test.each(["done", "failed"] as const)("ends %s, and is not taken again", async (how) => {
    const store = await make(PLENTY);
    await store.add(request("a"));
    await store.resolve("a", YES);
    await store.claim("a");
    await store.finish("a", how);
    expect(await store.find("a")).toMatchObject({ status: how, decision: YES });
    expect(await store.claim("a")).toBe(false);
    await store.finish("a", how === "done" ? "failed" : "done");
    expect(await store.find("a")).toMatchObject({ status: how });
  });

  test("has no end before it was taken", async () => {
    const store = await make(PLENTY);
    await store.add(request("a"));
    await store.resolve("a", YES);
    await store.finish("a", "done");
    await store.finish("nowhere", "done");
    expect(await store.find("a")).toMatchObject({ status: "approved" });
    expect(await store.claim("a")).toBe(true);
  });
}

function describeForgetting(make: MakeStore): void {
  test("is forgotten the oldest first, and then an answer to it is one to nothing", async () => {
    const store = await make({ ...PLENTY, mostSettled: 3 });
    const ids = Array.from({ length: 50 }, (_, index) => `over ${index}`);
    for (const id of ids) {
      await store.add(request(id));
      await store.resolve(id, NO);
    }
    for (const id of ids.slice(-3)) expect(await store.resolve(id, YES)).toBe("duplicate");
    expect(await store.resolve("over 0", YES)).toBe("unknown");
    expect(await store.find("over 0")).toBeNull();
  });

  test("is never what somebody can still answer, or run, or runs", async () => {
    const store = await make({ ...PLENTY, mostSettled: 3 });
    for (const id of ["pending", "approved", "executing"]) await store.add(request(id));
    for (const id of ["approved", "executing"]) await store.resolve(id, YES);
    await store.claim("executing");
    for (let index = 0; index < 50; index += 1) {
      await store.add(request(`over ${index}`));
      await store.resolve(`over ${index}`, NO);
    }
    for (const id of ["pending", "approved", "executing"])
      expect(await store.find(id)).toMatchObject({ status: id });
  });
}

function describeGrants(make: MakeStore): void {
  const grant = (grantId: string, sessionId: string): Grant => ({
    kind: "call",
    grantId,
    sessionId,
    tool: "deploy",
    key: { cacheKey: "k", toolVersion: "1", program: null, granted: null },
    covers: "every use of deploy",
    by: "ann",
    grantedAt: 1_900_000_000_000,
  });

  test("is its session's alone, until somebody takes it back (S1-42)", async () => {
    const store = await make(PLENTY);
    await store.saveGrant(grant("g1", "s1"));
    await store.saveGrant(grant("g2", "s1"));
    await store.saveGrant(grant("g3", "s2"));
    expect(await store.grantsOf("s1")).toEqual([grant("g1", "s1"), grant("g2", "s1")]);
    expect(await store.grantsOf("s3")).toEqual([]);
    expect(await store.removeGrant("g1")).toEqual(grant("g1", "s1"));
    expect(await store.removeGrant("g1")).toBeNull();
    expect(await store.grantsOf("s1")).toEqual([grant("g2", "s1")]);
    expect(await store.grantsOf("s2")).toEqual([grant("g3", "s2")]);
  });

  test("may be to a host: kept, listed in its place and taken back like one to a call (S2-19, S1-42)", async () => {
    const store = await make(PLENTY);
    const toHost: Grant = {
      kind: "host",
      grantId: "h1",
      sessionId: "s1",
      tool: "web_fetch_add_domain",
      host: "docs.example.org",
      ports: [443, 80],
      covers: "pages of docs.example.org",
      by: "ann",
      grantedAt: 1_900_000_000_000,
    };
    await store.saveGrant(grant("g1", "s1"));
    await store.saveGrant(toHost);
    await store.saveGrant(grant("g2", "s1"));
    expect(await store.grantsOf("s1")).toEqual([grant("g1", "s1"), toHost, grant("g2", "s1")]);
    expect(await store.grantsOf("s2")).toEqual([]);
    expect(await store.removeGrant("h1")).toEqual(toHost);
    expect(await store.removeGrant("h1")).toBeNull();
    expect(await store.grantsOf("s1")).toEqual([grant("g1", "s1"), grant("g2", "s1")]);
  });
}

function describeEvents(make: MakeStore): void {
  const event = (seq: number, runId = "run-1"): ApprovalEvent => ({
    version: 1,
    seq,
    at: "2030-01-02T03:04:05.678Z",
    runId,
    sessionId: "s1",
    callId: null,
    type: "grant.revoked",
    grantId: `g${seq}`,
    by: "ann",
  });
  const numbers = (events: readonly ApprovalEvent[]): readonly number[] => events.map(({ seq }) => seq);

  test("stand behind a number, in order, as many as are wanted at most", async () => {
    const store = await make(PLENTY);
    for (const seq of [2, 3, 7, 11]) await store.append(event(seq));
    expect(await store.eventsAfter("run-1", null, 10)).toEqual([2, 3, 7, 11].map((seq) => event(seq)));
    expect(numbers(await store.eventsAfter("run-1", 2, 10))).toEqual([3, 7, 11]);
    expect(numbers(await store.eventsAfter("run-1", 4, 10))).toEqual([7, 11]);
    expect(numbers(await store.eventsAfter("run-1", -1, 2))).toEqual([2, 3]);
    expect(await store.eventsAfter("run-1", 11, 10)).toEqual([]);
  });

  test("of one run are no other's, whose numbers begin anew", async () => {
    const store = await make(PLENTY);
    for (const seq of [0, 1, 2]) await store.append(event(seq));
    for (const seq of [0, 1]) await store.append(event(seq, "run-2"));
    await store.append(event(3));
    expect(numbers(await store.eventsAfter("run-1", 0, 10))).toEqual([1, 2, 3]);
    expect(numbers(await store.eventsAfter("run-2", 0, 10))).toEqual([1]);
    expect(await store.eventsAfter("run-3", null, 10)).toEqual([]);
  });

  test("that are gone are not passed over in silence; who wants only what is kept gets that", async () => {
    const store = await make({ ...PLENTY, mostEvents: 10 });
    for (let seq = 0; seq < 100; seq += 1) await store.append(event(seq));
    await expect(store.eventsAfter("run-1", 0, 10)).rejects.toMatchObject({ code: "EVENTS_GONE" });
    const kept = numbers(await store.eventsAfter("run-1", null, 100));
    expect(kept.at(-1)).toBe(99);
    expect(kept.length).toBeGreaterThanOrEqual(10);
    expect(kept.length).toBeLessThan(20);
    const before = (kept[0] ?? 0) - 1;
    expect(numbers(await store.eventsAfter("run-1", before, 100))).toEqual(kept);
    await expect(store.eventsAfter("run-1", before - 1, 10)).rejects.toMatchObject({ code: "EVENTS_GONE" });
  });
}
