import { Agent, applyPatchTool, shellTool, type Tool } from "@openai/agents";
import { functionCall, ScriptedModel } from "@openai/agents/testing";
import { describe, expect, it } from "vitest";
import { cofferdamEditor, cofferdamShell, cofferdamTools, settle } from "../../src/adapters/openai-agents.ts";
import type { Session } from "../../src/index.ts";
import { Fates } from "../support/approval/fates.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import {
  call,
  DONE,
  inProcess,
  only,
  patchCall,
  restored,
  runner,
  shellCall,
  told,
  write,
  writes,
} from "../support/integrations/agents-run.ts";

sandboxMustWork("whose answer it is to the OpenAI Agents SDK");

type Turns = ConstructorParameters<typeof ScriptedModel>[0];
type Says = (callId: string, path: string) => ReturnType<typeof call | typeof shellCall | typeof patchCall>;

/** Each kind of tool, and how a model makes a file by it. */
const KINDS: readonly [string, (session: Session) => Tool[], Says][] = [
  [
    "a function",
    (session) => cofferdamTools(session),
    (callId, path) => call("shell", { script: `touch ${path}` }, { callId }),
  ],
  [
    "a shell",
    (session) => [shellTool(cofferdamShell(session))],
    (callId, path) => shellCall(callId, { commands: [`touch ${path}`] }),
  ],
  [
    "an editor",
    (session) => [applyPatchTool(cofferdamEditor(session))],
    (callId, path) => patchCall(callId, { type: "create_file", path, diff: "+x\n" }),
  ],
];
const asks = (fates: Fates) => ({
  ...writes(fates),
  shell: { default: { allowed: true, approval: true } },
});
const named = (name: string, tools: Tool[], turns: Turns, handoffs: Agent[] = []) =>
  new Agent({ name, model: new ScriptedModel(turns), tools, handoffs });
const TO_SECOND = [functionCall("transfer_to_second", {}, { callId: "to" })];

/** Two agents, of which the first hands over to the second: both name their call alike. */
const handing = (tools: Tool[], says: Says, ids: readonly [string, string] = ["X", "X"]) =>
  named(
    "first",
    tools,
    [[says(ids[0], "harmless")], TO_SECOND],
    [named("second", tools, [[says(ids[1], "pwned")], DONE])],
  );

/** Two agents, which run at once: both name their call alike. */
const nesting = (tools: Tool[], says: Says) => {
  const inner = (name: string, path: string) =>
    named(name, tools, [[says("X", path)], DONE]).asTool({ toolName: name, toolDescription: "helps" });
  const both = ["one", "two"].map((name) => functionCall(name, { input: "go" }, { callId: name }));
  return named("outer", [inner("one", "harmless"), inner("two", "pwned")], [both, DONE]);
};

