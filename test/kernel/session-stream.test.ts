import { once } from "node:events";
import { existsSync } from "node:fs";
import { Readable } from "node:stream";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { type CallEvent, defineTool, type ProgramOutcome, toolResult } from "../../src/index.ts";
import { Asked } from "../support/approval/asked.ts";
import { printed, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { processesWith, soon, uniqueWord } from "../unit/cli/command-line.ts";

sandboxMustWork("a call as its events");

const nothing = (): void => undefined;
const FREE = { settings: { shell: { default: { approval: false } } } };

/** The events, each in short, what came of one stream in one; `taken` is told how many have come. */
async function told(
  events: AsyncIterable<CallEvent>,
  taken: (count: number) => void = nothing,
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const event of events) {
    if (event.type === "ended") {
      found.push(`ended: ${event.outcome.kind}`);
      continue;
    }
    const last = found.at(-1);
    const text = event.chunk.toString();
    if (last?.startsWith(`${event.type}: `) === true) found[found.length - 1] = `${last}${text}`;
    else found.push(`${event.type}: ${text}`);
    taken(found.length);
  }
  return found;
}

describe.skipIf(unusable !== null)("a call as its events", () => {
  it("tells output in the order in which it comes, then the outcome, once", async () => {
    await using at = await testSession(nothing, FREE);
    // Each line comes when the one before was taken: what stands in two pipes at once has no order.
    const until = (count: number): string => `until [ -e taken-${count} ]; do sleep 0.02; done`;
    const script = `echo a; ${until(1)}; echo b >&2; ${until(2)}; echo c; exit 3`;
    const take = (count: number): void => void at.place.file(`ws/taken-${count}`, "");
    expect(await told(at.session.stream("shell", { script }), take)).toEqual([
      "stdout: a\n",
      "stderr: b\n",
      "stdout: c\n",
      "ended: failed",
    ]);
  });

  it("tells all of a large output, byte by byte, and holds none of it", async () => {
    await using at = await testSession(nothing, FREE);
    const parts: Buffer[] = [];
    let outcome: ProgramOutcome | null = null;
    for await (const event of at.session.stream("shell", { script: "seq 1 500000" })) {
      if (event.type === "ended") outcome = event.outcome;
      else parts.push(event.chunk);
    }
    const whole = Buffer.concat(parts).toString();
    expect(whole).toBe(`${Array.from({ length: 500_000 }, (_, index) => index + 1).join("\n")}\n`);
    expect(outcome).toMatchObject({
      kind: "done",
      stdout: { bytes: Buffer.alloc(0), takenBytes: whole.length },
    });
  });

  it("begins when the gate has let it pass, and not before somebody takes the first event", async () => {
    const answer = Promise.withResolvers<unknown>();
    const handler = new Asked(() => answer.promise);
    await using at = await testSession(nothing, { handler });
    const events = at.session.stream("shell", { argv: ["echo", "ran"] });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(handler.requests).toEqual([]);
    const first = events.next();
    const isFirst = await Promise.race([
      first.then(() => true),
      soon(() => handler.requests.length > 0).then(() => false),
    ]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([isFirst, at.journal.of("walls.proven")]).toEqual([false, []]);
    answer.resolve({ approved: true });
    expect(await first).toMatchObject({ value: { type: "stdout" } });
    expect(await told(events)).toEqual(["ended: done"]);
  });

  it("is one event where the gate does not let it pass", async () => {
    await using at = await testSession(nothing, { handler: new Asked(() => ({ approved: false })) });
    expect(await told(at.session.stream("shell", { argv: ["echo", "ran"] }))).toEqual(["ended: denied"]);
    expect(at.journal.of("walls.proven")).toEqual([]);
  });

  it("goes at the pace of whoever takes the events", async () => {
    await using at = await testSession(nothing, FREE);
    const script = "head -c 20000000 /dev/zero; : >over";
    let [bytes, isOver] = [0, false];
    for await (const event of at.session.stream("shell", { script })) {
      if (event.type === "stdout") {
        if (bytes === 0) {
          await new Promise((resolve) => setTimeout(resolve, 500));
          isOver = existsSync(`${at.place.ws}/over`);
        }
        bytes += event.chunk.length;
      }
    }
    expect([bytes, isOver, existsSync(`${at.place.ws}/over`)]).toEqual([20_000_000, false, true]);
  });

  it("is ended by whoever stops taking events, and nothing of it is left when they go on", async () => {
    await using at = await testSession(nothing, FREE);
    const word = uniqueWord();
    const script = `while :; do echo ${word}; done`;
    for await (const event of at.session.stream("shell", { script })) {
      expect(event.type).toBe("stdout");
      expect(processesWith(word).length).toBeGreaterThan(0);
      break;
    }
    expect(processesWith(word)).toEqual([]);
    expect(at.journal.of("call.ended")).toMatchObject([{ outcome: "failed", reason: "cancelled" }]);
    expect(printed(await at.session.call("shell", { argv: ["echo", "next"] }))).toBe("next");
  });

  it("that waits for an answer is given up by whoever stops", async () => {
    const handler = new Asked(async (_, { signal }) => {
      await once(signal, "abort");
      return { status: "pending" };
    });
    await using at = await testSession(nothing, { handler, session: { wait: { timeoutMs: null } } });
    const events = at.session.stream("shell", { argv: ["echo", "ran"] });
    const first = events.next();
    expect(await soon(() => handler.requests.length > 0)).toBe(true);
    const stop = new AbortController();
    const other = at.session.stream("shell", { argv: ["echo", "other"] }, { signal: stop.signal });
    const second = other.next();
    expect(await soon(() => handler.requests.length > 1)).toBe(true);
    stop.abort();
    expect(await second).toMatchObject({ value: { type: "ended", outcome: { kind: "denied" } } });
    await at.session[Symbol.asyncDispose]();
    expect(await first).toMatchObject({ value: { type: "ended", outcome: { kind: "denied" } } });
    expect(at.journal.of("walls.proven")).toEqual([]);
  });

  it("is ended by its signal, and tells so", async () => {
    await using at = await testSession(nothing, FREE);
    const [word, stop] = [uniqueWord(), new AbortController()];
    const found: string[] = [];
    const stream = at.session.stream("shell", { script: `echo ${word}; sleep 60` }, { signal: stop.signal });
    for await (const event of stream) {
      found.push(event.type);
      stop.abort();
    }
    expect(found).toEqual(["stdout", "ended"]);
    expect(processesWith(word)).toEqual([]);
  });

  it("of a tool that answers with a value is that value alone", async () => {
    const plain = defineTool({ name: "now", risk: "read_only", run: () => 7 });
    const program = defineTool({ name: "say", risk: "read_only", command: ["echo", "said"] });
    await using at = await testSession((place) => place.file("ws/a", "text\n"), {
      ...FREE,
      session: { tools: [plain, program] },
    });
    const events: unknown[] = [];
    for await (const event of at.session.stream("read_file", { path: "a" })) events.push(event);
    expect(events).toMatchObject([{ type: "ended", outcome: { kind: "done", value: { text: "text\n" } } }]);
    expect(await told(at.session.stream("now", {}))).toEqual(["ended: done"]);
    expect(await told(at.session.stream("say", {}))).toEqual(["stdout: said\n", "ended: done"]);
  });

  it("takes what `call` takes, but sinks, and throws what it throws", async () => {
    await using at = await testSession(nothing, FREE);
    const { session } = at;
    const stdin = Readable.from(["in"]);
    expect(await told(session.stream("shell", { argv: ["cat"] }, { stdin }))).toEqual([
      "stdout: in",
      "ended: done",
    ]);
    expect(await told(session.stream("no_tool", {}))).toEqual(["ended: failed"]);
    expect(await told(session.stream("shell", { argv: [] }))).toEqual(["ended: failed"]);
    const refused = (options: unknown) => () =>
      Reflect.apply(session.stream, session, ["shell", { argv: ["true"] }, options]);
    expect(refused({ signal: "now" })).toThrow(expect.objectContaining({ code: "USAGE" }));
    expect(refused({ sinks: { stdout: nothing, stderr: nothing } })).toThrow(
      expect.objectContaining({ code: "USAGE", message: "unknown option `sinks` of `stream`" }),
    );
  });

  it("has the types of the tool's own outcome", async () => {
    await using at = await testSession(nothing, FREE);
    for await (const event of at.session.stream("shell", { argv: ["true"] }))
      if (event.type === "ended") expectTypeOf(event.outcome).toEqualTypeOf<ProgramOutcome>();
    for await (const event of at.session.stream("read_file", { path: "none" }))
      if (event.type === "ended" && event.outcome.kind === "done")
        expectTypeOf(event.outcome.value.path).toBeString();
  });
});

describe.skipIf(unusable !== null)("the calls of one turn", () => {
  it("give each its outcome in their order; what would be thrown is a failure that a model can read", async () => {
    const broken = defineTool({
      name: "broken",
      risk: "read_only",
      run: () => {
        throw new Error("it broke");
      },
    });
    await using at = await testSession((place) => place.file("ws/a", "text"), {
      ...FREE,
      session: { tools: [broken] },
    });
    const outcomes = await at.session.callAll([
      { tool: "shell", args: { argv: ["echo", "said"] } },
      { tool: "shell", args: { argv: [] } },
      { tool: "shel", args: {} },
      { tool: "read_file", args: { path: "a" } },
      { tool: "read_file", args: { path: "none" } },
      { tool: "read_file", args: { pth: "a" } },
      { tool: "broken", args: {} },
      { tool: "shell", args: { argv: ["no-such-program"] } },
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      "done",
      "failed",
      "failed",
      "done",
      "failed",
      "failed",
      "failed",
      "not-found",
    ]);
    expect(outcomes.map(toolResult)).toMatchObject([
      { type: "success", output: { stdout: "said\n" } },
      {
        type: "error",
        error: expect.stringMatching(/^Error: invalid arguments of `shell`: `argv`: the call has no words\n/),
      },
      {
        type: "error",
        error: expect.stringMatching(
          /^Error: unknown tool `shel`\nWhat would help: did you mean `shell`\? use one of: /,
        ),
      },
      { type: "success", output: { text: "text" } },
      { type: "error" },
      { type: "error" },
      { type: "error", error: "Error: it broke" },
      {
        type: "error",
        error: expect.stringMatching(
          /^Error: command not found in the sandbox: `no-such-program`\nWhat would help: check its spelling/,
        ),
      },
    ]);
  });
});

describe.skipIf(unusable !== null)("the tools of a session", () => {
  it("are told as a model needs them: name, risk, words and the schema of what they take", async () => {
    const say = defineTool({
      name: "say",
      risk: "read_only",
      description: "says a word",
      input: z.object({ word: z.string(), times: z.int().default(1) }),
      command: ["echo", "{word}"],
    });
    const bare = defineTool({ name: "bare", run: () => 1 });
    await using at = await testSession(nothing, { session: { tools: [say, bare] } });
    const cards = at.session.tools();
    expect(cards.map(({ name }) => name)).toEqual([
      "shell",
      "read_file",
      "list_dir",
      "find_files",
      "search_files",
      "write_file",
      "edit_file",
      "delete_file",
      "move_file",
      "web_fetch",
      "web_fetch_add_domain",
      "say",
      "bare",
    ]);
    for (const { name, description, schema } of cards.slice(0, -2)) {
      expect([name, description.length > 20]).toEqual([name, true]);
      expect([name, JSON.stringify(schema)]).toEqual([name, expect.stringContaining("properties")]);
      // It would tell a model not to fill it in.
      expect([name, JSON.stringify(schema).includes("readOnly")]).toEqual([name, false]);
    }
    expect(cards.slice(-2)).toMatchObject([
      {
        name: "say",
        risk: "read_only",
        description: "says a word",
        schema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
      },
      { name: "bare", risk: "write", description: "", schema: null },
    ]);
    expect(() => at.supervisor.session({ tools: [say, say] })).toThrow("two tools have the name `say`");
    const shell = defineTool({ name: "shell", run: () => 1 });
    expect(() => at.supervisor.session({ tools: [shell] })).toThrow("two tools have the name `shell`");
  });
});

describe.skipIf(unusable !== null)("output that is too much", () => {
  it("is told by its start and its end, with what was left out between", async () => {
    await using at = await testSession(nothing, {
      settings: { ...FREE.settings, sandbox: { limits: { output: "1KiB" } } },
    });
    const outcome = await at.session.call("shell", { script: "seq 1 20000" });
    if (!("stdout" in outcome)) throw new Error(outcome.kind);
    const { bytes, tail, droppedBytes } = outcome.stdout;
    expect([bytes.length, bytes.toString().slice(0, 4), tail.length]).toEqual([1024, "1\n2\n", 16 * 1024]);
    expect(tail.toString().endsWith("\n19999\n20000\n")).toBe(true);
    const { output } = { output: toolResult(outcome) };
    expect(output).toMatchObject({ type: "success", output: { dropped_bytes: droppedBytes - tail.length } });
    expect(JSON.stringify(output)).toContain(`[${droppedBytes - tail.length} bytes dropped]`);
    const little = await at.session.call("shell", { script: "seq 1 3" });
    expect(toolResult(little)).toMatchObject({ output: { stdout: "1\n2\n3\n", dropped_bytes: 0 } });
  });
});
