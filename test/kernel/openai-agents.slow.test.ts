import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Agent } from "@openai/agents";
import { describe, expect, it, vi } from "vitest";
import { cofferdamTools, settle } from "../../src/adapters/openai-agents.ts";
import { ASKS, Fates, TOUCH } from "../support/approval/fates.ts";
import { toldDenied, toldNote } from "../support/approval/told.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Settings } from "../support/battery/place.ts";
import {
  call,
  DONE,
  inProcess,
  only,
  restored,
  runner,
  told,
  write,
  writes,
} from "../support/integrations/agents-run.ts";

sandboxMustWork("the OpenAI Agents SDK");

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
          denied: toldDenied("blocked by rule `rm` of `shell.rules`", "rule"),
          outside: expect.stringMatching(/^Denied: no tool may read `\/etc\/passwd`.*\nWhat would help: /),
          missing: expect.stringMatching(/^Error: `ws:none` does not exist/),
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
      fates.place.file("ws/tool", "#!/bin/sh\ntouch made\n", 0o755);
      const asked = call("shell", { argv: ["./tool"] }, { callId: "1" });
      const agent = agentWith(cofferdamTools(session), [[asked], DONE]);
      const { state, interruptions } = await runner.run(agent, "go");
      const { approvalId } = only(await open());
      state.reject(only(interruptions), { message: "not on a Friday" });
      // It is not the call any more that was asked about.
      fates.place.file("ws/tool", "#!/bin/sh\ntouch other\n", 0o755);
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
          "2": expect.stringMatching(/^Denied: no request exists for exactly this call/),
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
        expect(await open()).toEqual([]);
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
        expect(told(result.newItems)).toMatchObject({ "2": toldNote("as you like", "ann") });
        expect([fates.made("a"), fates.made("b")]).toEqual([true, false]);
      },
      writes(fates),
    );
  });

  it("leave no question behind that nobody asked for, where a file changed before an approved run went on", async () => {
    using fates = new Fates();
    fates.place.file("ws/a", "old\n");
    const text = await inProcess(
      fates,
      async ({ session, agentWith, open }) => {
        const agent = agentWith(cofferdamTools(session), [[write("1", "a")]]);
        const { state, interruptions } = await runner.run(agent, "go");
        state.approve(only(interruptions));
        await settle(state);
        expect(await open()).toEqual([]);
        return state.toString();
      },
      writes(fates),
    );
    fates.place.file("ws/a", "of somebody else\n");
    await inProcess(
      fates,
      async ({ session, agentWith, open }) => {
        const agent = agentWith(cofferdamTools(session), [DONE]);
        const result = await runner.run(agent, await restored(agent, text));
        expect(told(result.newItems)).toEqual({
          "1": expect.stringMatching(/^Denied: no request exists for exactly this call/),
        });
        expect(fates.place.read("ws/a")).toBe("of somebody else\n");
        expect(await open()).toEqual([]);
      },
      writes(fates),
    );
  });

  it("run as the inbox changed them, where it did", async () => {
    using fates = new Fates();
    const asked = await inProcess(
      fates,
      async ({ session, agentWith, open }) => {
        const agent = agentWith(cofferdamTools(session), [[write("1", "a")]]);
        const { state } = await runner.run(agent, "go");
        return { text: state.toString(), request: only(await open()) };
      },
      writes(fates),
    );
    const editedInput = { path: "a", content: "as ann wrote it\n" };
    await fates.answer(asked.request.approvalId, true, { editedInput });
    await inProcess(
      fates,
      async ({ session, agentWith }) => {
        const agent = agentWith(cofferdamTools(session), [DONE]);
        await runner.run(agent, await restored(agent, asked.text));
        expect(fates.place.read("ws/a")).toBe("as ann wrote it\n");
      },
      writes(fates),
    );
  });

  it("are a supervisor's too, for an agent of that name, and stream", async () => {
    using fates = new Fates();
    await inProcess(fates, async ({ supervisor, session, agentWith, open }) => {
      const tools = cofferdamTools(supervisor, { agent: "other" });
      const agent = agentWith(tools, [[call("shell", TOUCH, { callId: "1" })], DONE]);
      const stream = await runner.run(agent, "go", { stream: true });
      await stream.completed;
      expect(only(await open())).toMatchObject({ agent: "other" });
      stream.state.approve(only(stream.interruptions));
      const result = await runner.run(agent, stream.state, { stream: true });
      await result.completed;
      expect(result.finalOutput).toBe("done");
      expect(fates.made()).toBe(true);
      expect(() => cofferdamTools(session, { agent: "other" })).toThrow(
        expect.objectContaining({ code: "USAGE" }),
      );
    });
  });

  it("ask the whole run where an agent is a tool of another", async () => {
    using fates = new Fates();
    await inProcess(fates, async ({ session, agentWith, open }) => {
      const inner = () => agentWith(cofferdamTools(session), [[call("shell", TOUCH, { callId: "1" })], DONE]);
      const outer = (tool: Agent) =>
        agentWith(
          [tool.asTool({ toolName: "helper", toolDescription: "helps" })],
          [[call("helper", { input: "go" }, { callId: "0" })], DONE],
        );
      const { state } = await runner.run(outer(inner()), "go");
      const resuming = outer(agentWith(cofferdamTools(session), [DONE]));
      const again = await restored(resuming, state.toString());
      const { item, requests } = only(await settle(again));
      expect(only(requests).description).toBe("run touch made");
      again.approve(item);
      await settle(again);
      await runner.run(resuming, again);
      expect([fates.made(), await open()]).toEqual([true, []]);
    });
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
        expect(told(result.newItems)).toEqual({
          "1": toldDenied("the request was not answered in time", "timeout"),
        });
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
        const script = "touch made; sleep 600; touch late";
        const agent = agentWith(cofferdamTools(session), [
          [call("shell", { script }, { callId: "1" })],
          DONE,
        ]);
        const ending = new AbortController();
        const run = runner.run(agent, "go", { signal: ending.signal });
        await vi.waitFor(() => expect(fates.made()).toBe(true), 20_000);
        ending.abort();
        await expect(run).rejects.toThrow(/abort/i);
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
