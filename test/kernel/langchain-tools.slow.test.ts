import { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, type StructuredTool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { execa } from "execa";
import { createAgent, createMiddleware } from "langchain";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { approve, cofferdamMiddleware, cofferdamTools, questionsOf } from "../../src/adapters/langchain.ts";
import { Asked } from "../support/approval/asked.ts";
import { Fates, TOUCH } from "../support/approval/fates.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { call, runs, scripted, TALLY, Talk, withAgent, writes } from "../support/langchain/agents.ts";

sandboxMustWork("tools for LangChain");

/** The shell is asked about, and calls wait for the answer. */
const BLOCKS = { shell: { default: { allowed: true, approval: true } } };

/** One call as agents make it; what the model is told. */
async function told(tools: readonly StructuredTool[], name: string, args: Readonly<Record<string, unknown>>) {
  const tool = tools.find((one) => one.name === name);
  const message: unknown = await tool?.invoke({ type: "tool_call", id: "1", name, args });
  if (!ToolMessage.isInstance(message)) throw new Error(`no message of ${name}: ${JSON.stringify(message)}`);
  return { status: message.status, id: message.tool_call_id, text: message.text };
}

describe.skipIf(unusable !== null)("tools of a session", () => {
  it("are all there, and take what they say that they take", async () => {
    using fates = new Fates();
    await withAgent(fates, async ({ session }) => {
      const tools = cofferdamTools(session);
      expect(tools.map(({ name }) => name)).toEqual(session.tools().map(({ name }) => name));
      const samples = {
        write_file: { path: "ws:a.txt", content: "one\n" },
        read_file: { path: "ws:a.txt" },
        edit_file: { path: "ws:a.txt", edits: [{ old_text: "one", new_text: "two" }] },
        list_dir: { path: "ws:." },
        find_files: { pattern: "*.txt", path: "ws:." },
        search_files: { text: "two", path: "ws:." },
        move_file: { from: "ws:a.txt", to: "ws:b.txt" },
        delete_file: { path: "ws:b.txt" },
        tally: {},
      };
      for (const [name, args] of Object.entries(samples))
        expect([name, await told(tools, name, args)]).toMatchObject([name, { status: "success", id: "1" }]);
      await expect(told(tools, "read_file", { paths: "ws:a.txt" })).rejects.toThrow(
        "did not match expected schema",
      );
    });
  });

  it("ask the session's handlers, and run nothing where nobody can be asked", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor(BLOCKS);
    const refused = await told(cofferdamTools(supervisor), "shell", TOUCH);
    expect(refused).toMatchObject({
      status: "error",
      text: expect.stringMatching(/^Denied: .*no handler was available/),
    });
    expect(fates.made()).toBe(false);
    const person = new Asked();
    const tools = cofferdamTools(supervisor, { handler: person, only: ["shell"] });
    expect(tools.map(({ name }) => name)).toEqual(["shell"]);
    expect(await told(tools, "shell", TOUCH)).toMatchObject({ status: "success" });
    expect([person.tools, fates.made()]).toEqual([["shell"], true]);
  });

  it("say that a call waits, where calls are left open", async () => {
    using fates = new Fates();
    await withAgent(fates, async ({ session, supervisor }) => {
      const open = await told(cofferdamTools(session), "shell", TOUCH);
      const [request] = await supervisor.broker.pending();
      expect(open).toMatchObject({
        status: "error",
        text: expect.stringContaining(request?.approvalId ?? "none"),
      });
    });
  });

  it("give plain text to a program that calls them without an agent", async () => {
    using fates = new Fates();
    await withAgent(fates, async ({ session }) => {
      const [tally] = cofferdamTools(session, { only: ["tally"] });
      expect(await tally?.invoke({})).toMatch(/^{"status":0,/);
    });
  });

  it("work in an agent without the middleware: then only the session's handlers are asked", async () => {
    using fates = new Fates();
    const person = new Asked();
    await withAgent(
      fates,
      async ({ session }) => {
        const agent = createAgent({
          model: scripted([[writes("1")], "done"]),
          tools: cofferdamTools(session),
        });
        const { messages } = await agent.invoke({ messages: [{ role: "user", content: "go on" }] });
        expect(messages.at(-1)?.text).toBe("done");
      },
      { own: { handler: person }, settings: BLOCKS },
    );
    expect([person.tools, runs(fates, "1")]).toEqual([["shell"], 1]);
  });

  it("end what runs when they are given up", async () => {
    using fates = new Fates();
    const settings = { shell: { default: { allowed: true, approval: false } } };
    await withAgent(
      fates,
      async ({ session }) => {
        const [shell] = cofferdamTools(session, { only: ["shell"] });
        const ending = new AbortController();
        const run = shell?.invoke({ script: "touch made; exec sleep 600" }, { signal: ending.signal });
        await vi.waitFor(() => expect(fates.made()).toBe(true), 20_000);
        ending.abort();
        expect(await run).toContain('"status":143');
      },
      { settings },
    );
  });

  it("are only those that are named, and a name that none has is refused, as are options beside a session", async () => {
    using fates = new Fates();
    await withAgent(fates, async ({ session, supervisor }) => {
      expect(() => cofferdamTools(session, { only: ["shel"] })).toThrow("unknown tool `shel`");
      await expect(cofferdamMiddleware(supervisor, { only: ["tally"] })).rejects.toThrow(
        "unknown tool `tally`",
      );
      const own = await cofferdamMiddleware(supervisor, { only: ["tally"], tools: [TALLY] });
      expect(own.tools?.map(({ name }) => name)).toEqual(["tally"]);
      expect(() => cofferdamTools(session, { agent: "writer" })).toThrow(
        "an existing session takes no options",
      );
    });
  });

  it("need neither langgraph nor langchain: they are not loaded with them", async () => {
    const program = [
      'import { registerHooks } from "node:module";',
      "const seen = new Set();",
      "registerHooks({ load: (url, context, next) => { seen.add(url); return next(url, context); } });",
      'await import("./src/adapters/langchain.ts");',
      'const has = (name) => [...seen].some((url) => url.includes("/node_modules/" + name + "/"));',
      'console.log(JSON.stringify(["@langchain/core", "@langchain/langgraph", "langchain"].map(has)));',
    ].join("\n");
    const { stdout } = await execa(process.execPath, ["--input-type=module", "-e", program], {
      cwd: `${import.meta.dirname}/../..`,
    });
    expect(JSON.parse(stdout)).toEqual([true, false, false]);
  });
});

describe.skipIf(unusable !== null)("an agent that can't be interrupted safely", () => {
  it("is refused where it runs the calls of a turn as one task: they would run again with each answer", async () => {
    using fates = new Fates();
    await withAgent(fates, async ({ middleware, supervisor }) => {
      const shared = new Talk([[writes("a"), call("b", "tally")], "done"], middleware, undefined, {
        version: "v1",
      });
      const refusal = await shared.begin().catch((error: unknown) => error);
      expect(String(refusal)).toContain("runs all calls of a turn again");
      const hint = 'create the agent without `version`: "v2" runs each call separately';
      expect(refusal).toHaveProperty("cause.hint", hint);
      expect([runs(fates, "tally"), await supervisor.broker.pending()]).toEqual([0, []]);
      const alone = new Talk([[writes("a")], [call("b", "tally")], "done"], middleware, undefined, {
        version: "v1",
      });
      const said = await alone.begin();
      expect(await alone.answer(said, (one) => approve(one))).toMatchObject({ last: "done" });
      expect([runs(fates, "a"), runs(fates, "tally")]).toEqual([1, 1]);
      // As the hint says.
      const model = scripted([[writes("c"), call("d", "tally")], "done"]);
      const own = createAgent({ model, middleware: [middleware], checkpointer: new MemorySaver() });
      const thread = { configurable: { thread_id: "own" } };
      const go = { messages: [{ role: "user", content: "go on" }] };
      const [[id, question] = []] = [...questionsOf(await own.invoke(go, thread))];
      if (id === undefined || question === undefined) throw new Error("nobody was asked");
      await own.invoke(new Command({ resume: { [id]: approve(question) } }), thread);
      expect([runs(fates, "c"), runs(fates, "tally")]).toEqual([1, 2]);
    });
  });

  it("is refused without a checkpointer, and leaves no question behind; what needs no yes runs", async () => {
    using fates = new Fates();
    await withAgent(fates, async ({ middleware, supervisor }) => {
      const agent = createAgent({ model: scripted([[writes("a")]]), middleware: [middleware] });
      const go = { messages: [{ role: "user", content: "go on" }] };
      const refusal = await agent.invoke(go).catch((error: unknown) => error);
      expect(String(refusal)).toContain("an agent without a checkpointer");
      const hint = "give `createAgent` a `checkpointer`, and a `thread_id` to its calls";
      expect(refusal).toHaveProperty("cause.hint", hint);
      expect([runs(fates, "a"), await supervisor.broker.pending()]).toEqual([0, []]);
      const free = createAgent({ model: scripted([[call("b", "tally")], "done"]), middleware: [middleware] });
      expect((await free.invoke(go)).messages.at(-1)?.text).toBe("done");
      expect(runs(fates, "tally")).toBe(1);
      // As the hint says: a talk has both.
      const kept = new Talk([[writes("a")], "done"], middleware);
      expect(await kept.answer(await kept.begin(), (one) => approve(one))).toMatchObject({ last: "done" });
      expect(runs(fates, "a")).toBe(1);
    });
  });

  it("asks the session's handlers about a call without a name, which would not be found again", async () => {
    using fates = new Fates();
    const person = new Asked();
    const nameless = { name: "shell", args: { script: "echo ran >> once" } };
    await withAgent(
      fates,
      async ({ middleware }) => {
        const said = await new Talk([[nameless], "done"], middleware).begin();
        expect(said).toMatchObject({
          asked: [],
          told: [{ text: expect.stringContaining('"status":0') }],
          last: "done",
        });
      },
      { own: { handler: person }, settings: BLOCKS },
    );
    expect([person.tools, runs(fates, "once")]).toEqual([["shell"], 1]);
  });

  it("keeps its other tools as they are, and none of them takes the name of one of ours", async () => {
    using fates = new Fates();
    const ran: string[] = [];
    const tools = ["look", "shell"].map(
      (name) =>
        new DynamicStructuredTool({
          name,
          description: "theirs",
          schema: z.object({}),
          func: async () => {
            ran.push(name);
            return "theirs";
          },
        }),
    );
    const before = [createMiddleware({ name: "theirs", tools })];
    await withAgent(fates, async ({ middleware }) => {
      const talk = new Talk([[call("1", "look"), writes("2")], "done"], middleware, undefined, { before });
      const said = await talk.begin();
      expect(said.asked).toMatchObject([{ tool: "shell" }]);
      const after = await talk.answer(said, (one) => approve(one));
      expect(after.told).toMatchObject([{ text: "theirs" }, { text: expect.stringContaining('"status":0') }]);
      expect([ran, runs(fates, "2")]).toEqual([["look"], 1]);
    });
  });
});
