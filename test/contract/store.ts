import { afterEach, describe, expect, test } from "vitest";
import { approved, rejected } from "../../src/approval/factories.ts";
import type { CallGrant, Grant } from "../../src/policy/grant.ts";
import type { KeptCall } from "../../src/policy/kept-call.ts";
import type { Presentation } from "../../src/policy/presentation.ts";
import type { Belongings, Store } from "../../src/store/store.ts";
import { requestWith } from "../support/approval/request.ts";
import { nameOf, newsOf } from "../support/store/named-news.ts";

/** How much a store of the contract keeps of what is over. */
export interface Kept {
  readonly maxEvents: number;
  readonly maxSettled: number;
}

/** A fresh store, by two ways into it: as two processes have it, where it outlives one. */
export interface Made {
  readonly store: Store;
  readonly other: Store;
}

/** Makes a fresh store that keeps at least so much of what is over, and not much more. */
export type MakeStore = (kept: Kept) => Promise<Made>;

const PLENTY: Kept = { maxEvents: 1_000, maxSettled: 1_000 };
const YES = approved("ann");
const NO = rejected("bob", "not today");
const EXPIRED = { status: "expired" } as const;
const RUN = "run-1";
const NOTHING: Belongings = { call: null, presentation: null };
const request = (approvalId: string) => requestWith({ approvalId });

