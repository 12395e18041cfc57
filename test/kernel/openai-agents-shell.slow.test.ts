import { describe, expect, it } from "vitest";
import { settle } from "../../src/adapters/openai-agents.ts";
import { ASKS, Fates } from "../support/approval/fates.ts";
import { toldDenied } from "../support/approval/told.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Settings } from "../support/battery/place.ts";
import {
  DONE,
  inProcess,
  only,
  restored,
  runner,
  shellCall,
  told,
} from "../support/integrations/agents-run.ts";

sandboxMustWork("the shell of the OpenAI Agents SDK");

const RUNS: Settings = {
  shell: { default: { allowed: true, approval: false }, rules: [{ pattern: "rm", allowed: false }] },
  approval: { wait: "suspend" },
};
const exit = (exitCode: number) => ({ type: "exit", exitCode });

describe.skipIf(unusable !== null)("the shell of an agent", () => {
  it("runs each command in a sandbox, and tells how it ended, what is denied and what is not there", async () => {
    using fates = new Fates();
    await inProcess(
      fates,
      async ({ agent, open }) => {
        const commands = [
          "echo out; echo err >&2; exit 3",
          "rm made",
          "touch made",
          "touch /etc/made",
          "nowhere",
        ];
        const result = await runner.run(agent([[shellCall("1", { commands })], DONE]), "go");
        expect(result.interruptions).toEqual([]);
        expect(told(result.newItems)["1"]).toEqual([
          { stdout: "out\n", stderr: "err\n", outcome: exit(3) },
          {
            stdout: "",
            stderr: toldDenied("blocked by rule `rm` of `shell.rules`", "rule"),
            outcome: exit(126),
          },
          { stdout: "", stderr: "", outcome: exit(0) },
          { stdout: "", stderr: expect.stringContaining("What would help: "), outcome: exit(1) },
          { stdout: "", stderr: expect.stringContaining("nowhere"), outcome: exit(127) },
        ]);
        expect(fates.made()).toBe(true);
        expect(await open()).toEqual([]);
      },
      RUNS,
    );
  });

  it("keeps to the time and the length that the model asks for", async () => {
    using fates = new Fates();
    await inProcess(
      fates,
      async ({ agent }) => {
        const timed = { commands: ["touch made; sleep 600", "touch late"], timeoutMs: 700 };
        const bounded = {
          commands: ["printf 123456; printf abcdef >&2", "printf 123456789"],
          maxOutputLength: 8,
        };
        const turns = [[shellCall("timed", timed)], [shellCall("bounded", bounded)], DONE];
        const result = await runner.run(agent(turns), "go");
        expect(told(result.newItems)).toEqual({
          timed: [{ stdout: "", stderr: "", outcome: { type: "timeout" } }],
          bounded: [
            { stdout: "1234", stderr: "abcd", outcome: exit(0) },
            { stdout: "12345678", stderr: "", outcome: exit(0) },
          ],
        });
        expect([fates.made(), fates.made("late")]).toEqual([true, false]);
      },
      RUNS,
    );
  });

  it("asks for exactly its commands, and runs them after a yes, also one in the next process", async () => {
    using fates = new Fates();
    const turns = [[shellCall("1", { commands: ["touch made", "touch other"] })], DONE];
    await inProcess(fates, async ({ agent, open }) => {
      const { state } = await runner.run(agent(turns), "go");
      const { item, requests } = only(await settle(state));
      expect(requests.map(({ description }) => description)).toEqual(["run touch made", "run touch other"]);
      state.approve(item);
      // Nobody says more than the SDK asks for.
      const result = await runner.run(agent([DONE]), state);
      expect(told(result.newItems)["1"]).toMatchObject([{ outcome: exit(0) }, { outcome: exit(0) }]);
      expect([fates.made(), fates.made("other"), await open()]).toEqual([true, true, []]);
    });
    using other = new Fates();
    const text = await inProcess(other, async ({ agent }) => {
      return (await runner.run(agent(turns), "go")).state.toString();
    });
    await inProcess(other, async ({ agent, open }) => {
      const resuming = agent([DONE]);
      const state = await restored(resuming, text);
      state.approve(only(state.getInterruptions()));
      await settle(state);
      await runner.run(resuming, state);
      expect([other.made(), other.made("other"), await open()]).toEqual([true, true, []]);
    });
  });

  it("runs nothing in another process by a yes that nobody wrote down", async () => {
    using fates = new Fates();
    const text = await inProcess(fates, async ({ agent }) => {
      return (
        await runner.run(agent([[shellCall("1", { commands: ["touch made"] })]]), "go")
      ).state.toString();
    });
    await inProcess(fates, async ({ agent }) => {
      const resuming = agent([DONE]);
      const state = await restored(resuming, text);
      state.approve(only(state.getInterruptions()));
      const result = await runner.run(resuming, state);
      expect(told(result.newItems)["1"]).toEqual([
        {
          stdout: "",
          stderr: expect.stringMatching(/^Pending: /),
          outcome: exit(126),
        },
      ]);
      expect(fates.made()).toBe(false);
    });
  });

  it("takes a no and a later yes for two calls of the same words", async () => {
    using fates = new Fates();
    await inProcess(fates, async ({ agent, open }) => {
      const same = { commands: ["echo once >> made"] };
      const running = agent([[shellCall("1", same), shellCall("2", same)], DONE]);
      const { state, interruptions } = await runner.run(running, "go");
      const [first, second] = interruptions;
      if (first === undefined || second === undefined) throw new Error("too few");
      state.reject(first, { message: "not this one" });
      state.approve(second);
      await settle(state);
      const result = await runner.run(running, state);
      expect(told(result.newItems)).toEqual({
        "1": "not this one",
        "2": [{ stdout: "", stderr: "", outcome: exit(0) }],
      });
      expect(fates.place.read("ws/made")).toBe("once\n");
      expect(await open()).toEqual([]);
    });
  });

  it("can have somebody asked at once: a yes runs it, a no is told and kept", async () => {
    using fates = new Fates();
    await inProcess(fates, async ({ agent, open, supervisor }) => {
      const seen: unknown[] = [];
      const turns = [
        [shellCall("1", { commands: ["touch made"] })],
        [shellCall("2", { commands: ["touch b"] })],
        DONE,
      ];
      const running = agent(turns, async (_, item) => {
        seen.push(...(await open()).map(({ approvalId }) => approvalId));
        return "callId" in item.rawItem && item.rawItem.callId === "1"
          ? { approve: true }
          : { approve: false, reason: "not b" };
      });
      const result = await runner.run(running, "go");
      expect(result.interruptions).toEqual([]);
      expect(told(result.newItems)).toEqual({
        "1": [{ stdout: "", stderr: "", outcome: exit(0) }],
        "2": "not b",
      });
      expect([fates.made(), fates.made("b"), await open()]).toEqual([true, false, []]);
      expect(await supervisor.broker.find(String(seen[1]))).toMatchObject({
        status: "rejected",
        decision: { note: "not b" },
      });
    });
  });

  it("takes an `always` for the call to which it was said, and for no later one: a shell is not told of it", async () => {
    using fates = new Fates();
    const turns = [
      [shellCall("1", { commands: ["touch made"] })],
      [shellCall("2", { commands: ["touch b"] })],
      DONE,
    ];
    const settings: Settings = { ...ASKS, approval: { wait: "block" } };
    await inProcess(
      fates,
      async ({ agent }) => {
        const running = agent(turns);
        const { state, interruptions } = await runner.run(running, "go");
        state.approve(only(interruptions), { alwaysApprove: true });
        await settle(state);
        expect(told((await runner.run(running, state)).newItems)).toMatchObject({
          "1": [{ outcome: exit(0) }],
          "2": [{ stderr: expect.stringMatching(/^Denied: /), outcome: exit(126) }],
        });
      },
      settings,
    );
    expect([fates.made(), fates.made("b")]).toEqual([true, false]);
  });
});
