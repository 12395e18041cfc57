import { describe, expect, test } from "vitest";
import { createGate } from "../../../src/entry/gate.ts";
import { serveApprovals } from "../../../src/http/serve.ts";
import { BrokerHandler, defineTool } from "../../../src/index.ts";
import { desk } from "../../support/approval/desk.ts";
import { ANN, BOB, post, put, settled, testApp } from "../../support/http/test-app.ts";

describe("what waits", () => {
  test("is listed with the event behind which nothing is missed (S4-17)", async () => {
    await using at = await testApp();
    void put(at.desk.broker);
    void put(at.desk.broker, { approvalId: "approval-2", sessionId: "session-2", groupId: "turn-1" });
    await settled(at.desk, 2);
    const listed = await json(at.ask("/approvals"));
    expect(listed).toMatchObject({
      seq: 1,
      lastEventId: `${await at.desk.store.id()}:1`,
      pending: [{ approvalId: "approval-1" }, { approvalId: "approval-2", safeArgs: { env: "staging" } }],
    });
    const ids = async (query: string): Promise<readonly string[]> =>
      (await json(at.ask(`/approvals?${query}`))).pending.map(
        (one: { approvalId: string }) => one.approvalId,
      );
    expect(await ids("session=session-2")).toEqual(["approval-2"]);
    expect(await ids("run=run-1&group=turn-1")).toEqual(["approval-2"]);
    expect(await ids("run=run-2")).toEqual([]);
  });

  test("is shown with what there is to look at, and says so where that could not be drawn", async () => {
    await using at = await testApp();
    void put(at.desk.broker);
    const present = async (): Promise<never> => {
      throw new Error("the worker is lost");
    };
    void put(at.desk.broker, { approvalId: "approval-2" }, { present });
    await settled(at.desk, 2);
    expect(await json(at.ask("/approvals/approval-1"))).toMatchObject({
      status: "pending",
      decision: null,
      request: { tool: "deploy" },
      presentation: { type: "text", content: "deploy" },
      isPresentationLost: false,
    });
    const lost = await at.ask("/approvals/approval-2");
    expect(lost.status).toBe(200);
    expect(await lost.text()).toContain('"presentation":null,"isPresentationLost":true');
  });

  test("is found by an id of any letters", async () => {
    await using at = await testApp();
    for (const approvalId of ["a/b", "a%2Fb", "ä b?c#d", "..", "%", "<b>"]) {
      void put(at.desk.broker, { approvalId });
      await settled(at.desk, 1);
      const path = `/approvals/${approvalId === ".." ? "%2E%2E%2F.." : encodeURIComponent(approvalId)}`;
      const found = await at.ask(path);
      // A path of dots alone means another path to everybody, so no id can be that.
      expect([approvalId, found.status]).toEqual([approvalId, approvalId === ".." ? 404 : 200]);
      await at.desk.broker.respond(approvalId, { approved: false }, "ann");
    }
  });
});