/** What any store must do. */
export function storeContract(name: string, makeStore: MakeStore): void {
  describe(name, () => {
    const made: Made[] = [];
    const make: MakeStore = async (kept) => {
      const fresh = await makeStore(kept);
      made.push(fresh);
      return fresh;
    };
    afterEach(async () => {
      for (const { store, other } of made.splice(0)) {
        await store[Symbol.asyncDispose]();
        await other[Symbol.asyncDispose]();
      }
    });
    describe("a request", () => {
      describeRequests(make);
    });
    describe("time", () => {
      describeTime(make);
    });
    describe("what is approved", () => {
      describeRuns(make);
    });
    describe("a run", () => {
      describePresence(make);
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

/** The news of what was kept so far, in order, by the names that they were given. */
async function told(store: Store): Promise<readonly string[]> {
  const events = await store.eventsAfter(null, 10_000, null);
  return events.map(nameOf);
}

async function add(store: Store, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await store.add(request(id), NOTHING, newsOf(`asked ${id}`));
}

function describeRequests(make: MakeStore): void {
  test("that was added is found as it was, pending, by everyone, and no other is", async () => {
    const { store, other } = await make(PLENTY);
    await add(store, "a");
    for (const one of [store, other]) {
      expect(await one.find("a")).toEqual({ request: request("a"), status: "pending", decision: null });
      expect(await one.find("b")).toBeNull();
    }
    expect(await told(other)).toEqual(["asked a"]);
  });

  test("keeps what belongs to it until it is over, and not for longer", async () => {
    const { store, other } = await make(PLENTY);
    const call: KeptCall = {
      input: { env: "staging", "\u0000": [1.5, null, "é"] },
      cwd: "/w",
    };
    const presentation: Presentation = { type: "diff", content: "-a\n+b", metadata: { lines: 2 } };
    for (const id of ["yes", "no", "late", "abandoned"])
      await store.add(request(id), { call, presentation }, newsOf(id));
    const belongings = (id: string) => other.belongings(id);
    for (const id of ["yes", "no", "late", "abandoned"])
      expect(await belongings(id)).toEqual({ call, presentation });
    await store.resolve("no", NO, newsOf("no"));
    await store.resolve("late", EXPIRED, newsOf("late"));
    for (const id of ["yes", "abandoned"]) await store.resolve(id, YES, newsOf(id));
    await store.claim("yes", RUN);
    expect(await belongings("yes")).toEqual({ call, presentation });
    await store.keepAlive(RUN, 60_000);
    await store.finish("yes", RUN, "done");
    await store.claim("abandoned", "another");
    await store.abandon("abandoned", newsOf("abandoned"));
    for (const id of ["yes", "no", "late", "abandoned", "nowhere"]) expect(await belongings(id)).toBeNull();
  });

  test.each([
    ["an input", { env: "production", "\u0000": ["é"] }],
    ["null", null],
  ])("keeps %s that was put in its place until it is over, and not for longer", async (_, editedInput) => {
    const { store, other } = await make(PLENTY);
    const edited = { ...YES, editedInput };
    for (const id of ["run", "gone", "bare"])
      await store.add(
        request(id),
        id === "bare" ? NOTHING : { call: { input: 1, cwd: "/w" }, presentation: null },
        newsOf(id),
      );
    for (const id of ["run", "gone", "bare"]) {
      expect(await store.resolve(id, edited, newsOf(id))).toBe("accepted");
      expect(await other.find(id)).toEqual({ request: request(id), status: "approved", decision: edited });
      await store.claim(id, id === "gone" ? "gone" : RUN);
      expect(await other.find(id)).toMatchObject({ status: "executing", decision: edited });
    }
    for (const id of ["run", "bare"]) await store.finish(id, RUN, "done");
    await store.abandon("gone", newsOf("gone"));
    for (const id of ["run", "gone", "bare"]) expect((await other.find(id))?.decision).toEqual(YES);
  });

  test("can't be added under an id that stands for one, wherever that one is in its life, and nothing is told of it", async () => {
    const { store, other } = await make(PLENTY);
    await add(store, "pending", "approved", "rejected");
    await store.resolve("approved", YES, newsOf("yes"));
    await store.resolve("rejected", NO, newsOf("no"));
    const before = await told(store);
    for (const id of ["pending", "approved", "rejected"]) {
      const found = await store.find(id);
      const again = other.add(requestWith({ approvalId: id, tool: "other" }), NOTHING, newsOf("again"));
      await expect(again).rejects.toMatchObject({ code: "INTERNAL" });
      expect(await store.find(id)).toEqual(found);
    }
    expect(await told(store)).toEqual(before);
  });

  test.each([YES, NO, EXPIRED])("is decided by the first answer: $status", async (first) => {
    const { store, other } = await make(PLENTY);
    await add(store, "a");
    expect(await other.resolve("a", first, newsOf("first"))).toBe("accepted");
    const found = { request: request("a"), status: first.status, decision: first };
    expect(await store.find("a")).toEqual(found);
    for (const late of [YES, NO, EXPIRED])
      expect(await store.resolve("a", late, newsOf("late"))).toBe(
        first.status === "expired" ? "expired" : "duplicate",
      );
    expect(await store.find("a")).toEqual(found);
    expect(await told(store)).toEqual(["asked a", "first"]);
  });

  test("keeps the whole of its answer", async () => {
    const { store, other } = await make(PLENTY);
    await add(store, "a");
    const decision = { ...YES, scope: "session", note: "as you like", editedInput: { n: 1 } } as const;
    await store.resolve("a", decision, newsOf("yes"));
    expect((await other.find("a"))?.decision).toEqual(decision);
  });

  test("is decided by one of a hundred answers at once, and every other is told (S4-6, S2-25)", async () => {
    const { store, other } = await make(PLENTY);
    await add(store, "a");
    const given = Array.from({ length: 100 }, (_, index) =>
      index % 2 === 0 ? approved(`person ${index}`) : rejected(`person ${index}`),
    );
    const said = await Promise.all(
      given.map((decision, index) =>
        (index % 3 === 0 ? other : store).resolve("a", decision, newsOf(`${index}`)),
      ),
    );
    expect(said.toSorted()).toEqual(["accepted", ...Array.from({ length: 99 }, () => "duplicate")]);
    const first = said.indexOf("accepted");
    expect((await store.find("a"))?.decision).toEqual(given[first]);
    expect(await told(store)).toEqual(["asked a", `${first}`]);
  });

  test("that nobody made can't be decided", async () => {
    const { store } = await make(PLENTY);
    expect(await store.resolve("a", YES, newsOf("yes"))).toBe("unknown");
    await add(store, "a");
    expect(await store.find("a")).toMatchObject({ status: "pending" });
    expect(await told(store)).toEqual(["asked a"]);
  });

  test("is pending until it is decided, and those that are stand in the order in which they came", async () => {
    const { store, other } = await make(PLENTY);
    const ids = ["c", "a", "d", "b"];
    await add(store, ...ids);
    expect((await other.pending()).map(({ approvalId }) => approvalId)).toEqual(ids);
    await store.resolve("a", YES, newsOf("yes"));
    await store.resolve("d", NO, newsOf("no"));
    expect((await other.pending()).map(({ approvalId }) => approvalId)).toEqual(["c", "b"]);
  });

  test("has notes of each channel, which another finds", async () => {
    const { store, other } = await make(PLENTY);
    await add(store, "a", "b");
    await store.note("a", "telegram", "41");
    await store.note("a", "telegram", "42");
    await store.note("a", "page", "7");
    await store.note("nowhere", "page", "7");
    expect(await other.noted("a", "telegram")).toBe("42");
    expect(await other.noted("a", "page")).toBe("7");
    expect(await other.noted("b", "page")).toBeNull();
    expect(await other.noted("nowhere", "page")).toBeNull();
  });
}

function describeTime(make: MakeStore): void {
  /** A request that has so long, by a clock that is years ahead: only the store's own counts. */
  const timed = (approvalId: string, forMs: number) =>
    requestWith({ approvalId, createdAt: 4_000_000_000_000, expiresAt: 4_000_000_000_000 + forMs });

  test("is the store's: behind it a yes is none, and nothing is pending, whatever the clock of who asked", async () => {
    const { store, other } = await make(PLENTY);
    await store.add(timed("short", 20), NOTHING, newsOf("short"));
    await store.add(timed("long", 60_000), NOTHING, newsOf("long"));
    const ids = async () => (await other.pending()).map(({ approvalId }) => approvalId);
    await until(async () => (await ids()).length === 1);
    expect(await ids()).toEqual(["long"]);
    for (const answer of [YES, NO])
      expect(await other.resolve("short", answer, newsOf("late"))).toBe("expired");
    expect(await store.find("short")).toMatchObject({ status: "pending", decision: null });
    const { expired } = await other.overdue();
    expect(expired).toEqual([timed("short", 20)]);
    expect(await other.resolve("short", EXPIRED, newsOf("expired"))).toBe("accepted");
    expect(await store.resolve("short", EXPIRED, newsOf("expired"))).toBe("expired");
    expect(await store.find("short")).toMatchObject({ status: "expired" });
    expect((await store.overdue()).expired).toEqual([]);
    expect(await store.resolve("long", YES, newsOf("yes"))).toBe("accepted");
    expect(await told(store)).toEqual(["short", "long", "expired", "yes"]);
  });

  test("has no end where none is said", async () => {
    const { store } = await make(PLENTY);
    await store.add(requestWith({ approvalId: "a", createdAt: 0, expiresAt: null }), NOTHING, newsOf("a"));
    expect((await store.overdue()).expired).toEqual([]);
    expect(await store.resolve("a", YES, newsOf("yes"))).toBe("accepted");
  });
}

function describeRuns(make: MakeStore): void {
  test("is taken to be run by one of a hundred, once", async () => {
    const { store, other } = await make(PLENTY);
    await add(store, "a");
    await store.resolve("a", YES, newsOf("yes"));
    const taken = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 3 === 0 ? other : store).claim("a", `run ${index}`)),
    );
    expect(taken.filter((one) => one)).toEqual([true]);
    expect(await other.find("a")).toMatchObject({ status: "executing", decision: YES });
    expect(await other.resolve("a", NO, newsOf("no"))).toBe("duplicate");
  });

  test("can't be taken before a yes, after a no, or where there is nothing", async () => {
    const { store } = await make(PLENTY);
    await add(store, "pending", "rejected");
    await store.resolve("rejected", NO, newsOf("no"));
    for (const id of ["pending", "rejected", "nowhere"]) expect(await store.claim(id, RUN)).toBe(false);
    expect(await store.find("pending")).toMatchObject({ status: "pending" });
  });

  test.each(["done", "failed"] as const)("ends %s, once, by the run that took it", async (how) => {
    const { store, other } = await make(PLENTY);
    await add(store, "a");
    await store.resolve("a", YES, newsOf("yes"));
    await store.claim("a", RUN);
    expect(await other.finish("a", "another run", how)).toBe(false);
    expect(await store.find("a")).toMatchObject({ status: "executing" });
    expect(await store.finish("a", RUN, how)).toBe(true);
    expect(await other.find("a")).toMatchObject({ status: how, decision: YES });
    expect(await other.claim("a", RUN)).toBe(false);
    expect(await store.finish("a", RUN, how === "done" ? "failed" : "done")).toBe(false);
    expect(await store.find("a")).toMatchObject({ status: how });
  });

  test("has no end before it was taken", async () => {
    const { store } = await make(PLENTY);
    await add(store, "a");
    await store.resolve("a", YES, newsOf("yes"));
    expect(await store.finish("a", RUN, "done")).toBe(false);
    expect(await store.finish("nowhere", RUN, "done")).toBe(false);
    expect(await store.find("a")).toMatchObject({ status: "approved" });
    expect(await store.claim("a", RUN)).toBe(true);
  });
}

function describePresence(make: MakeStore): void {
  test("is there for as long as it says, and until it says that it has ended", async () => {
    const { store, other } = await make(PLENTY);
    expect(await other.isAlive(RUN)).toBe(false);
    await store.keepAlive(RUN, 60_000);
    await store.keepAlive("short", 20);
    expect(await other.isAlive(RUN)).toBe(true);
    await until(async () => !(await other.isAlive("short")));
    await store.keepAlive(RUN, 0);
    expect(await other.isAlive(RUN)).toBe(false);
  });

  test("that is gone has not done what it took: that fails, once, and is told; what another took goes on", async () => {
    const { store, other } = await make(PLENTY);
    await store.keepAlive("gone", 60_000);
    await store.keepAlive(RUN, 60_000);
    await add(store, "a", "b", "c");
    for (const id of ["a", "b"]) await store.resolve(id, YES, newsOf(`yes ${id}`));
    await store.claim("a", "gone");
    await store.claim("b", RUN);
    for (const id of ["a", "b", "c"]) expect(await other.abandon(id, newsOf("too early"))).toBe(false);
    expect((await other.overdue()).abandoned).toEqual([]);
    await store.keepAlive("gone", 0);
    expect((await other.overdue()).abandoned).toEqual([request("a")]);
    for (const id of ["b", "c", "nowhere"]) expect(await other.abandon(id, newsOf("too early"))).toBe(false);
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? other : store).abandon("a", newsOf("abandoned")),
      ),
    );
    expect(all.filter((one) => one)).toEqual([true]);
    expect(await store.find("a")).toMatchObject({ status: "failed", decision: YES });
    expect(await store.find("b")).toMatchObject({ status: "executing" });
    expect(await store.claim("a", RUN)).toBe(false);
    for (const [run, how] of [
      ["gone", "failed"],
      [RUN, "done"],
    ] as const)
      expect(await store.finish("a", run, how)).toBe(false);
    expect(await store.find("a")).toMatchObject({ status: "failed" });
    // It was only late.
    expect(await store.finish("a", "gone", "done")).toBe(true);
    expect(await other.find("a")).toMatchObject({ status: "done", decision: YES });
    for (const how of ["done", "failed"] as const) expect(await store.finish("a", "gone", how)).toBe(false);
    expect((await other.overdue()).abandoned).toEqual([]);
    expect((await told(store)).slice(5)).toEqual(["abandoned"]);
  });
}

