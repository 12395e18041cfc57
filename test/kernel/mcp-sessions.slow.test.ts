import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PLAIN } from "../../src/channel/ink.ts";
import { requestLines } from "../../src/cli/approvals-text.ts";
import { defineTool } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place, type Settings } from "../support/battery/place.ts";
import { endpoint } from "../support/mcp/sessions.ts";

sandboxMustWork("MCP sessions over HTTP");

/** Writes ask, and their calls end as pending. */
const settings = (place: Place, approval: Settings["approval"] = {}): Settings => ({
  sandbox: { paths: { ws: { root: place.ws, mode: "rw", write_approval: true } } },
  approval: { wait: "suspend", channels: { elicitation: false }, ...approval },
});
const FULL = "3 requests of this client already wait for an answer";
const ENDED = "its MCP session was ended by its client";

describe.skipIf(unusable !== null)("what waits of one MCP token", () => {
  it("approve.bound: is bounded over all its sessions, and over a restart; another token's has its own bound", async () => {
    using place = new Place(CALLER);
    const own = settings(place, { most_pending: 3 });
    {
      await using at = await endpoint(place, own);
      const outcomes: string[] = [];
      for (const n of [1, 2, 3]) {
        const session = await at.session();
        for (const m of [1, 2]) outcomes.push((await at.write(session, `${n}-${m}`)).outcome);
      }
      expect(outcomes).toEqual(["pending", "pending", "pending", "denied", "denied", "denied"]);
      expect(await at.write(await at.session(), "more")).toMatchObject({ outcome: "denied", reason: FULL });
      const other = await at.session("other");
      expect(await at.write(other, "theirs", "x", "other")).toMatchObject({ outcome: "pending" });
    }
    await using at = await endpoint(place, own);
    const session = await at.session();
    expect(await at.write(session, "more")).toMatchObject({ outcome: "denied", reason: FULL });
    // What it asked before is found all the same.
    const found = await at.write(session, "1-1");
    expect(found.outcome).toBe("pending");
    await at.supervisor.broker.respond(found.approvalId, { approved: true }, "ann");
    expect(await at.write(session, "more")).toMatchObject({ outcome: "pending" });
    expect(await at.write(session, "1-1")).toMatchObject({ outcome: "done" });
  });

  it("approve.bound: takes no more room in the store than the config says, however many sessions ask", async () => {
    using place = new Place(CALLER);
    await using at = await endpoint(place, settings(place, { most_pending_size: "8MiB" }));
    const outcomes: string[] = [];
    for (let n = 0; n < 8; n += 1)
      outcomes.push((await at.write(await at.session(), `${n}`, "x".repeat(1e6))).outcome);
    expect(outcomes.filter((one) => one === "pending").length).toBeLessThan(6);
    expect(await at.write(await at.session(), "large", "x".repeat(3e6))).toMatchObject({
      outcome: "denied",
      reason: "the pending requests of this client would take more than 8MiB",
    });
    expect(await at.write(await at.session(), "small")).toMatchObject({ outcome: "pending" });
    const file = join(place.state, "cofferdam", "approvals.sqlite");
    expect(statSync(file).size).toBeLessThan(32 * 1024 ** 2);
  });
});

