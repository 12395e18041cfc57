import { describe, expect, it } from "vitest";
import { settle } from "../../src/adapters/openai-agents.ts";
import { Fates } from "../support/approval/fates.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Settings } from "../support/battery/place.ts";
import {
  DONE,
  inProcess,
  only,
  patchCall,
  restored,
  runner,
  told,
} from "../support/integrations/agents-run.ts";

sandboxMustWork("patches of the OpenAI Agents SDK");

const settings = ({ place }: Fates, isAsked: boolean, rules: readonly unknown[] = []): Settings => ({
  sandbox: { paths: { ws: { root: place.ws, mode: "rw", write_approval: isAsked } } },
  approval: {
    wait: "suspend",
    rules: [
      { pattern: "*_file", action: isAsked ? "ask" : "allow" },
      { pattern: "read_file", action: "allow" },
      ...rules,
    ],
  },
});
const FIX = { type: "update_file", path: "a.txt", diff: "@@\n one\n-two\n+2\n three\n" } as const;

describe.skipIf(unusable !== null)("patches of an agent", () => {
  it("make, change, move and delete files by our tools, and say what can't be done", async () => {
    using fates = new Fates();
    fates.place.file("ws/a.txt", "one\ntwo\nthree\n");
    fates.place.file("ws/empty", "");
    fates.place.file("ws/old", "gone\n");
    fates.place.file("ws/noise", Buffer.from([0, 1, 2]));
    fates.place.file("outside/a.txt", "one\ntwo\nthree\n");
    await inProcess(
      fates,
      async ({ agent, open }) => {
        const agentic = agent([
          [
            patchCall("update", FIX),
            patchCall("create", { type: "create_file", path: "new/b.txt", diff: "+of b\n+" }),
            patchCall("fill", { type: "update_file", path: "empty", diff: "@@\n+filled" }),
            patchCall("delete", { type: "delete_file", path: "old" }),
            patchCall("misfit", { ...FIX, diff: "@@\n-nine\n+9\n" }),
            patchCall("binary", { ...FIX, path: "noise" }),
            patchCall("outside", { ...FIX, path: "../outside/a.txt" }),
            patchCall("both", { ...FIX, moveTo: "c.txt" }),
          ],
          [patchCall("move", { type: "update_file", path: "a.txt", diff: "", moveTo: "c.txt" })],
          DONE,
        ]);
        const result = await runner.run(agentic, "go");
        expect(result.interruptions).toEqual([]);
        expect(told(result.newItems)).toEqual({
          update: '{"path":"ws:a.txt","replaced":1,"bytes":12}',
          create: '{"path":"ws:new/b.txt","bytes":5,"is_new":true}',
          fill: expect.stringContaining('"is_new":false'),
          delete: '{"path":"ws:old"}',
          misfit: expect.stringMatching(/^Error: Invalid Context/),
          binary: "Error: the file is not a text: change it with a command",
          outside: expect.stringMatching(/^Denied: /),
          both: expect.stringMatching(/^Error: a patch can't change a file and move it at once/),
          move: '{"from":"ws:a.txt","to":"ws:c.txt"}',
        });
        expect(fates.place.read("ws/c.txt")).toBe("one\n2\nthree\n");
        expect(fates.place.read("ws/new/b.txt")).toBe("of b\n");
        expect([fates.made("a.txt"), fates.made("old")]).toEqual([false, false]);
        expect(fates.place.read("outside/a.txt")).toBe("one\ntwo\nthree\n");
        expect(await open()).toEqual([]);
      },
      settings(fates, false),
    );
  });

  it("are asked about by the change that would be made, and made after a yes in another process", async () => {
    using fates = new Fates();
    fates.place.file("ws/a.txt", "one\ntwo\nthree\n");
    const text = await inProcess(
      fates,
      async ({ agent, supervisor }) => {
        const { state } = await runner.run(agent([[patchCall("1", FIX)]]), "go");
        const { requests } = only(await settle(state));
        expect(await supervisor.broker.present(only(requests).approvalId)).toMatchObject({
          type: "diff",
          content: expect.stringContaining(" one\n-two\n+2\n three\n"),
        });
        return state.toString();
      },
      settings(fates, true),
    );
    await inProcess(
      fates,
      async ({ agent, open }) => {
        const resuming = agent([DONE]);
        const state = await restored(resuming, text);
        state.approve(only(state.getInterruptions()));
        await settle(state, "ann");
        const result = await runner.run(resuming, state);
        expect(told(result.newItems)).toEqual({ "1": expect.stringContaining('"replaced":1') });
        expect(fates.place.read("ws/a.txt")).toBe("one\n2\nthree\n");
        expect(await open()).toEqual([]);
      },
      settings(fates, true),
    );
  });

  it("are not made to a file that is another by then, and are asked about anew", async () => {
    using fates = new Fates();
    fates.place.file("ws/a.txt", "one\ntwo\nthree\n");
    await inProcess(
      fates,
      async ({ agent, supervisor, open }) => {
        const patching = agent([[patchCall("1", FIX)], [patchCall("2", FIX)], DONE]);
        const { state, interruptions } = await runner.run(patching, "go");
        // Its diff would still fit.
        fates.place.file("ws/a.txt", "zero\none\ntwo\nthree\n");
        state.approve(only(interruptions));
        await settle(state);
        const again = await runner.run(patching, state);
        expect(told(again.newItems)).toEqual({
          "1": expect.stringMatching(/^Denied: no request exists for exactly this call/),
        });
        expect(fates.place.read("ws/a.txt")).toBe("zero\none\ntwo\nthree\n");
        const { item, requests } = only(await settle(again.state));
        expect(await supervisor.broker.present(only(requests).approvalId)).toMatchObject({
          content: expect.stringContaining(" zero\n one\n-two\n+2\n"),
        });
        again.state.approve(item);
        await settle(again.state);
        await runner.run(patching, again.state);
        expect(fates.place.read("ws/a.txt")).toBe("zero\none\n2\nthree\n");
        expect(await open()).toEqual([]);
      },
      settings(fates, true),
    );
  });

  it("take an `always` for the patch to which it was said, where it may be remembered, and for no later one", async () => {
    using fates = new Fates();
    const always = async (of: Settings, path: string) =>
      inProcess(
        fates,
        async ({ agent }) => {
          const create = (callId: string, name: string) =>
            patchCall(callId, { type: "create_file", path: name, diff: "+x" });
          const patching = agent([[create("1", `${path}1`)], [create("2", `${path}2`)], DONE]);
          const { state, interruptions } = await runner.run(patching, "go");
          state.approve(only(interruptions), { alwaysApprove: true });
          await settle(state);
          await runner.run(patching, state);
          return [fates.made(`${path}1`), fates.made(`${path}2`)];
        },
        of,
      );
    expect(await always(settings(fates, true), "may")).toEqual([true, false]);
    const demanded = settings(fates, true, [{ pattern: "write_file", action: "ask", remember: false }]);
    expect(await always(demanded, "not")).toEqual([false, false]);
  });

  it("can have somebody asked at once, and are not made where their file may not be read unasked", async () => {
    using fates = new Fates();
    fates.place.file("ws/a.txt", "one\ntwo\nthree\n");
    const { sandbox: _, ...asks } = settings(fates, true);
    const paths = { ws: { root: fates.place.ws, mode: "rw", write_approval: true, read_approval: true } };
    const patching = async (of: Settings) =>
      inProcess(
        fates,
        async ({ agent, open }) => {
          const running = agent([[patchCall("1", FIX)], DONE], async () => ({ approve: true }));
          const result = await runner.run(running, "go");
          expect(result.interruptions).toEqual([]);
          return [told(result.newItems)["1"], (await open()).map(({ tool }) => tool)];
        },
        of,
      );
    const rules = [{ pattern: "edit_file", action: "ask" }];
    expect(await patching({ ...asks, sandbox: { paths }, approval: { wait: "suspend", rules } })).toEqual([
      expect.stringMatching(/^Pending: /),
      ["read_file"],
    ]);
    expect(await patching(settings(fates, true))).toEqual([
      expect.stringContaining('"replaced":1'),
      ["read_file"],
    ]);
    expect(fates.place.read("ws/a.txt")).toBe("one\n2\nthree\n");
  });
});