function describeForgetting(make: MakeStore): void {
  test("is forgotten the oldest first, and then an answer to it is one to nothing", async () => {
    const { store } = await make({ ...PLENTY, maxSettled: 3 });
    const ids = Array.from({ length: 50 }, (_, index) => `over ${index}`);
    for (const id of ids) {
      await add(store, id);
      await store.resolve(id, NO, newsOf("no"));
    }
    for (const id of ids.slice(-3)) expect(await store.resolve(id, YES, newsOf("yes"))).toBe("duplicate");
    expect(await store.resolve("over 0", YES, newsOf("yes"))).toBe("unknown");
    expect(await store.find("over 0")).toBeNull();
  });

  test("is never what somebody can still answer, or run, or runs", async () => {
    const { store } = await make({ ...PLENTY, maxSettled: 3 });
    await add(store, "pending", "approved", "executing");
    for (const id of ["approved", "executing"]) await store.resolve(id, YES, newsOf("yes"));
    await store.claim("executing", RUN);
    for (let index = 0; index < 50; index += 1) {
      await add(store, `over ${index}`);
      await store.resolve(`over ${index}`, NO, newsOf("no"));
    }
    for (const id of ["pending", "approved", "executing"])
      expect(await store.find(id)).toMatchObject({ status: id });
  });
}