describe("an answer", () => {
  test("counts for the call that waits, by the name of whose token it came with", async () => {
    await using at = await testApp();
    const answer = put(at.desk.broker);
    await settled(at.desk, 1);
    const said = await at.ask("/approvals/approval-1", {
      ...post({ approved: true, scope: "session", note: "fine" }),
      headers: { authorization: `Bearer ${BOB.token}` },
    });
    const decision = { status: "approved", scope: "session", by: "bob", note: "fine" };
    expect([said.status, await said.json()]).toEqual([
      200,
      { status: "approved", decision: { ...decision, isEdited: false } },
    ]);
    expect(await answer).toEqual(decision);
  });

  test("`remember` and `reason` say what `scope` and `note` do", async () => {
    await using at = await testApp();
    const yes = put(at.desk.broker);
    const no = put(at.desk.broker, { approvalId: "approval-2" });
    await settled(at.desk, 2);
    await at.ask("/approvals/approval-1", post({ approved: true, remember: "session" }));
    await at.ask("/approvals/approval-2", post({ approved: false, reason: "not on a Friday" }));
    expect(await yes).toEqual({ status: "approved", scope: "session", by: "ann" });
    expect(await no).toEqual({ status: "rejected", by: "ann", note: "not on a Friday" });
  });

  test("may bring another input along, which is told as such and judged by whoever asked", async () => {
    await using at = await testApp();
    const answer = put(at.desk.broker);
    await settled(at.desk, 1);
    await at.ask("/approvals/approval-1", post({ approved: true, editedInput: { env: "test" } }));
    expect(await answer).toMatchObject({ status: "approved", editedInput: { env: "test" } });
    expect(at.desk.written().at(-1)).toMatchObject({ type: "approval.resolved", isEdited: true });
    // Whoever looks is told that, and not what it is: nobody has hidden the secrets in it.
    expect((await json(at.ask("/approvals/approval-1"))).decision).toEqual({
      status: "approved",
      scope: "once",
      by: "ann",
      note: null,
      isEdited: true,
    });
  });

  test("of an event stream's client is taken as it sends it: no, once and without a reason unless it says so (S0-18, S0-33)", async () => {
    await using at = await testApp();
    const bodies = [{}, { approved: true, always: true }, { approved: false, reason: "no" }] as const;
    const answers = bodies.map((_, index) => put(at.desk.broker, { approvalId: `${index}` }));
    await settled(at.desk, 3);
    for (const [index, body] of bodies.entries()) {
      const said = await at.ask(`/approve/${index}`, post(body));
      expect([said.status, await said.json()]).toEqual([200, { status: "ok" }]);
    }
    expect(await Promise.all(answers)).toEqual([
      { status: "rejected", by: "ann" },
      { status: "approved", scope: "session", by: "ann" },
      { status: "rejected", by: "ann", note: "no" },
    ]);
  });

  test("the second one is refused, and told what the first was; one to nothing is refused (S0-23, S4-6)", async () => {
    await using at = await testApp();
    const answer = put(at.desk.broker);
    await settled(at.desk, 1);
    const [first, second] = await Promise.all([
      at.ask("/approvals/approval-1", post({ approved: false, note: "ann was first" })),
      at.ask("/approvals/approval-1", {
        ...post({ approved: true }),
        headers: { authorization: `Bearer ${BOB.token}` },
      }),
    ]);
    const decision = { status: "rejected", by: "ann", note: "ann was first" };
    expect([first.status, second.status]).toEqual([200, 409]);
    expect(await second.json()).toMatchObject({
      error: { code: "ANSWERED_ALREADY" },
      status: "rejected",
      decision,
    });
    expect(await answer).toEqual(decision);
    expect((await at.ask("/approve/approval-1", post({ approved: true }))).status).toBe(409);
    expect((await at.ask("/approve/approval-2", post({ approved: true }))).status).toBe(404);
    expect(at.desk.told().slice(2)).toEqual([
      "approval.ignored: duplicate by bob",
      "approval.ignored: duplicate by ann",
      "approval.ignored: unknown by ann",
    ]);
  });

  test("behind its time is refused as that", async () => {
    await using at = await testApp();
    const { clock } = at.desk;
    void put(at.desk.broker, { createdAt: clock.now, expiresAt: clock.now + 60_000 });
    await settled(at.desk, 1);
    clock.now += 60_000;
    const late = await at.ask("/approvals/approval-1", post({ approved: true }));
    expect([late.status, await late.json()]).toMatchObject([
      410,
      { error: { code: "REQUEST_EXPIRED" }, status: "expired", decision: { status: "expired" } },
    ]);
  });
});

describe("one answer to several", () => {
  test("is a no for all of a group, run or session, and for no others", async () => {
    await using at = await testApp();
    const of = (approvalId: string, groupId: string) => put(at.desk.broker, { approvalId, groupId });
    const [first, second] = [of("1", "turn-1"), of("2", "turn-1")];
    void of("3", "turn-2");
    await settled(at.desk, 3);
    const said = await at.ask(
      "/approvals",
      post({ filter: { groupId: "turn-1" }, approved: false, note: "no" }),
    );
    expect([said.status, await said.json()]).toEqual([200, { answered: 2 }]);
    expect(await Promise.all([first, second])).toEqual(
      Array(2).fill({ status: "rejected", by: "ann", note: "no" }),
    );
    expect((await at.desk.broker.pending()).map(({ approvalId }) => approvalId)).toEqual(["3"]);
  });

  test("is a yes for those alone that somebody has seen: one that came meanwhile waits on", async () => {
    await using at = await testApp();
    const of = (approvalId: string) => put(at.desk.broker, { approvalId, groupId: "turn-1" });
    const first = of("1");
    void of("2");
    await settled(at.desk, 2);
    const filter = { groupId: "turn-1" };
    const said = await at.ask("/approvals", post({ filter, approved: true, seen: ["1", "elsewhere"] }));
    expect(await said.json()).toEqual({ answered: 1 });
    expect(await first).toMatchObject({ status: "approved", scope: "once", by: "ann" });
    expect((await at.desk.broker.pending()).map(({ approvalId }) => approvalId)).toEqual(["2"]);
    const blind = await at.ask("/approvals", post({ filter, approved: true }));
    expect(blind.status).toBe(400);
  });
});

