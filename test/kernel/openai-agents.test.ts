import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { Agent } from "@openai/agents";
import { ScriptedModel } from "@openai/agents/testing";
import { describe, expect, it } from "vitest";
import { cofferdamTools, settle } from "../../src/adapters/openai-agents.ts";
import { ASKS, Fates, TOUCH } from "../support/approval/fates.ts";
import type { Settings } from "../support/battery/place.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";
import { call, DONE, inProcess, only, restored, runner, told } from "../support/faces/agents-run.ts";

sandboxMustWork("the OpenAI Agents SDK");

/** Whatever writes is asked about. */
const writes = ({ place }: Fates, approval: Settings["approval"] = {}): Settings => ({
  sandbox: { paths: { ws: { root: place.ws, mode: "rw", write_approval: true } } },
  approval: { wait: "suspend", ...approval },
});
const write = (callId: string, path: string, content = "new\n") =>
  call("write_file", { path, content }, { callId });

describe.skipIf(unusable !== null)("tools of an agent", () => {
  it("run at once where nobody has to be asked, and say why where they may not run", async () => {
    using fates = new Fates();
    fates.place.file("ws/a.txt", "of a\n");
    await inProcess(
      fates,
      async ({ session, agentWith, open }) => {
        const agent = agentWith(cofferdamTools(session), [
          [
            call("shell", { script: "cat a.txt" }, { callId: "run" }),
            call("shell", { script: "rm a.txt" }, { callId: "denied" }),
            call("read_file", { path: "/etc/passwd" }, { callId: "outside" }),
            call("read_file", { path: "none" }, { callId: "missing" }),
            call("shell", { scrip: "true" }, { callId: "misspelt" }),
          ],
          DONE,
        ]);
        const result = await runner.run(agent, "go");
        expect(result.interruptions).toEqual([]);
        expect(told(result.newItems)).toEqual({
          run: expect.stringContaining('"status":0,"timed_out":false,"stdout":"of a\\n"'),
          denied: "Denied: command blocked: rm",
          outside: expect.stringMatching(/^Denied: no tool may read `\/etc\/passwd`.*\nWhat would help: /),
          missing: expect.stringMatching(/^Error: `ws:none` is not there/),
          misspelt: expect.stringMatching(/^Error: /),
        });
        expect(await open()).toEqual([]);
      },
      {
        shell: { default: { allowed: true, approval: false }, rules: [{ pattern: "rm", allowed: false }] },
        approval: { wait: "suspend" },
      },
    );
  });

  it("interrupt the run where a yes is needed, with what would run and why, and run once after it", async () => {
    using fates = new Fates();
    await inProcess(fates, async ({ session, supervisor, agentWith, open }) => {
      const agent = agentWith(cofferdamTools(session), [[call("shell", TOUCH, { callId: "1" })], DONE]);
      const { state } = await runner.run(agent, "go");
      const { item, requests } = only(await settle(state));
      expect(requests).toMatchObject([
        { tool: "shell", description: "run touch made", reason: "no rule covers this command" },
      ]);
      expect(fates.made()).toBe(false);
      state.approve(item);
      expect(await settle(state, "ann")).toEqual([]);
      const result = await runner.run(agent, state);
      expect(result.finalOutput).toBe("done");
      expect(told(result.newItems)).toEqual({ "1": expect.stringContaining('"status":0') });
      expect(fates.made()).toBe(true);
      expect(await open()).toEqual([]);
      const { approvalId } = only(requests);
      expect(await supervisor.broker.find(approvalId)).toMatchObject({
        status: "done",
        decision: { status: "approved", scope: "once", by: "ann" },
      });
    });
  });

  it("run by a yes that nobody wrote down before, and record it", async () => {
    using fates = new Fates();
    await inProcess(fates, async ({ session, supervisor, agentWith, open }) => {
      const agent = agentWith(cofferdamTools(session), [[call("shell", TOUCH, { callId: "1" })], DONE]);
      const { state, interruptions } = await runner.run(agent, "go");
      const { approvalId } = only(await open());
      state.approve(only(interruptions));
      await runner.run(agent, state);
      expect(fates.made()).toBe(true);
      expect(await supervisor.broker.find(approvalId)).toMatchObject({
        status: "done",
        decision: { by: "openai-agents" },
      });
    });
  });

  it("tell the model a person's no in their words, and leave nothing open", async () => {
    using fates = new Fates();
    await inProcess(fates, async ({ session, supervisor, agentWith, open }) => {
      const agent = agentWith(cofferdamTools(session), [[call("shell", TOUCH, { callId: "1" })], DONE]);
      const { state, interruptions } = await runner.run(agent, "go");
      const { approvalId } = only(await open());
      state.reject(only(interruptions), { message: "not on a Friday" });
      expect(await settle(state, "ann")).toEqual([]);
      expect(await open()).toEqual([]);
      const result = await runner.run(agent, state);
      expect(told(result.newItems)).toEqual({ "1": "not on a Friday" });
      expect(fates.made()).toBe(false);
      expect(await supervisor.broker.find(approvalId)).toMatchObject({
        status: "rejected",
        decision: { by: "ann", note: "not on a Friday" },
      });
    });
  });

  it("write what was approved, and nothing where the file is another by then: that is asked about anew", async () => {
    using fates = new Fates();
    fates.place.file("ws/same.txt", "old\n");
    fates.place.file("ws/other.txt", "old\n");
    await inProcess(
      fates,
      async ({ session, supervisor, agentWith, open }) => {
        const agent = agentWith(cofferdamTools(session), [
          [write("1", "same.txt"), write("2", "other.txt")],
          [write("3", "other.txt")],
          DONE,
        ]);
        const { state, interruptions } = await runner.run(agent, "go");
        fates.place.file("ws/other.txt", "of somebody else\n");
        for (const item of interruptions) state.approve(item);
        await settle(state);
        const again = await runner.run(agent, state);
        expect(told(again.newItems)).toEqual({
          "1": expect.stringContaining('"is_new":false'),
          "2": expect.stringMatching(/^Denied: no question was asked about exactly this call/),
        });
        expect(readFileSync(`${fates.place.ws}/same.txt`, "utf8")).toBe("new\n");
        expect(readFileSync(`${fates.place.ws}/other.txt`, "utf8")).toBe("of somebody else\n");
        const { item, requests } = only(await settle(again.state));
        expect(await supervisor.broker.present(only(requests).approvalId)).toMatchObject({
          type: "diff",
          content: expect.stringContaining("-of somebody else\n+new\n"),
        });
        again.state.approve(item);
        await settle(again.state);
        await runner.run(agent, again.state);
        expect(readFileSync(`${fates.place.ws}/other.txt`, "utf8")).toBe("new\n");
        // The question about what the file was stays as it is: nobody's yes was for it.
        expect((await open()).map(({ description }) => description)).toEqual(["write to ws:other.txt"]);
      },
      writes(fates),
    );
  });

  it("give each call of a turn its own answer, and let run what needs none", async () => {
    using fates = new Fates();
    await inProcess(
      fates,
      async ({ session, agentWith, open }) => {
        const agent = agentWith(cofferdamTools(session), [
          [
            write("yes", "a"),
            write("no", "b"),
            call("list_dir", { path: "." }, { callId: "free" }),
            write("later", "c"),
          ],
          DONE,
        ]);
        const { state, newItems } = await runner.run(agent, "go");
        expect(Object.keys(told(newItems))).toEqual(["free"]);
        const [first, second] = await settle(state);
        if (first === undefined || second === undefined) throw new Error("too few");
        state.approve(first.item);
        state.reject(second.item, { message: "not b" });
        const rest = await settle(state);
        expect(rest.map(({ requests }) => only(requests).description)).toEqual(["write to ws:c"]);
        const half = await runner.run(agent, state);
        expect(half.interruptions).toHaveLength(1);
        expect([fates.made("a"), fates.made("b"), fates.made("c")]).toEqual([true, false, false]);
        half.state.approve(only(half.interruptions));
        const result = await runner.run(agent, half.state);
        expect(told(result.newItems)).toMatchObject({ no: "not b" });
        expect([fates.made("a"), fates.made("b"), fates.made("c")]).toEqual([true, false, true]);
        expect(await open()).toEqual([]);
      },
      writes(fates),
    );
  });

  it("hear what was answered elsewhere: a yes runs, a no is told", async () => {
    using fates = new Fates();
    const asked = await inProcess(
      fates,
      async ({ session, agentWith, open }) => {
        const agent = agentWith(cofferdamTools(session), [[write("1", "a"), write("2", "b")], DONE]);
        const { state } = await runner.run(agent, "go");
        return { text: state.toString(), requests: await open() };
      },
      writes(fates),
    );
    for (const { approvalId, description } of asked.requests)
      await fates.answer(approvalId, description === "write to ws:a");
    await inProcess(
      fates,
      async ({ session, agentWith }) => {
        const agent = agentWith(cofferdamTools(session), [DONE]);
        const state = await restored(agent, asked.text);
        expect(await settle(state)).toEqual([]);
        const result = await runner.run(agent, state);
        expect(result.interruptions).toEqual([]);
        expect(told(result.newItems)).toMatchObject({ "2": "Denied: as you like" });
        expect([fates.made("a"), fates.made("b")]).toEqual([true, false]);
      },
      writes(fates),
    );
  });

  it("are not run by a yes that comes too late", async () => {
    using fates = new Fates();
    const settings: Settings = { ...ASKS, approval: { wait: "suspend", timeout: "1s", on_timeout: "deny" } };
    await inProcess(
      fates,
      async ({ session, agentWith, open }) => {
        const agent = agentWith(cofferdamTools(session), [[call("shell", TOUCH, { callId: "1" })], DONE]);
        const { state, interruptions } = await runner.run(agent, "go");
        state.approve(only(interruptions));
        await wait(1_100);
        const result = await runner.run(agent, state);
        expect(told(result.newItems)).toEqual({ "1": "Denied: nobody answered in time" });
        expect(fates.made()).toBe(false);
        expect(await open()).toEqual([]);
      },
      settings,
    );
  });

  it("end their program when the run is given up", async () => {
    using fates = new Fates();
    await inProcess(
      fates,
      async ({ session, agentWith }) => {
        const script = "touch made; sleep 20; touch late";
        const agent = agentWith(cofferdamTools(session), [
          [call("shell", { script }, { callId: "1" })],
          DONE,
        ]);
        const ending = new AbortController();
        const run = runner.run(agent, "go", { signal: ending.signal });
        const began = performance.now();
        while (!fates.made() && performance.now() - began < 10_000) await wait(20);
        ending.abort();
        await expect(run).rejects.toThrow(/abort/i);
        expect(performance.now() - began).toBeLessThan(10_000);
        expect([fates.made(), fates.made("late")]).toEqual([true, false]);
      },
      { shell: { default: { allowed: true, approval: false } } },
    );
  });

  it("interrupt the run without a question of ours where the model's words are no JSON, and run nothing", async () => {
    using fates = new Fates();
    await inProcess(fates, async ({ session, agentWith, open }) => {
      const agent = agentWith(cofferdamTools(session), [[call("shell", "{", { callId: "1" })], DONE]);
      const { state } = await runner.run(agent, "go");
      const { item, requests } = only(await settle(state));
      expect(requests).toEqual([]);
      state.approve(item);
      const result = await runner.run(agent, state);
      expect(told(result.newItems)).toEqual({ "1": expect.stringContaining("parsing tool arguments") });
      expect(await open()).toEqual([]);
    });
  });
});