function describeGrants(make: MakeStore): void {
  const grant = (grantId: string, sessionId: string): CallGrant => ({
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
    const { store, other } = await make(PLENTY);
    await store.keepAlive(RUN, 60_000);
    await store.saveGrant(grant("g1", "s1"), RUN, newsOf("g1"));
    await store.saveGrant(grant("g2", "s1"), RUN, newsOf("g2"));
    await store.saveGrant(grant("g3", "s2"), RUN, newsOf("g3"));
    expect(await other.grants("s1")).toEqual([grant("g1", "s1"), grant("g2", "s1")]);
    expect(await other.grants("s3")).toEqual([]);
    expect(await other.grants(null)).toEqual([grant("g1", "s1"), grant("g2", "s1"), grant("g3", "s2")]);
    expect(await other.findGrant("g1")).toEqual(grant("g1", "s1"));
    expect(await other.removeGrant("g1", newsOf("g1 back"))).toBe(true);
    expect(await store.removeGrant("g1", newsOf("g1 again"))).toBe(false);
    expect(await store.findGrant("g1")).toBeNull();
    expect(await store.grants("s1")).toEqual([grant("g2", "s1")]);
    expect(await store.grants("s2")).toEqual([grant("g3", "s2")]);
    expect(await told(store)).toEqual(["g1", "g2", "g3", "g1 back"]);
  });

  test("may be to a host: kept, listed in its place and taken back like one to a call (S2-19, S1-42)", async () => {
    const { store, other } = await make(PLENTY);
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
    await store.saveGrant(grant("g1", "s1"), RUN, newsOf("g1"));
    await store.saveGrant(toHost, RUN, newsOf("h1"));
    await store.saveGrant(grant("g2", "s1"), RUN, newsOf("g2"));
    expect(await other.grants("s1")).toEqual([grant("g1", "s1"), toHost, grant("g2", "s1")]);
    expect(await other.grants("s2")).toEqual([]);
    expect(await other.removeGrant("h1", newsOf("back"))).toBe(true);
    expect(await other.removeGrant("h1", newsOf("again"))).toBe(false);
    expect(await store.grants("s1")).toEqual([grant("g1", "s1"), grant("g2", "s1")]);
  });

  test("with a number of uses answers exactly that many, however many ask at once", async () => {
    const { store, other } = await make(PLENTY);
    await store.keepAlive(RUN, 60_000);
    await store.saveGrant({ ...grant("g1", "s1"), maxUses: 3 }, RUN, newsOf("g1"));
    await store.saveGrant(grant("g2", "s1"), RUN, newsOf("g2"));
    const ways = [store, other, store, other, store, other, store, other];
    const used = await Promise.all(ways.map((one) => one.useGrant("g1")));
    expect(used.filter(Boolean)).toHaveLength(3);
    expect(await Promise.all(ways.map((one) => one.useGrant("g2")))).toEqual(ways.map(() => true));
    expect(await other.grants("s1")).toEqual([grant("g2", "s1")]);
    expect(await other.grants(null)).toEqual([grant("g2", "s1")]);
    expect(await store.useGrant("g3")).toBe(false);
  });

  test("answers nothing after its time, and nothing once it is taken back", async () => {
    const { store, other } = await make(PLENTY);
    const lasting = (grantId: string, ms: number) => ({
      ...grant(grantId, "s1"),
      until: 1_900_000_000_000 + ms,
    });
    await store.saveGrant(lasting("short", 0), RUN, newsOf("short"));
    await store.saveGrant(lasting("long", 600_000), RUN, newsOf("long"));
    expect([await other.useGrant("short"), await other.useGrant("long")]).toEqual([false, true]);
    expect((await other.grants("s1")).map(({ grantId }) => grantId)).toEqual(["long"]);
    expect(await other.removeGrant("long", newsOf("back"))).toBe(true);
    expect(await store.useGrant("long")).toBe(false);
  });

  test("of similar calls, and a rejection, are kept as they are", async () => {
    const { store, other } = await make(PLENTY);
    const told = { sessionId: "s1", tool: "shell", covers: "`git add`", by: "ann", grantedAt: 1 };
    const patterns = [{ pattern: "git add", exact: false }];
    const similar: Grant = {
      kind: "cover",
      grantId: "g1",
      ...told,
      cover: { of: "commands", patterns },
      granted: null,
    };
    const no: Grant = { kind: "rejection", grantId: "g2", ...told, cacheKey: "k" };
    await store.saveGrant(similar, RUN, newsOf("g1"));
    await store.saveGrant(no, RUN, newsOf("g2"));
    expect(await other.grants("s1")).toEqual([similar, no]);
  });

  test("of a run that is gone is overdue, and of one that is there it is not", async () => {
    const { store, other } = await make(PLENTY);
    await store.keepAlive(RUN, 60_000);
    await store.keepAlive("gone", 60_000);
    await store.saveGrant(grant("g1", "s1"), RUN, newsOf("g1"));
    await store.saveGrant(grant("g2", "s2"), "gone", newsOf("g2"));
    expect((await other.overdue()).grants).toEqual([]);
    expect(await other.grants(null)).toEqual([grant("g1", "s1"), grant("g2", "s2")]);
    await store.keepAlive("gone", 0);
    expect((await other.overdue()).grants).toEqual([grant("g2", "s2")]);
    expect(await other.grants(null)).toEqual([grant("g1", "s1")]);
  });
}