describe.skipIf(unusable !== null)("questions that an MCP session left open", () => {
  it("approve.bound: are withdrawn when its client ends it: nobody can say yes to them, and it is told why", async () => {
    using place = new Place(CALLER);
    await using at = await endpoint(place, settings(place));
    const { broker } = at.supervisor;
    const [ending, staying] = [await at.session(), await at.session()];
    const { approvalId } = await at.write(ending, "made");
    const other = await at.write(staying, "other");
    expect(await at.end(ending)).toBe(200);
    const stored = await broker.find(approvalId);
    expect(stored).toMatchObject({ status: "rejected", decision: { by: "nobody", note: ENDED } });
    if (stored === null) throw new Error("it is not known");
    expect(requestLines(stored, { kind: "failed" }, 0, PLAIN).join("\n")).toContain(ENDED);
    expect(await broker.respond(approvalId, { approved: true }, "ann")).toBe("duplicate");
    expect(await broker.callOf(approvalId)).toBeNull();
    expect(await broker.pending()).toMatchObject([{ approvalId: other.approvalId }]);
    // For whoever comes next that is no no: the same call is asked about anew.
    const next = await at.write(staying, "made");
    expect(next).toMatchObject({ outcome: "pending" });
    await broker.respond(next.approvalId, { approved: true }, "ann");
    expect(await at.write(staying, "made")).toMatchObject({ outcome: "done" });
    expect(existsSync(join(place.ws, "made"))).toBe(true);
  });

  it("stay for another session that waits for the same, and go with the last of them", async () => {
    using place = new Place(CALLER);
    await using at = await endpoint(place, settings(place));
    const { broker } = at.supervisor;
    const [one, two] = [await at.session(), await at.session()];
    const { approvalId } = await at.write(one, "made");
    expect(await at.write(two, "made")).toMatchObject({ outcome: "pending", approvalId });
    await at.end(one);
    expect(await broker.find(approvalId)).toMatchObject({ status: "pending" });
    await at.end(two);
    expect(await broker.find(approvalId)).toMatchObject({ status: "rejected", decision: { note: ENDED } });
  });

  it("are none of another token's", async () => {
    using place = new Place(CALLER);
    await using at = await endpoint(place, settings(place));
    const [one, other] = [await at.session(), await at.session("other")];
    const mine = await at.write(one, "made");
    const theirs = await at.write(other, "made", "x", "other");
    expect(theirs.approvalId).not.toBe(mine.approvalId);
    await at.end(one);
    expect(await at.supervisor.broker.pending()).toMatchObject([{ approvalId: theirs.approvalId }]);
  });

  it("are withdrawn as well where they are still being kept when it ends", async () => {
    using place = new Place(CALLER);
    const [asked, may] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    class SlowStore extends MemoryStore {
      override async add(...given: Parameters<MemoryStore["add"]>): Promise<void> {
        asked.resolve();
        await may.promise;
        return super.add(...given);
      }
    }
    const send = defineTool({ name: "send", run: () => "sent" });
    await using at = await endpoint(place, settings(place), { store: new SlowStore(), tools: [send] });
    const session = await at.session();
    const call = at.call(session, "send", {});
    await asked.promise;
    const ended = at.end(session);
    // By now it takes no more calls, and this one is in the midst of being asked about.
    await new Promise((resolve) => setTimeout(resolve, 100));
    may.resolve();
    expect(await ended).toBe(200);
    await call.catch(() => null);
    // What is not waited for would be kept soon after.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await at.supervisor.broker.pending()).toEqual([]);
  });

  it("stay when the server ends: its client finds them after a restart, and runs what somebody said yes to", async () => {
    using place = new Place(CALLER);
    let id = "";
    {
      await using at = await endpoint(place, settings(place));
      id = (await at.write(await at.session(), "made")).approvalId;
    }
    await using at = await endpoint(place, settings(place));
    const session = await at.session();
    expect(await at.write(session, "made")).toMatchObject({ outcome: "pending", approvalId: id });
    expect(await at.supervisor.broker.respond(id, { approved: true }, "ann")).toBe("accepted");
    expect(await at.write(session, "made")).toMatchObject({ outcome: "done" });
  });

  it("approve.bound: have an end where nothing is said: another session is then asked anew, and not told of it", async () => {
    using place = new Place(CALLER);
    const clock = { now: Date.now() };
    await using at = await endpoint(place, settings(place), { host: { now: () => clock.now } });
    const { approvalId } = await at.write(await at.session(), "made");
    const [request] = await at.supervisor.broker.pending();
    expect((request?.expiresAt ?? 0) - (request?.createdAt ?? 0)).toBe(7 * 24 * 3_600_000);
    clock.now += 8 * 24 * 3_600_000;
    await at.supervisor.broker.sweep();
    expect(await at.supervisor.broker.find(approvalId)).toMatchObject({ status: "expired" });
    const next = await at.write(await at.session(), "made");
    expect(next.outcome).toBe("pending");
    expect(next.approvalId).not.toBe(approvalId);
  });
});

describe.skipIf(unusable !== null)("of 256 sessions of one MCP token", () => {
  const many = async (at: Awaited<ReturnType<typeof endpoint>>, count: number) => {
    const sessions: string[] = [];
    for (let n = 0; n < count; n += 1) sessions.push(await at.session());
    return sessions;
  };

  it("none is too many where they begin at once", async () => {
    using place = new Place(CALLER);
    await using at = await endpoint(place, settings(place));
    const used = await at.session();
    expect(await at.list(used)).toBe(200);
    const sessions = await Promise.all(Array.from({ length: 400 }, () => at.session()));
    const answers = await Promise.all([used, ...sessions].map((session) => at.list(session)));
    expect(answers[0]).toBe(200);
    expect(answers.filter((status) => status === 200)).toHaveLength(256);
  });

  it("one that is in use is not ended for new ones; those that were never used give way, the oldest first", async () => {
    using place = new Place(CALLER);
    await using at = await endpoint(place, settings(place));
    const used = await at.session();
    expect(await at.list(used)).toBe(200);
    const [asking, ...unused] = await many(at, 255);
    const { approvalId } = await at.write(asking ?? "", "made");
    const more = await many(at, 300);
    expect([await at.list(used), await at.list(asking ?? "")]).toEqual([200, 200]);
    expect(await at.supervisor.broker.find(approvalId)).toMatchObject({ status: "pending" });
    expect([
      await at.list(unused[0] ?? ""),
      await at.list(more[0] ?? ""),
      await at.list(more.at(-1) ?? ""),
    ]).toEqual([404, 404, 200]);
  });

  it("where all are in use a new one is refused, until one is ended or idle; one that waits for an answer is not idle", async () => {
    using place = new Place(CALLER);
    const clock = { now: Date.now() };
    await using at = await endpoint(place, settings(place), { host: { now: () => clock.now } });
    const [asking = "", first = "", second = "", ...rest] = await many(at, 256);
    for (const session of [asking, first, second, ...rest]) expect(await at.list(session)).toBe(200);
    await at.write(asking, "made");
    const refused = await at.begin();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "60"]);
    const other = await at.begin("other");
    expect(other.status).toBe(200);
    expect(await at.end(first)).toBe(200);
    expect((await at.begin()).status).toBe(200);
    // The new one was never used, so that the next takes its place; once it was, none does.
    expect(await at.list(await at.session())).toBe(200);
    expect((await at.begin()).status).toBe(503);
    clock.now += 31 * 60_000;
    for (const session of rest) expect(await at.list(session)).toBe(200);
    expect(await at.list(await at.session())).toBe(200);
    expect([await at.list(second), await at.list(asking)]).toEqual([404, 200]);
  });
});
