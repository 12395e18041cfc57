import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { SessionOptions } from "../../src/index.ts";
import { defineTool } from "../../src/index.ts";
import { ASKS, Fates, TOUCH } from "../support/approval/fates.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Settings } from "../support/battery/place.ts";

sandboxMustWork("what may be called");

const BLOCKS: SessionOptions = { wait: { style: "block" } };

/** A session over the store of these fates, for as long as the work lasts. */
async function within<Value>(
  fates: Fates,
  work: (session: Awaited<ReturnType<typeof begun>>["session"]) => Promise<Value>,
  settings: Settings = ASKS,
  own: SessionOptions = BLOCKS,
): Promise<Value> {
  const { supervisor, session } = await begun(fates, settings, own);
  await using _supervisor = supervisor;
  return await work(session);
}

async function begun(fates: Fates, settings: Settings, own: SessionOptions) {
  const supervisor = await fates.supervisor(settings);
  return { supervisor, session: supervisor.session(own) };
}

describe.skipIf(unusable !== null)("whether a call may be made", () => {
  it("is told without making it, for every kind of tool", async () => {
    using fates = new Fates();
    const ran: unknown[] = [];
    const tools = [
      defineTool({ name: "look", risk: "read_only", run: ({ input }) => ran.push(input) }),
      defineTool({ name: "send", run: ({ input }) => ran.push(input) }),
      defineTool({ name: "drop", risk: "destructive", run: ({ input }) => ran.push(input) }),
      defineTool({ name: "say", needs: {}, command: ["echo", "hello"] }),
    ];
    const kinds = await within(
      fates,
      async (session) => {
        const of = async (tool: string, input: unknown) => (await session.ask(tool, input)).kind;
        return {
          look: await of("look", {}),
          send: await of("send", {}),
          drop: await of("drop", {}),
          say: await of("say", {}),
          shell: await of("shell", TOUCH),
          list: await of("list_dir", { path: "." }),
          missing: await of("read_file", { path: "nowhere" }),
        };
      },
      ASKS,
      { ...BLOCKS, tools },
    );
    expect(kinds).toEqual({
      look: "allowed",
      send: "pending",
      drop: "denied",
      say: "pending",
      shell: "pending",
      list: "allowed",
      missing: "allowed",
    });
    expect(ran).toEqual([]);
    expect(fates.made()).toBe(false);
  });

  it("is found again by the name that the call has outside, in another process, and runs once", async () => {
    using fates = new Fates();
    const toolCallId = "call_1";
    const first = await within(fates, (session) => session.ask("shell", TOUCH, { toolCallId }));
    if (first.kind !== "pending") throw new Error(JSON.stringify(first));
    const { approvalId } = first;
    await within(fates, async (session) => {
      expect(await session.ask("shell", TOUCH, { toolCallId, mayAsk: false })).toMatchObject({ approvalId });
      expect(await session.respond(approvalId, { approved: true }, "ann")).toBe("accepted");
      const cleared = await session.ask("shell", TOUCH, { toolCallId });
      expect(cleared).toEqual({ kind: "approved", approvalId });
      expect(fates.made()).toBe(false);
      expect(await session.call("shell", TOUCH, { approvalId })).toMatchObject({ kind: "done" });
      expect(fates.made()).toBe(true);
      // It was for one run: what is asked next is another question.
      expect(await session.ask("shell", TOUCH, { toolCallId, mayAsk: false })).toMatchObject({
        kind: "denied",
        reason: "this approval was used already",
      });
      const next = await session.ask("shell", TOUCH, { toolCallId });
      expect(next.kind).toBe("pending");
      expect("approvalId" in next && next.approvalId).not.toBe(approvalId);
    });
  });

  it("is another question where anything of the call is another", async () => {
    using fates = new Fates();
    const toolCallId = "call_1";
    const tool = `${fates.place.ws}/tool`;
    const call = { argv: ["./tool"] };
    writeFileSync(tool, "#!/bin/sh\ntouch made\n", { mode: 0o755 });
    await within(fates, async (session) => {
      const first = await session.ask("shell", call, { toolCallId });
      const others = [
        await session.ask("shell", call, { toolCallId: "call_2" }),
        await session.ask("shell", { argv: ["./tool", "x"] }, { toolCallId }),
      ];
      for (const other of others) expect(other).toMatchObject({ kind: "pending" });
      const ids = [first, ...others].map((one) => ("approvalId" in one ? one.approvalId : ""));
      expect(new Set(ids).size).toBe(3);
      await session.respond(ids[0] ?? "", { approved: true }, "ann");
      writeFileSync(tool, "#!/bin/sh\ntouch other\n", { mode: 0o755 });
      expect(await session.ask("shell", call, { toolCallId, mayAsk: false })).toMatchObject({
        kind: "denied",
        code: "APPROVAL_DENIED",
      });
      expect(await session.call("shell", call, { approvalId: ids[0] ?? "" })).toMatchObject({
        kind: "denied",
      });
    });
    expect([fates.made(), fates.made("other")]).toEqual([false, false]);
  });

  it("puts a question away that rules answer by now; one that they deny may be answered when they do no more", async () => {
    using fates = new Fates();
    const toolCallId = "call_1";
    const ask = (rules: readonly object[]) =>
      within(fates, (session) => session.ask("shell", TOUCH, { toolCallId }), { ...ASKS, shell: { rules } });
    const first = await ask([]);
    expect(await ask([{ pattern: "touch", allowed: false }])).toMatchObject({ kind: "denied" });
    expect(await ask([])).toEqual(first);
    expect(await ask([{ pattern: "touch", approval: false }])).toEqual({ kind: "allowed" });
    await using supervisor = await fates.supervisor();
    expect(await supervisor.broker.pending()).toEqual([]);
  });

  it("is asked about once, by however many at once", async () => {
    using fates = new Fates();
    await within(fates, async (session) => {
      const asked = await Promise.all(
        Array.from({ length: 8 }, () => session.ask("shell", TOUCH, { toolCallId: "call_1" })),
      );
      const [first] = asked;
      expect(first).toMatchObject({ kind: "pending" });
      for (const one of asked) expect(one).toEqual(first);
    });
    await using supervisor = await fates.supervisor();
    expect(await supervisor.broker.pending()).toHaveLength(1);
  });

  it("stays refused after a no where its name outside is its own, and is asked about anew where another may have it", async () => {
    using fates = new Fates();
    const toolCallId = "call_1";
    const asked = await within(fates, (session) => session.ask("shell", TOUCH, { toolCallId }));
    if (asked.kind !== "pending") throw new Error(JSON.stringify(asked));
    await fates.answer(asked.approvalId, false);
    await within(fates, async (session) => {
      const refused = { kind: "denied", code: "APPROVAL_DENIED", reason: "rejected by ann: as you like" };
      expect(await session.ask("shell", TOUCH, { toolCallId, isUnique: true })).toMatchObject(refused);
      expect(await session.ask("shell", TOUCH, { toolCallId, mayAsk: false })).toMatchObject(refused);
      const anew = await session.ask("shell", TOUCH, { toolCallId });
      expect(anew).toMatchObject({ kind: "pending" });
      expect("approvalId" in anew && anew.approvalId).not.toBe(asked.approvalId);
      expect(await session.find(asked.approvalId)).toMatchObject({
        status: "rejected",
        request: { approvalId: asked.approvalId, tool: "shell" },
      });
      expect(await session.find("nobody's")).toBe(null);
    });
  });

  it("is no more once it was answered no three times, wherever that was", async () => {
    using fates = new Fates();
    await within(fates, async (session) => {
      for (const toolCallId of ["1", "2", "3"]) {
        const asked = await session.ask("shell", TOUCH, { toolCallId });
        if (asked.kind !== "pending") throw new Error(JSON.stringify(asked));
        await session.respond(asked.approvalId, { approved: false, reason: "no" }, "ann");
      }
      expect(await session.ask("shell", TOUCH, { toolCallId: "4" })).toMatchObject({
        kind: "denied",
        reason: "the same call was rejected three times in this session",
      });
    });
  });

  it("ends when one does for which a call stands still, and days later where calls are run later", async () => {
    using fates = new Fates();
    const lasts = async (settings: Settings) =>
      within(
        fates,
        async (session) => {
          const asked = await session.ask("shell", TOUCH);
          const { request } = (await session.find("approvalId" in asked ? asked.approvalId : "")) ?? {};
          if (request === undefined) throw new Error("nothing is asked");
          return request.expiresAt === null ? null : request.expiresAt - request.createdAt;
        },
        settings,
        {},
      );
    expect(await lasts(ASKS)).toBe(7 * 24 * 3_600_000);
    expect(await lasts({ ...ASKS, approval: { wait: "suspend", keep: "2d" } })).toBe(2 * 24 * 3_600_000);
    expect(await lasts({ ...ASKS, approval: { wait: "suspend", on_timeout: "wait" } })).toBe(null);
    expect(await lasts({ ...ASKS, approval: { timeout: "1m" } })).toBe(60_000);
    expect(await lasts({ ...ASKS, approval: { wait: "suspend", timeout: "1m", on_timeout: "deny" } })).toBe(
      60_000,
    );
  });

  it("is asked about once by several sessions at once, and found among as many as there were", async () => {
    using fates = new Fates();
    const tools = [defineTool({ name: "send", run: () => "sent" })];
    await using supervisor = await fates.supervisor();
    const sessions = Array.from({ length: 4 }, () => supervisor.session({ ...BLOCKS, tools }));
    const name = { toolCallId: "call_0" };
    for (let round = 0; round < 40; round += 1) {
      const asked = await Promise.all(sessions.map((session) => session.ask("send", {}, name)));
      const ids = asked.map((one) => ("approvalId" in one ? one.approvalId : one.kind));
      expect(new Set(ids).size).toBe(1);
      const [approvalId = ""] = ids;
      expect(await sessions[0]?.respond(approvalId, { approved: true }, "ann")).toBe("accepted");
      expect(await sessions[0]?.ask("send", {}, name)).toEqual({ kind: "approved", approvalId });
      expect(await sessions[0]?.call("send", {}, { approvalId })).toMatchObject({ kind: "done" });
    }
  });

  it("is none any more once the yes was taken back, and an answer is by somebody", async () => {
    using fates = new Fates();
    await within(fates, async (session) => {
      const asked = await session.ask("shell", TOUCH, { toolCallId: "call_1" });
      const id = "approvalId" in asked ? asked.approvalId : "";
      await expect(session.respond(id, { approved: false, by: "nobody" })).rejects.toMatchObject({
        code: "USAGE",
      });
      expect(await session.withdraw(id)).toBe(false);
      await session.respond(id, { approved: true }, "ann");
      expect(await session.withdraw(id)).toBe(true);
      expect(await session.call("shell", TOUCH, { approvalId: id })).toMatchObject({ kind: "denied" });
    });
    expect(fates.made()).toBe(false);
  });
});
