import { writeFileSync } from "node:fs";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { approve, cofferdamMiddleware, reject } from "../../src/adapters/langchain.ts";
import { DENIALS } from "../../src/policy/denied-by.ts";
import { ASKS, Fates } from "../support/approval/fates.ts";
import { toldDenied, toldNote } from "../support/approval/told.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { call, runs, Talk, type Turn, withAgent, writes } from "../support/langchain/agents.ts";

sandboxMustWork("agents of LangChain");

describe.skipIf(unusable !== null)("a call of an agent", () => {
  it("that needs no approval runs at once, in the sandbox", async () => {
    using fates = new Fates();
    const secret = fates.place.file("outside/secret", "of somebody");
    await withAgent(fates, async ({ middleware }) => {
      const calls = [
        call("1", "write_file", { path: "ws:notes.md", content: "a note\n" }),
        call("2", "tally"),
        call("3", "read_file", { path: secret }),
      ];
      const said = await new Talk([calls, "done"], middleware).begin();
      expect(said.asked).toEqual([]);
      expect(said.last).toBe("done");
      expect(said.told).toMatchObject([
        { id: "1", status: "success", text: expect.stringContaining('"path":"ws:notes.md"') },
        { id: "2", status: "success", text: expect.stringContaining('"status":0') },
        {
          id: "3",
          status: "error",
          text: expect.stringMatching(/^Denied: no tool may read .*\nWhat would help: /),
        },
      ]);
      expect([fates.place.read("ws/notes.md"), runs(fates, "tally")]).toEqual(["a note\n", 1]);
    });
  });

  it("that a rule denies is told to the model with the reason, and the agent goes on; the twin runs", async () => {
    using fates = new Fates();
    const settings = {
      shell: {
        default: { allowed: true, approval: true },
        rules: [
          { pattern: "rm", allowed: false },
          { pattern: "touch", approval: false },
        ],
      },
    };
    const turns = [
      [call("1", "shell", { argv: ["rm", "-rf", "."] }), call("2", "shell", { argv: ["touch", "made"] })],
      [call("3", "shell", { script: 1 })],
    ];
    const said = await withAgent(fates, ({ middleware }) => new Talk(turns, middleware).begin(), {
      settings,
    });
    expect(said.told).toMatchObject([
      { id: "1", status: "error", text: toldDenied("blocked by rule `rm` of `shell.rules`", "rule") },
      { id: "2", status: "success" },
      { id: "3", status: "error", text: expect.stringContaining("script") },
    ]);
    expect([said.last, said.asked, fates.made()]).toEqual(["done", [], true]);
  });

  it("that needs a yes interrupts the agent with all that a page needs and no secret, and runs once by the answer", async () => {
    using fates = new Fates();
    const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    const asked = call("call_1", "shell", { script: `echo ${token} >> made` });
    await withAgent(fates, async ({ middleware, supervisor }) => {
      const talk = new Talk([[asked], "done"], middleware);
      const said = await talk.begin();
      const [question] = said.asked;
      expect(question).toMatchObject({
        type: "cofferdam.approval",
        approvalId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        toolCallId: "call_1",
        tool: "shell",
        args: { script: "echo [hidden] >> made" },
        risk: "write",
        reason: expect.any(String),
        reach: {
          write: expect.arrayContaining([expect.stringContaining(fates.place.ws)]),
          network: expect.any(String),
        },
        forSession: null,
        problem: null,
      });
      expect(JSON.stringify(question)).not.toContain(token);
      expect([said.told, fates.made()]).toEqual([[], false]);
      const after = await talk.answer(said, (one) => approve(one, { by: "ann", note: "as you like" }));
      expect(after).toMatchObject({
        asked: [],
        told: [
          { id: "call_1", status: "success", text: expect.stringMatching(/^Note of `ann`: as you like\n/) },
        ],
        last: "done",
      });
      expect(runs(fates, "made")).toBe(1);
      expect(await supervisor.broker.find(question?.approvalId ?? "")).toMatchObject({
        status: "done",
        decision: { status: "approved", scope: "once", by: "ann", note: "as you like" },
      });
    });
  });

  it("that is refused does not run, and the model reads the note; nothing waits any more", async () => {
    using fates = new Fates();
    await withAgent(fates, async ({ middleware, supervisor }) => {
      const talk = new Talk([[writes("no")], "done"], middleware);
      const said = await talk.begin();
      const after = await talk.answer(said, (one) => reject(one, "not on a Friday"));
      expect(after).toMatchObject({
        told: [{ id: "no", status: "error", text: toldNote("not on a Friday", "langchain") }],
        last: "done",
      });
      expect([runs(fates, "no"), await supervisor.broker.pending()]).toEqual([0, []]);
      const [question] = said.asked;
      expect(await supervisor.broker.find(question?.approvalId ?? "")).toMatchObject({
        status: "rejected",
        decision: { by: "langchain" },
      });
    });
  });

  it("falls with no other of its turn: a no drops neither a yes nor what nobody was asked about, and each runs once", async () => {
    using fates = new Fates();
    await withAgent(fates, async ({ middleware, supervisor }) => {
      const turn = [writes("yes"), writes("no"), call("free", "tally"), writes("also")];
      const talk = new Talk([turn, "done"], middleware);
      const said = await talk.begin();
      expect(said.asked.map(({ toolCallId }) => toolCallId)).toEqual(["also", "no", "yes"]);
      expect(runs(fates, "tally")).toBe(1);
      const groups = (await supervisor.broker.pending()).map(({ groupId }) => groupId);
      expect([groups.length, new Set(groups).size, groups.includes(null)]).toEqual([3, 1, false]);
      const after = await talk.answer(said, (one) =>
        one.toolCallId === "no" ? reject(one, "not this one") : approve(one),
      );
      expect(after.told.map(({ id, status }) => [id, status])).toEqual([
        ["yes", "success"],
        ["no", "error"],
        ["free", "success"],
        ["also", "success"],
      ]);
      expect(["yes", "no", "tally", "also"].map((file) => runs(fates, file))).toEqual([1, 0, 1, 1]);
    });
  });

  it("of several is answered also where the agent is resumed with one answer alone; the others are asked about again", async () => {
    using fates = new Fates();
    await withAgent(fates, async ({ middleware }) => {
      const talk = new Talk([[writes("a"), writes("b"), call("free", "tally")], "done"], middleware);
      const [first, second] = (await talk.begin()).asked;
      const between = await talk.resume(approve(second));
      expect(between.asked).toEqual([{ ...first, problem: "the answer is for another request" }]);
      expect(["a", "b", "tally"].map((file) => runs(fates, file))).toEqual([0, 1, 1]);
      const after = await talk.resume(approve(between.asked[0]));
      expect(after).toMatchObject({ asked: [], last: "done" });
      expect(["a", "b", "tally"].map((file) => runs(fates, file))).toEqual([1, 1, 1]);
    });
  });

  it("that has changed since it was asked about is asked about again, and not answered by the old answer", async () => {
    using fates = new Fates();
    const tool = `${fates.place.ws}/tool`;
    writeFileSync(tool, "#!/bin/sh\ntouch made\n", { mode: 0o755 });
    await withAgent(fates, async ({ middleware }) => {
      const talk = new Talk([[call("1", "shell", { argv: ["./tool"] })], "done"], middleware);
      const said = await talk.begin();
      writeFileSync(tool, "#!/bin/sh\ntouch other\n", { mode: 0o755 });
      const again = await talk.answer(said, (one) => approve(one));
      expect(again.asked).toMatchObject([{ tool: "shell", problem: "the answer is for another request" }]);
      expect(again.asked[0]?.approvalId).not.toBe(said.asked[0]?.approvalId);
      expect([fates.made(), fates.made("other"), again.told]).toEqual([false, false, []]);
      const after = await talk.answer(again, (one) => approve(one));
      expect(after).toMatchObject({ told: [{ status: "success" }], last: "done" });
      expect([fates.made(), fates.made("other")]).toEqual([false, true]);
    });
  });

  it("runs with the input that somebody put in place of its own, judged again, and the model reads which", async () => {
    using fates = new Fates();
    const settings = {
      ...ASKS,
      shell: { default: { allowed: true, approval: true }, rules: [{ pattern: "rm", allowed: false }] },
    };
    const edits = {
      a: { script: "echo ran >> other" },
      b: { argv: ["rm", "-rf", "."] },
      c: { nothing: "that it takes" },
    };
    await withAgent(
      fates,
      async ({ middleware }) => {
        const talk = new Talk([[writes("a"), writes("b"), writes("c")], "done"], middleware);
        const said = await talk.begin();
        const after = await talk.answer(said, (one) => {
          const editedInput = Object.entries(edits).find(([id]) => id === one.toolCallId)?.[1] ?? null;
          return approve(one, { editedInput });
        });
        const changed =
          "`langchain` changed the input of this call. This is the result of the changed input: ";
        expect(after.told).toMatchObject([
          {
            status: "success",
            text: expect.stringMatching(`^${changed}\`{"script":"echo ran >> other"}\`\n{"status":0`),
          },
          {
            status: "error",
            text: [
              "Denied: blocked by rule `rm` of `shell.rules`",
              `${changed}\`{"argv":["rm","-rf","."]}\``,
              `What would help: ${DENIALS.rule.advice}`,
            ].join("\n"),
          },
          {
            status: "error",
            text: expect.stringMatching(
              /^Error: invalid arguments of `shell`: unknown key `nothing`.*\n`langchain` changed the input of this call.*\nWhat would help: its keys: /,
            ),
          },
        ]);
      },
      { settings },
    );
    expect(["a", "b", "c", "other"].map((file) => runs(fates, file))).toEqual([0, 0, 0, 1]);
  });

  it("is not asked about again once a yes was for the session, where that is offered", async () => {
    using fates = new Fates();
    const settings = { approval: { wait: "suspend" }, sandbox: { paths: rootThatAsks(fates) } };
    const write = (id: string) => call(id, "write_file", { path: "ws:a.txt", content: "a" });
    await withAgent(
      fates,
      async ({ middleware, session }) => {
        const talk = new Talk([[write("1")], [write("2")], "done"], middleware);
        const said = await talk.begin();
        expect(said.asked).toMatchObject([{ tool: "write_file", forSession: expect.any(String) }]);
        const after = await talk.answer(said, (one) => approve(one, { scope: "session" }));
        expect(after).toMatchObject({ asked: [], told: [{ status: "success" }, { status: "success" }] });
        expect(await session.grants()).toMatchObject([{ tool: "write_file", by: "langchain" }]);
      },
      { settings },
    );
  });

  it("that an operator demands a person for offers no yes for the session, and each call is asked about by itself", async () => {
    using fates = new Fates();
    const profile = fates.place.file(
      "asks.yaml",
      "profile: asks\napproval: { rules: [{ pattern: write_file, action: ask }] }\n",
    );
    const settings = { approval: { wait: "suspend" }, sandbox: { paths: rootThatAsks(fates) } };
    const write = (id: string) => call(id, "write_file", { path: "ws:made", content: "" });
    await withAgent(
      fates,
      async ({ middleware, session }) => {
        const talk = new Talk([[write("1")], [write("2")], "done"], middleware);
        const said = await talk.begin();
        expect(said.asked).toMatchObject([{ forSession: null }]);
        const [question] = said.asked;
        expect(() => approve(question, { scope: "session" })).toThrow(
          "approval for the session is not available",
        );
        const forced = await talk.answer(said, (one) => ({ ...approve(one), scope: "session" }));
        expect(forced.asked).toEqual([
          { ...question, problem: "approval for the session is not available here" },
        ]);
        expect(fates.made()).toBe(false);
        const after = await talk.answer(forced, (one) => approve(one));
        expect(after.asked).toMatchObject([{ toolCallId: "2", forSession: null }]);
        expect([fates.made(), await session.grants()]).toEqual([true, []]);
      },
      { settings, profiles: [profile] },
    );
  });

  it("runs by no yes twice: where the agent forgot that it ran, it is asked about again", async () => {
    using fates = new Fates();
    await withAgent(fates, async ({ middleware }) => {
      const saver = new MemorySaver();
      const turns: readonly Turn[] = [[writes("once")], "done"];
      const talk = new Talk(turns, middleware, saver);
      const said = await talk.begin();
      const before = structuredClone({ storage: saver.storage, writes: saver.writes });
      await talk.answer(said, (one) => approve(one));
      Object.assign(saver, before);
      const again = await talk.answer(said, (one) => approve(one));
      expect(again.asked).toMatchObject([{ problem: "the answer is for another request" }]);
      expect(runs(fates, "once")).toBe(1);
    });
  });

  it("of another conversation is another call, whatever models call it", async () => {
    using fates = new Fates();
    await withAgent(fates, async ({ middleware }) => {
      const [one, two] = ["one", "two"].map(
        (thread) => new Talk([[writes("1")], "done"], middleware, new MemorySaver(), { thread }),
      );
      const first = await one?.begin();
      const second = await two?.begin();
      expect(first?.asked[0]?.approvalId).not.toBe(second?.asked[0]?.approvalId);
      expect(await two?.resume(approve(first?.asked[0]))).toMatchObject({ told: [], asked: [{}] });
      expect(runs(fates, "1")).toBe(0);
    });
  });

  it("can be one of a session of the middleware's own, made of a supervisor", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    const middleware = await cofferdamMiddleware(supervisor, {
      agent: "writer",
      only: ["shell"],
      by: "desk",
    });
    const talk = new Talk([[writes("1")], "done"], middleware);
    const said = await talk.begin();
    expect(await supervisor.broker.pending()).toMatchObject([{ agent: "writer" }]);
    await talk.answer(said, (one) => approve(one));
    expect(runs(fates, "1")).toBe(1);
    expect(await supervisor.broker.find(said.asked[0]?.approvalId ?? "")).toMatchObject({
      decision: { by: "desk" },
    });
  });
});

/** The one root, where writing asks. */
function rootThatAsks(fates: Fates) {
  return { ws: { root: fates.place.ws, mode: "rw", write_approval: true } };
}