test("grants are listed, and taken back once (S1-42)", async () => {
  await using at = await testApp();
  const key = { cacheKey: "k", toolVersion: "1", program: null, granted: null };
  await at.desk.broker.saveGrant({
    kind: "call",
    grantId: "grant/1",
    sessionId: "session-1",
    tool: "deploy",
    covers: "deploy to staging",
    by: "ann",
    grantedAt: 1,
    key,
  });
  expect(await json(at.ask("/grants"))).toMatchObject({
    grants: [{ grantId: "grant/1", covers: "deploy to staging" }],
  });
  const revoke = () => at.ask("/grants/grant%2F1", { method: "DELETE" });
  expect([(await revoke()).status, (await revoke()).status]).toEqual([200, 404]);
  expect(at.desk.written().at(-1)).toMatchObject({ type: "grant.revoked", by: "ann" });
});

test("health says ok, to anybody, and nothing else", async () => {
  await using at = await testApp();
  expect(await json(fetch(`${at.server.url}/health`))).toEqual({ status: "ok" });
});

test("a server over a store sees what another process's broker asked, and answers it (S4-2)", async () => {
  const other = desk({ runId: "run-2" });
  await using at = await testApp({ store: other.store });
  const answer = put(other.broker, { runId: "run-2" });
  await settled(other, 1);
  expect(await json(at.ask("/approvals"))).toMatchObject({ pending: [{ runId: "run-2" }] });
  await at.ask("/approvals/approval-1", post({ approved: true }));
  expect(await answer).toMatchObject({ status: "approved", by: "ann" });
});

/** What a server says, as far as these tests look at it. */
interface Said {
  readonly pending: readonly { readonly approvalId: string }[];
  readonly decision: unknown;
}

async function json(asked: Promise<Response>): Promise<Said> {
  return (await asked).json();
}

describe("a gate whose questions are answered over HTTP", () => {
  const rules = [{ pattern: "deploy", args: { env: "prod" }, action: "deny" }] as const;

  test("runs what was approved, remembers a yes for the session, and judges another input again (S0-34)", async () => {
    using gate = createGate({ handler: new BrokerHandler(), approval: { rules: [...rules] } });
    await using server = await serveApprovals(gate.broker, { approvers: [ANN] });
    const tools = gate.guard([defineTool({ name: "deploy", run: ({ input }) => input })]);
    const asked = async (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${server.url}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${ANN.token}`, "content-type": "application/json" },
      });
    const answered = async (env: string, body: unknown): Promise<unknown> => {
      const call = tools.call("deploy", { env });
      await settled({ broker: gate.broker }, 1);
      const [request] = (await json(asked("/approvals"))).pending;
      expect((await asked(`/approvals/${request?.approvalId}`, post(body))).status).toBe(200);
      return call;
    };
    expect(await answered("staging", { approved: true, scope: "session" })).toMatchObject({ kind: "done" });
    expect(await tools.call("deploy", { env: "staging" })).toMatchObject({ kind: "done" });
    expect(await answered("test", { approved: true, editedInput: { env: "staging" } })).toMatchObject({
      kind: "done",
      value: { env: "staging" },
    });
    expect(await answered("test", { approved: true, editedInput: { env: "prod" } })).toMatchObject({
      kind: "denied",
    });
    expect(await answered("test", { approved: false, note: "no" })).toMatchObject({ kind: "denied" });
  });
});