function describeEvents(make: MakeStore): void {
  const names = (events: Awaited<ReturnType<Store["eventsAfter"]>>): readonly string[] => events.map(nameOf);

  test("have numbers that grow from 0, and stand behind a number, as many as are wanted at most", async () => {
    const { store, other } = await make(PLENTY);
    expect(await other.lastSeq()).toBe(-1);
    for (const name of ["a", "b", "c", "d"]) await store.append(newsOf(name));
    expect(await other.eventsAfter(null, 10, null)).toEqual(
      ["a", "b", "c", "d"].map((name, seq) => ({ ...newsOf(name), seq })),
    );
    expect(await other.lastSeq()).toBe(3);
    expect(names(await other.eventsAfter(0, 10, null))).toEqual(["b", "c", "d"]);
    expect(names(await other.eventsAfter(-1, 2, null))).toEqual(["a", "b"]);
    expect(await other.eventsAfter(3, 10, null)).toEqual([]);
    expect(await other.eventsAfter(99, 10, null)).toEqual([]);
  });

  test("of one run are found among those of all", async () => {
    const { store, other } = await make(PLENTY);
    for (const name of ["a", "b"]) await store.append(newsOf(name));
    for (const name of ["c", "d"]) await other.append(newsOf(name, "run-2"));
    await store.append(newsOf("e"));
    expect(names(await store.eventsAfter(0, 10, RUN))).toEqual(["b", "e"]);
    expect(names(await store.eventsAfter(0, 10, "run-2"))).toEqual(["c", "d"]);
    expect(names(await store.eventsAfter(null, 1, "run-2"))).toEqual(["c"]);
    expect(names(await store.eventsAfter(null, 10, null))).toEqual(["a", "b", "c", "d", "e"]);
    expect(await store.eventsAfter(null, 10, "run-3")).toEqual([]);
  });

  test("that are gone are not passed over in silence; who wants only what is kept gets that", async () => {
    const { store, other } = await make({ ...PLENTY, maxEvents: 10 });
    for (let index = 0; index < 100; index += 1) await store.append(newsOf(`${index}`));
    await expect(other.eventsAfter(0, 10, null)).rejects.toMatchObject({ code: "EVENTS_GONE" });
    const kept = (await other.eventsAfter(null, 100, null)).map(({ seq }) => seq);
    expect(kept.at(-1)).toBe(99);
    expect(kept.length).toBeGreaterThanOrEqual(10);
    expect(kept.length).toBeLessThan(20);
    const before = (kept[0] ?? 0) - 1;
    expect((await other.eventsAfter(before, 100, null)).map(({ seq }) => seq)).toEqual(kept);
    await expect(other.eventsAfter(before - 1, 10, null)).rejects.toMatchObject({ code: "EVENTS_GONE" });
  });

  test("that many tell at once appear in the order of their numbers: none comes in below one that was seen", async () => {
    const { store, other } = await make(PLENTY);
    const telling = Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? other : store).append(newsOf(`${index}`))),
    );
    const seen: number[] = [];
    while (seen.length < 200)
      for (const { seq } of await other.eventsAfter(seen.at(-1) ?? null, 7, null)) seen.push(seq);
    await telling;
    expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => index));
  });

  test("wake whoever watches, whoever tells them, and nobody who has stopped watching", async () => {
    const { store, other } = await make(PLENTY);
    const woken = { store: 0, other: 0, left: 0 };
    using _store = store.watch(() => (woken.store += 1));
    using _other = other.watch(() => (woken.other += 1));
    store.watch(() => (woken.left += 1))[Symbol.dispose]();
    await store.append(newsOf("a"));
    await until(async () => woken.store > 0 && woken.other > 0);
    const before = { ...woken };
    await other.append(newsOf("b"));
    await until(async () => woken.store > before.store && woken.other > before.other);
    expect(woken.left).toBe(0);
  });

  test("belong to a store that says which it is", async () => {
    const { store, other } = await make(PLENTY);
    expect(await other.id()).toBe(await store.id());
    expect(await (await make(PLENTY)).store.id()).not.toBe(await store.id());
  });
}

/** Until it holds; a test's own time is the end. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
}