describe.skipIf(unusable !== null)("a yes to one agent", () => {
  for (const [kind, toolsOf, says] of KINDS) {
    it(`is none to the one it hands over to, which names its call of ${kind} alike`, async () => {
      using fates = new Fates();
      await inProcess(
        fates,
        async ({ session, supervisor, open }) => {
          const agent = handing(toolsOf(session), says);
          const { state, interruptions } = await runner.run(agent, "go");
          state.approve(only(interruptions));
          await settle(state, "ann");
          const handed = await runner.run(agent, state);
          expect(fates.made("harmless")).toBe(true);
          const { approvalId } = only(await open());
          expect(only(only(await settle(handed.state, "ann")).requests).approvalId).toBe(approvalId);
          expect(await supervisor.broker.find(approvalId)).toMatchObject({ status: "pending" });
          // The SDK takes a call of a shell or an editor for made where another one's of its id was.
          if (kind !== "a function") return;
          const still = await runner.run(agent, handed.state);
          expect(only(still.interruptions).agent.name).toBe("second");
          expect(await supervisor.broker.find(approvalId)).toMatchObject({ status: "pending" });
          expect(fates.made("pwned")).toBe(false);
          // Its twin: a yes to it is one.
          still.state.approve(only(still.interruptions));
          await settle(still.state, "bob");
          await runner.run(agent, still.state);
          expect(fates.made("pwned")).toBe(true);
          expect(await supervisor.broker.find(approvalId)).toMatchObject({ decision: { by: "bob" } });
          expect(await open()).toEqual([]);
        },
        asks(fates),
      );
    });

    it(`is none to the one it hands over to in another process, of ${kind}`, async () => {
      using fates = new Fates();
      const text = await inProcess(
        fates,
        async ({ session }) => {
          const agent = handing(toolsOf(session), says);
          const { state, interruptions } = await runner.run(agent, "go");
          state.approve(only(interruptions));
          await settle(state, "ann");
          return (await runner.run(agent, state)).state.toString();
        },
        asks(fates),
      );
      await inProcess(
        fates,
        async ({ session, open }) => {
          const agent = handing(toolsOf(session), says);
          const state = await restored(agent, text);
          const { approvalId } = only(await open());
          expect(await settle(state, "ann")).toMatchObject([{ requests: [{ approvalId }] }]);
          const result = await runner.run(agent, state);
          expect(result.interruptions).toHaveLength(1);
          expect(only(await open()).approvalId).toBe(approvalId);
          expect(fates.made("pwned")).toBe(false);
        },
        asks(fates),
      );
    });

    for (const isNo of [false, true])
      it(`is none to one that runs at once, and names its call of ${kind} alike${isNo ? ": a no to that is one" : ""}`, async () => {
        using fates = new Fates();
        await inProcess(
          fates,
          async ({ session, supervisor, open }) => {
            const agent = nesting(toolsOf(session), says);
            const { state } = await runner.run(agent, "go");
            const asked = (await open()).find(({ description }) => description.includes("pwned"));
            if (asked === undefined) throw new Error("it was not asked about");
            for (const item of state.getInterruptions())
              if (item.agent.name === "one") state.approve(item);
              else if (isNo) state.reject(item, { message: "never" });
            expect(await settle(state, "ann")).toHaveLength(isNo ? 0 : 1);
            const result = await runner.run(agent, state);
            expect(result.interruptions).toHaveLength(isNo ? 0 : 1);
            expect([fates.made("harmless"), fates.made("pwned")]).toEqual([true, false]);
            expect(await supervisor.broker.find(asked.approvalId)).toMatchObject(
              isNo ? { status: "rejected", decision: { note: "never" } } : { status: "pending" },
            );
          },
          asks(fates),
        );
      });

    it(`is an \`always\` of ${kind} for no other agent, also where the run goes on unanswered`, async () => {
      for (const isRestored of [false, true]) {
        using fates = new Fates();
        await inProcess(
          fates,
          async ({ session }) => {
            const agent = handing(toolsOf(session), says, ["1", "2"]);
            const { state, interruptions } = await runner.run(agent, "go");
            state.approve(only(interruptions), { alwaysApprove: true });
            await settle(state, "ann");
            const handed = await runner.run(agent, state);
            expect(fates.made("harmless")).toBe(true);
            const unanswered = async (later: Parameters<typeof settle>[0], goOn: () => Promise<unknown>) => {
              await settle(later, "ann");
              if (later.getInterruptions().length > 0) await goOn();
            };
            if (isRestored) {
              const later = await restored(agent, handed.state.toString());
              await unanswered(later, () => runner.run(agent, later));
            } else await unanswered(handed.state, () => runner.run(agent, handed.state));
            expect(fates.made("pwned")).toBe(false);
          },
          asks(fates),
        );
      }
    });
  }

  it("does not run a call like it that another one left open", async () => {
    using fates = new Fates();
    await inProcess(
      fates,
      async ({ session }) => {
        const [, toolsOf, says] = KINDS[0] ?? [];
        if (toolsOf === undefined || says === undefined) throw new Error("there is no kind");
        const tools = toolsOf(session);
        await runner.run(named("second", tools, [[says("X", "pwned")]]), "go");
        const agent = handing(tools, says);
        const { state, interruptions } = await runner.run(agent, "go");
        state.approve(only(interruptions));
        await settle(state, "bob");
        const handed = await runner.run(agent, state);
        expect(handed.interruptions).toHaveLength(1);
        expect(fates.made("pwned")).toBe(false);
      },
      asks(fates),
    );
  });

  it("is nobody's no where its file is another by then, and nobody answered", async () => {
    using fates = new Fates();
    fates.place.file("ws/f", "one\n");
    await inProcess(
      fates,
      async ({ session, supervisor, agentWith }) => {
        const agent = agentWith(cofferdamTools(session), [[write("1", "f", "two\n")], DONE]);
        const { state } = await runner.run(agent, "go");
        const { approvalId } = only(only(await settle(state, "ann")).requests);
        fates.place.file("ws/f", "of somebody else\n");
        expect(await settle(state, "ann")).toEqual([]);
        expect(await supervisor.broker.find(approvalId)).toMatchObject({
          status: "rejected",
          decision: { by: "nobody" },
        });
      },
      writes(fates),
    );
  });

  it("is a yes, and no `always`, whatever the model calls its call", async () => {
    using fates = new Fates();
    const rules = [{ pattern: "shell", action: "ask", remember: false }];
    await inProcess(
      fates,
      async ({ session, agentWith }) => {
        const turns = [[shellCall("cofferdam: no call", { commands: ["touch made"] })], DONE];
        const agent = agentWith([shellTool(cofferdamShell(session))], turns);
        const { state, interruptions } = await runner.run(agent, "go");
        state.approve(only(interruptions));
        await settle(state, "ann");
        const result = await runner.run(agent, state);
        expect(told(result.newItems)).toMatchObject({
          "cofferdam: no call": [{ outcome: { type: "exit", exitCode: 0 } }],
        });
        expect(fates.made()).toBe(true);
      },
      { shell: { default: { allowed: true, approval: true } }, approval: { wait: "suspend", rules } },
    );
  });
});
