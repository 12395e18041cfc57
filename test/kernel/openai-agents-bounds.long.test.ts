import type { Tool } from "@openai/agents";
import { applyPatchTool, shellTool } from "@openai/agents";
import { describe, expect, it } from "vitest";
import { cofferdamEditor, cofferdamShell, cofferdamTools, settle } from "../../src/adapters/openai-agents.ts";
import type { Session } from "../../src/index.ts";
import { ASKS, Fates, TOUCH } from "../support/approval/fates.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Settings } from "../support/battery/place.ts";
import {
  call,
  DONE,
  inProcess,
  only,
  type Process,
  patchCall,
  restored,
  runner,
  shellCall,
  told,
  writes,
} from "../support/integrations/agents-run.ts";
import { heldMs, slowness } from "../support/load/held-loop.ts";

sandboxMustWork("the bounds of the OpenAI Agents SDK");

/** An agent of a conversation, whose model touches a file, in a call of this id, by each kind of tool. */
const KINDS: readonly [
  string,
  (session: Session, conversation: string) => Tool[],
  Parameters<Process["agentWith"]>[1],
][] = [
  [
    "function",
    (session, conversation) => cofferdamTools(session, { conversation }),
    [[call("shell", TOUCH, { callId: "call_0" })], DONE],
  ],
  [
    "shell",
    (session, conversation) => [shellTool(cofferdamShell(session, { conversation }))],
    [[shellCall("call_0", { commands: ["touch made"] })], DONE],
  ],
  [
    "editor",
    (session, conversation) => [applyPatchTool(cofferdamEditor(session, { conversation }))],
    [[patchCall("call_0", { type: "create_file", path: "made", diff: "+x\n" })], DONE],
  ],
];

describe.skipIf(unusable !== null)("a conversation", () => {
  for (const [kind, toolsOf, turns] of KINDS)
    it(`has its own answers, also where another one's call of a tool (${kind}) has the same id`, async () => {
      using fates = new Fates();
      const settings: Settings = { ...writes(fates), ...ASKS };
      const text = await inProcess(
        fates,
        async ({ session, agentWith, open }): Promise<string> => {
          const of = (who: string) => agentWith(toolsOf(session, who), turns);
          const { state, interruptions } = await runner.run(of("alice"), "go");
          state.approve(only(interruptions));
          await settle(state, "alice");
          const other = await runner.run(of("bob"), "go");
          expect(other.interruptions).toHaveLength(1);
          expect(fates.made()).toBe(false);
          expect(await open()).toHaveLength(1);
          return state.toString();
        },
        settings,
      );
      await inProcess(
        fates,
        async ({ session, agentWith, open }) => {
          const resuming = agentWith(toolsOf(session, "alice"), [DONE]);
          const state = await restored(resuming, text);
          expect(await settle(state, "alice")).toEqual([]);
          await runner.run(resuming, state);
          expect(fates.made()).toBe(true);
          expect(await open()).toHaveLength(1);
        },
        settings,
      );
    });
});

describe.skipIf(unusable !== null)("options of the SDK's tools", () => {
  it("that there are not are refused, with the nearest one", async () => {
    using fates = new Fates();
    await inProcess(fates, async ({ session, supervisor }) => {
      const usage = (message: string, hint: string) =>
        expect.objectContaining({ code: "USAGE", message: expect.stringContaining(message), hint });
      for (const [made, name] of [
        [cofferdamShell, "cofferdamShell"],
        [cofferdamEditor, "cofferdamEditor"],
      ] as const) {
        const all = `\`${name}\` takes \`{ name?, onApproval?, conversation? }\``;
        const misspelt = { onAproval: async () => ({ approve: false }) };
        const ofSession = { agent: "other", handler: () => null };
        expect(() => Reflect.apply(made, null, [session, misspelt])).toThrow(
          usage(`of \`${name}\``, "did you mean `onApproval`?"),
        );
        expect(() => Reflect.apply(made, null, [supervisor, ofSession])).toThrow(
          usage("unknown option", all),
        );
        expect(() => made(session, { name: "" })).toThrow(
          usage("invalid option", "`name` must be a name (a string)"),
        );
        expect(() => made(session, { name: "ok", conversation: "c" })).not.toThrow();
      }
      expect(() => cofferdamTools(session, { conversation: "" })).toThrow(
        usage("invalid option", "`conversation` must be the id of a conversation (a string)"),
      );
    });
  });
});

describe.skipIf(unusable !== null)("a patch that would take long", () => {
  it("is refused, and nothing else has to wait for it", async () => {
    using fates = new Fates();
    fates.place.file("ws/f", "a\n".repeat(400_000));
    fates.place.file("ws/g", "a\n".repeat(40_000));
    await inProcess(
      fates,
      async ({ agent }) => {
        const update = (callId: string, path: string, context: number, diff: string) =>
          patchCall(callId, { type: "update_file", path, diff: `@@\n${" a\n".repeat(context)}${diff}` });
        const running = agent([
          [update("huge", "f", 2_000, "-b\n+c\n")],
          [update("small", "g", 3, "-a\n+c\n")],
          DONE,
        ]);
        const running_ = runner.run(running, "go");
        const held = await heldMs(() => running_);
        const result = await running_;
        expect(told(result.newItems)).toEqual({
          huge: expect.stringMatching(/^Error: the patch has too much context/),
          small: expect.stringContaining('"replaced":1'),
        });
        expect(held).toBeLessThan(3_000 * slowness());
        expect(fates.place.read("ws/g").startsWith("a\na\na\nc\n")).toBe(true);
      },
      {
        sandbox: { paths: { ws: { root: fates.place.ws, mode: "rw", write_approval: false } } },
        approval: { wait: "suspend", rules: [{ pattern: "*_file", action: "allow" }] },
      },
    );
  });
});