describe.skipIf(unusable !== null)("an `always` of the run's person", () => {
  /** Says `always` to the first of these calls, and returns what the model was told of all of them. */
  const always = async (fates: Fates, settings: Settings): Promise<Readonly<Record<string, unknown>>> =>
    inProcess(
      fates,
      async ({ session, agentWith, open }) => {
        const agent = agentWith(cofferdamTools(session), [[write("1", "a")], [write("2", "b")], DONE]);
        const { state, interruptions } = await runner.run(agent, "go");
        state.approve(only(interruptions), { alwaysApprove: true });
        const later = await restored(agent, state.toString());
        await settle(later);
        const result = await runner.run(agent, later);
        expect(result.interruptions).toEqual([]);
        expect(await open()).toEqual([]);
        return told(result.newItems);
      },
      settings,
    );

  it("answers later calls of the tool, where a yes may be remembered", async () => {
    using fates = new Fates();
    expect(await always(fates, writes(fates))).toEqual({
      "1": expect.stringContaining('"is_new":true'),
      "2": expect.stringContaining('"is_new":true'),
    });
    expect([fates.made("a"), fates.made("b")]).toEqual([true, true]);
  });

  it("answers nothing where a rule demands a person for each call: the model is told so", async () => {
    using fates = new Fates();
    const rules = [{ pattern: "write_file", action: "ask", remember: false }];
    const denied = "Denied: somebody has to say yes to this call by itself: an `always` does not answer it";
    expect(await always(fates, writes(fates, { rules }))).toEqual({ "1": denied, "2": denied });
    expect([fates.made("a"), fates.made("b")]).toEqual([false, false]);
    // Its twin: the same without `always`.
    await inProcess(
      fates,
      async ({ session, agentWith }) => {
        const agent = agentWith(cofferdamTools(session), [[write("3", "a")], DONE]);
        const { state, interruptions } = await runner.run(agent, "go");
        state.approve(only(interruptions));
        await runner.run(agent, state);
        expect(fates.made("a")).toBe(true);
      },
      writes(fates, { rules }),
    );
  });

  it("is of one agent: what another one's person approved runs as it was approved, or not at all", async () => {
    using fates = new Fates();
    await inProcess(
      fates,
      async ({ session }) => {
        const tools = cofferdamTools(session);
        const second = new Agent({
          name: "second",
          tools,
          model: new ScriptedModel([[write("2", "b")], DONE]),
        });
        const first = new Agent({
          name: "first",
          tools,
          handoffs: [second],
          model: new ScriptedModel([[write("1", "a")], [call("transfer_to_second", {}, { callId: "to" })]]),
        });
        const { state, interruptions } = await runner.run(first, "go");
        state.approve(only(interruptions), { alwaysApprove: true });
        const handed = await runner.run(first, state);
        expect(only(handed.interruptions).agent.name).toBe("second");
        handed.state.approve(only(handed.interruptions));
        fates.place.file("ws/b", "of somebody else\n");
        const result = await runner.run(first, handed.state);
        expect(told(result.newItems)).toMatchObject({ "2": expect.stringMatching(/^Denied: no question/) });
        expect(fates.place.read("ws/b")).toBe("of somebody else\n");
        expect(fates.made("a")).toBe(true);
      },
      writes(fates),
    );
  });
});
