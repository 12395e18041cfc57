import { readFileSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createDesk, defineTool } from "../../src/index.ts";
import { Asked } from "../support/approval/asked.ts";
import { ASKS, Fates, TOUCH } from "../support/approval/fates.ts";
import { printed } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Settings } from "../support/battery/place.ts";

sandboxMustWork("what is approved later");

describe.skipIf(unusable !== null)("a call that outlives its process", () => {
  it("runs after a yes, in another process, once; the record says what was decided (S2-7, S2-10, S4-19)", async () => {
    using fates = new Fates();
    const id = await fates.ask("shell", TOUCH);
    expect(fates.made()).toBe(false);
    expect(await fates.resume(id)).toMatchObject({ kind: "pending", approvalId: id });
    await fates.answer(id);
    expect(fates.made()).toBe(false);
    expect(await fates.resume(id)).toMatchObject({ kind: "done", receipt: { backend: "bubblewrap" } });
    expect(fates.made()).toBe(true);
    expect(fates.journal.types).toEqual(expect.arrayContaining(["approval.resolved", "walls.proven"]));
    expect(await fates.resume(id)).toMatchObject({
      kind: "denied",
      code: "APPROVAL_DENIED",
      reason: "this approval was used already",
    });
  });

  it("does not run after a no, and says why (S2-11)", async () => {
    using fates = new Fates();
    const id = await fates.ask("shell", TOUCH);
    await fates.answer(id, false);
    expect(await fates.resume(id)).toMatchObject({ kind: "denied", reason: "rejected by ann: as you like" });
    expect(fates.made()).toBe(false);
  });

  it("may be of any tool: of files, a function or a program of the host's own, as the agent that asked", async () => {
    using fates = new Fates();
    const ran: unknown[] = [];
    const tools = [
      defineTool({ name: "deploy", run: ({ input }) => ran.push(input) }),
      defineTool({ name: "say", needs: {}, command: () => ["echo", "hello"] }),
    ];
    const own = { tools, agent: "ops" };
    const ids = [await fates.ask("deploy", { env: "staging" }, own), await fates.ask("say", {}, own)];
    for (const id of ids) await fates.answer(id);
    const [deployed, said] = [
      await fates.resume(ids[0] ?? "", ASKS, { tools }),
      await fates.resume(ids[1] ?? "", ASKS, { tools }),
    ];
    expect(deployed).toMatchObject({ kind: "done" });
    expect(ran).toEqual([{ env: "staging" }]);
    expect(printed(said)).toBe("hello");
  });

  it("is judged again: a new deny wins (approve.deny)", async () => {
    using fates = new Fates();
    const id = await fates.ask("shell", TOUCH);
    await fates.answer(id);
    const denies = { ...ASKS, shell: { rules: [{ pattern: "touch", allowed: false }] } };
    expect(await fates.resume(id, denies)).toMatchObject({ kind: "denied", code: "APPROVAL_BLOCKED" });
    expect(fates.made()).toBe(false);
    // It was for what was shown, which nobody denies any more.
    expect(await fates.resume(id)).toMatchObject({ kind: "done" });
  });

  it("is asked about again where it would run in another sandbox, or another program would run", async () => {
    using fates = new Fates();
    const { place } = fates;
    writeFileSync(`${place.ws}/tool`, "#!/bin/sh\ntouch made\n", { mode: 0o755 });
    const id = await fates.ask("shell", { argv: ["./tool"] });
    await fates.answer(id);
    writeFileSync(`${place.ws}/tool`, "#!/bin/sh\ntouch other\n", { mode: 0o755 });
    const asked = new Asked(() => ({ approved: false }));
    const again = await fates.resume(id, ASKS, { handler: asked });
    expect(again).toMatchObject({ kind: "pending" });
    expect("approvalId" in again && again.approvalId).not.toBe(id);
    const wide: Settings = { ...ASKS, sandbox: { limits: { memory: "3GiB" } } };
    expect(await fates.resume(id, wide)).toMatchObject({ kind: "pending" });
    expect([fates.made(), fates.made("other")]).toEqual([false, false]);
    // What was approved is still what it was for, and nothing else.
    writeFileSync(`${place.ws}/tool`, "#!/bin/sh\ntouch made\n", { mode: 0o755 });
    expect(await fates.resume(id)).toMatchObject({ kind: "done" });
    expect([fates.made(), fates.made("other")]).toEqual([true, false]);
  });

  it("is its caller's alone where it reads a stream: it is called again with its id", async () => {
    using fates = new Fates();
    const cat = { script: "cat > made" };
    await using supervisor = await fates.supervisor();
    await using session = supervisor.session();
    const first = await session.call("shell", cat, { stdin: Readable.from(["hello"]) });
    if (first.kind !== "pending") throw new Error(JSON.stringify(first));
    const { approvalId } = first;
    await supervisor.broker.respond(approvalId, { approved: true }, "ann");
    await expect(supervisor.resume(approvalId)).rejects.toMatchObject({ code: "USAGE" });
    expect(await session.call("shell", cat, { stdin: Readable.from(["hello"]), approvalId })).toMatchObject({
      kind: "done",
    });
    expect(readFileSync(`${fates.place.ws}/made`, "utf8")).toBe("hello");
  });

  it("is not there under an id that nobody gave", async () => {
    using fates = new Fates();
    await expect(fates.resume("nowhere")).rejects.toMatchObject({ code: "USAGE" });
  });

  it("can be answered by whoever attends to it, and by a handler that knows later (S3-1)", async () => {
    using fates = new Fates();
    const id = await fates.ask("shell", TOUCH);
    let isKnown = false;
    const handler = {
      requestApproval: async () => ({ status: "pending" }) as const,
      checkApproval: async () =>
        isKnown ? ({ approved: true, by: "the ticket" } as const) : ({ status: "pending" } as const),
    };
    expect(await fates.resume(id, ASKS, { handler })).toMatchObject({ kind: "pending", approvalId: id });
    isKnown = true;
    expect(await fates.resume(id, ASKS, { handler })).toMatchObject({ kind: "done" });
    expect(fates.made()).toBe(true);
  });
});

describe.skipIf(unusable !== null)("a call that stands still", () => {
  it("runs on an answer that another process gives (approve.race)", async () => {
    using fates = new Fates();
    const blocks: Settings = { ...ASKS, approval: { wait: "block" } };
    await using supervisor = await fates.supervisor(blocks);
    await using session = supervisor.session({ handler: () => new Promise(() => undefined) });
    const called = session.call("shell", TOUCH);
    let id: string | undefined;
    while (id === undefined) {
      [id] = (await supervisor.broker.pending()).map(({ approvalId }) => approvalId);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await fates.answer(id);
    expect(await called).toMatchObject({ kind: "done" });
    expect(fates.made()).toBe(true);
  });

  it("leaves no secret of its input in the store when it is over", async () => {
    using fates = new Fates();
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    const id = await fates.ask("shell", { argv: ["echo", secret] });
    await fates.answer(id, false);
    await using desk = await createDesk({ config: fates.place.config(ASKS), host: fates.place.host() });
    const stored = await desk.broker.find(id);
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect(await desk.broker.callOf(id)).toBeNull();
    expect(await desk.broker.present(id)).toBeNull();
  });
});
