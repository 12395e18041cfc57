import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { Asked } from "../support/approval/asked.ts";
import { testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { rootsIn } from "../support/files/notes.ts";

sandboxMustWork("the end of a session");

/** How many processes there are below this one. */
function countBelow(pid: number | string = process.pid): number {
  let count = 0;
  for (const task of listed(`/proc/${pid}/task`)) {
    const children = read(`/proc/${pid}/task/${task}/children`)
      .split(" ")
      .filter((one) => one !== "");
    count += children.reduce((sum, child) => sum + 1 + countBelow(child), 0);
  }
  return count;
}

function listed(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}

describe.skipIf(unusable !== null)("a session that ends while calls are made", () => {
  it("leaves no process, does nothing any more and asks nobody, at whatever instant it ends", async () => {
    await using at = await testSession(
      (place) => {
        rootsIn(place);
        place.file("ws/a", "here");
      },
      { settings: (place) => ({ sandbox: { paths: rootsIn(place) } }) },
    );
    const { supervisor, place } = at;
    const before = countBelow();
    for (let round = 0; round < 8; round += 1) {
      const handler = new Asked();
      const session = supervisor.session({ handler });
      const calls = [
        session.call("read_file", { path: "a" }),
        session.call("write_file", { path: `cache:${round}`, content: "x" }),
        session.call("write_file", { path: `notes:${round}.md`, content: "x" }),
      ];
      const ended = Promise.all(calls);
      await pause(round * 30);
      await session[Symbol.asyncDispose]();
      expect(countBelow()).toBeLessThanOrEqual(before);
      const asked = handler.requests.length;
      const there = listed(`${place.top}/notes`).length;
      await ended;
      await pause(50);
      expect([handler.requests.length, listed(`${place.top}/notes`).length]).toEqual([asked, there]);
      expect(countBelow()).toBeLessThanOrEqual(before);
    }
    const names = ["cache", "notes"].flatMap((root) => listed(`${place.top}/${root}`));
    expect(names.filter((name) => name.startsWith(".cofferdam-tmp-"))).toEqual([]);
    expect(listed(`${place.state}/cofferdam/temporaries`)).toEqual([]);
  });

  it("ends what runs, and what is called behind its end", async () => {
    await using at = await testSession(() => undefined, { session: { caller: "person" } });
    const running = at.session.call("shell", { argv: ["sh", "-c", ": > up; exec sleep 60"] });
    await vi.waitUntil(() => existsSync(`${at.place.ws}/up`), { timeout: 60_000 });
    await at.session[Symbol.asyncDispose]();
    expect((await running).kind).toBe("failed");
    await expect(at.session.call("read_file", { path: "a" })).rejects.toThrow("has ended");
  });

  it("takes back what it was granted, calls and hosts, and answers no to calls that stand still; what is to be run later, and others', stays", async () => {
    const handler = new Asked(({ tool }) => ({
      approved: true,
      by: "ann",
      scope: tool === "shell" ? "session" : "once",
    }));
    await using at = await testSession(() => undefined, { handler });
    const { broker } = at.supervisor;
    const granting = () => at.supervisor.session({ handler });
    const [granted, other] = [granting(), granting()];
    for (const session of [granted, other]) {
      await session.call("shell", { argv: ["true"] });
      await session.call("web_fetch_add_domain", { domain: "docs.example.org" });
    }
    const wait = { timeoutMs: null, onTimeout: "wait", style: "suspend" } as const;
    const suspending = () =>
      at.supervisor.session({ handler: new Asked(() => ({ status: "pending" })), wait });
    const [ending, patient] = [suspending(), suspending()];
    for (const session of [ending, patient])
      expect((await session.call("shell", { argv: ["true"] })).kind).toBe("pending");
    const waiting = at.supervisor.session({ handler: () => new Promise(() => undefined) });
    const held = waiting.call("shell", { argv: ["true"] });
    await vi.waitFor(async () => expect(await broker.pending()).toHaveLength(3), 20_000);
    const grants = async () =>
      Promise.all([granted, other].map(async (one) => (await one.grants()).map(({ kind }) => kind)));
    const pending = async () => (await broker.pending()).map(({ sessionId }) => sessionId);
    expect(await grants()).toEqual([
      ["call", "host"],
      ["call", "host"],
    ]);
    expect(await pending()).toEqual([ending.sessionId, patient.sessionId, waiting.sessionId]);
    await ending[Symbol.asyncDispose]();
    await granted[Symbol.asyncDispose]();
    await waiting[Symbol.asyncDispose]();
    expect(await grants()).toEqual([[], ["call", "host"]]);
    expect(await held).toMatchObject({ kind: "denied" });
    expect(await pending()).toEqual([ending.sessionId, patient.sessionId]);
    expect(at.journal.of("approval.resolved").at(-1)).toMatchObject({ approved: false });
  });

  it("ends with its supervisor, which waits for every program, at whatever instant it ends", async () => {
    for (const instant of [0, 3, 8, 15, 25, 40, 60, 90, "both run"] as const) {
      await using at = await testSession(() => undefined, { session: { caller: "person" } });
      const before = countBelow();
      const over: string[] = [];
      const made = ["a", "b"].map(async (name) => {
        const script = `: > ${name}; exec sleep 60`;
        const { kind } = await at.session.call("shell", { argv: ["sh", "-c", script] });
        over.push(kind);
      });
      const settled = Promise.allSettled(made);
      if (instant === "both run") await vi.waitUntil(() => listed(at.place.ws).length === 2, 20_000);
      else await pause(instant);
      await at.supervisor[Symbol.asyncDispose]();
      expect(countBelow()).toBeLessThanOrEqual(before);
      const [begun, known] = [listed(at.place.ws), [...over]];
      await settled;
      await pause(20);
      expect([listed(at.place.ws), over]).toEqual([begun, known]);
      if (instant === "both run") expect(known).toHaveLength(2);
      expect(known.every((kind) => kind === "failed")).toBe(true);
    }
  });

  it("takes no call and makes no session behind the end of its supervisor", async () => {
    await using at = await testSession(() => undefined, { session: { caller: "person" } });
    expect((await at.session.call("shell", { argv: ["true"] })).kind).toBe("done");
    await at.supervisor[Symbol.asyncDispose]();
    const call = at.session.call("shell", { argv: ["true"] });
    await expect(call).rejects.toMatchObject({ code: "USAGE", message: "this supervisor has ended" });
    expect(() => at.supervisor.session()).toThrow("this supervisor has ended");
  });

  it("may be ended by whoever is asked about a call of it, and by what takes its output", async () => {
    await using at = await testSession(() => undefined);
    const asked = at.supervisor.session({
      handler: new Asked(async () => {
        await asked[Symbol.asyncDispose]();
        return { approved: true, by: "ann" };
      }),
    });
    const { kind } = await asked.call("shell", { argv: ["true"] });
    expect(kind).toBe("denied");
    const shown = at.supervisor.session({ caller: "person" });
    const end = () => shown[Symbol.asyncDispose]();
    const sinks = { stdout: end, stderr: end };
    const ended = await shown.call("shell", { argv: ["sh", "-c", "echo; exec sleep 60"] }, { sinks });
    expect(ended.kind).toBe("failed");
  });

  it("that nobody ends answers every call, as the twin of these", async () => {
    await using at = await testSession((place) => place.file("ws/a", "here"), {
      session: { caller: "person" },
    });
    expect((await at.session.call("shell", { argv: ["sleep", "0.1"] })).kind).toBe("done");
    expect((await at.session.call("read_file", { path: "a" })).kind).toBe("done");
  });
});
