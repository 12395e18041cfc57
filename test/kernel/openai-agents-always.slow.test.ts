import { Agent } from "@openai/agents";
import { ScriptedModel } from "@openai/agents/testing";
import { describe, expect, it } from "vitest";
import { cofferdamTools, settle } from "../../src/adapters/openai-agents.ts";
import type { SessionOptions } from "../../src/index.ts";
import { Fates } from "../support/approval/fates.ts";
import { toldDenied } from "../support/approval/told.ts";
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

sandboxMustWork("an `always` of the OpenAI Agents SDK");

const DENIED = toldDenied(
  "this call needs its own approval, and `alwaysApprove` does not give it; approve it without `alwaysApprove`",
  "nobody",
);

describe.skipIf(unusable !== null)("an `always` of the run's person", () => {
  /** Says `always` to the first of these calls, and returns what the model was told of all of them. */
  const always = async (
    fates: Fates,
    settings: Settings,
    options: SessionOptions = {},
    profiles: readonly string[] = [],
  ): Promise<Readonly<Record<string, unknown>>> =>
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
      options,
      profiles,
    );

  it("answers later calls of the tool, where a yes may be remembered", async () => {
    using fates = new Fates();
    expect(await always(fates, writes(fates))).toEqual({
      "1": expect.stringContaining('"is_new":true'),
      "2": expect.stringContaining('"is_new":true'),
    });
    expect([fates.made("a"), fates.made("b")]).toEqual([true, true]);
  });

  it("answers nothing where an operator demands a person, or takes the remembering of a yes away", async () => {
    const OPERATORS = [
      "profile: asks\napproval: { rules: [{ pattern: write_file, action: ask }] }\n",
      "profile: forgets\napproval: { session_grants: false }\n",
    ];
    for (const operator of OPERATORS) {
      using fates = new Fates();
      const profile = fates.place.file("operator.yaml", operator);
      expect(await always(fates, writes(fates), {}, [profile])).toEqual({ "1": DENIED, "2": DENIED });
      expect([fates.made("a"), fates.made("b")]).toEqual([false, false]);
    }
    using fates = new Fates();
    expect(await always(fates, writes(fates), { remember: false })).toEqual({ "1": DENIED, "2": DENIED });
  });

  it("answers nothing where a rule demands a person for each call: a yes to each is what it takes", async () => {
    using fates = new Fates();
    const rules = [{ pattern: "write_file", action: "ask", remember: false }];
    expect(await always(fates, writes(fates, { rules }))).toEqual({ "1": DENIED, "2": DENIED });
    expect([fates.made("a"), fates.made("b")]).toEqual([false, false]);
    // As the hint says: the same without `always`.
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
        expect(told(result.newItems)).toMatchObject({
          "2": expect.stringMatching(/^Denied: no request exists/),
        });
        expect(fates.place.read("ws/b")).toBe("of somebody else\n");
        expect(fates.made("a")).toBe(true);
      },
      writes(fates),
    );
  });
});
