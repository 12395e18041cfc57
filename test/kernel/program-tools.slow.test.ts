import { existsSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ApprovalBlockedError } from "../../src/entry/gate.ts";
import { type DefinedTool, defineTool, type Presentation } from "../../src/index.ts";
import { Asked } from "../support/approval/asked.ts";
import { type Given, printed, type TestSession, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Place } from "../support/battery/place.ts";
import { rootsIn } from "../support/files/notes.ts";
import { processesWith, soon, uniqueWord } from "../unit/cli/command-line.ts";

sandboxMustWork("programs as tools");

const nothing = (): void => undefined;
const yes = () => new Asked(() => ({ approved: true, by: "ann" }));
const always = () => new Asked(() => ({ status: "approved", scope: "session", by: "ann" }));

/** A session over the usual roots, with these tools. */
function standing(
  tools: readonly DefinedTool[],
  {
    prepare = nothing,
    ...given
  }: Omit<Given, "session"> & { readonly prepare?: (place: Place) => void } = {},
): Promise<TestSession> {
  return testSession(
    (place) => {
      rootsIn(place);
      place.file("ws/a", "of ws\n");
      place.file("notes/a.md", "of notes\n");
      place.file("cache/a", "of cache\n");
      prepare(place);
    },
    {
      settings: (place) => ({ sandbox: { paths: rootsIn(place) } }),
      handler: yes(),
      ...given,
      session: { tools },
    },
  );
}

/** A line of shell that gets its argument as one word. */
const line = (
  name: string,
  script: string,
  more: Partial<Parameters<typeof defineTool>[0]> = {},
): DefinedTool =>
  defineTool(
    Object.assign({ name, input: Text, command: ["sh", "-c", script, "sh", "{text}"] as const }, more),
  );
const Text = z.strictObject({ text: z.string().default("none") });

/** What the program can read and write, by the names of roots. */
const LOOK = `for root in ws notes cache; do
  test -e ../$root/a -o -e ../$root/a.md && printf "$root:read " || printf "$root:- "
  touch ../$root/made.md 2>/dev/null && printf "write " || printf -- "- "
done; cat /proc/net/dev | tail -n +3 | wc -l`;

describe.skipIf(unusable !== null)("a program that is a tool", () => {
  it("runs in a sandbox made from what it needs, and in no other", async () => {
    const needs = [
      {},
      { roots: { ws: "read" } },
      { roots: { ws: "write" } },
      { roots: { cache: "write" }, cwd: "../cache" },
      { roots: { ws: "read", cache: "write" } },
    ] as const;
    const tools = needs.map((need, index) => line(`look_${index}`, LOOK, { needs: need }));
    await using at = await standing(tools);
    const found: string[] = [];
    for (const { name } of tools) found.push(printed(await at.session.call(name, {})));
    // A root for some suffixes alone is for programs to read.
    expect(found).toEqual([
      "ws:read write notes:read - cache:read write 1",
      "ws:read - notes:- - cache:- - 1",
      "ws:read write notes:- - cache:- - 1",
      "ws:- - notes:- - cache:read write 1",
      "ws:read - notes:- - cache:read write 1",
    ]);
  });

  it("has no network unless it needs it and the config gives it", async () => {
    const count = "tail -n +3 /proc/net/route | wc -l; tail -n +3 /proc/net/dev | wc -l";
    const tools = [line("off", count), line("on", count, { needs: { network: true } })];
    await using closed = await standing(tools);
    expect(printed(await closed.session.call("on", {}))).toBe("0\n1");
    await using open = await standing(tools, {
      settings: (place) => ({ sandbox: { paths: rootsIn(place) }, shell: { network: "host" } }),
    });
    const granted = async (name: string) => {
      await open.session.call(name, {});
      return open.asked.requests.at(-1)?.granted?.network;
    };
    expect(await granted("off")).toBe("none");
    expect(await granted("on")).not.toBe("none");
  });

  it("has a receipt that says which sandbox was ready, and the journal says what ran", async () => {
    await using at = await standing([line("say", "echo $1", { needs: { roots: { ws: "read" } } })]);
    const own = await at.session.call("say", { text: "a" });
    const shell = await at.session.call("shell", { argv: ["echo", "a"] });
    if (own.kind !== "done" || shell.kind !== "done" || !("stdout" in own)) throw new Error(own.kind);
    expect(own.receipt).toMatchObject({
      backend: "bubblewrap",
      argsHash: at.asked.requests[0]?.argsHash,
      granted: at.asked.requests[0]?.granted?.digest,
      enforcement: { files: { kind: "enforced" }, network: { kind: "enforced" } },
    });
    expect(own.receipt.granted).not.toBe(shell.receipt.granted);
    expect(at.journal.of("call.received")[0]).toMatchObject({
      tool: "say",
      words: ["sh", "-c", "echo $1", "sh", "a"],
      safeArgs: { text: "a" },
    });
    expect(at.journal.of("walls.proven").length).toBe(2);
  });

  it("never has an argument read by a shell, nor as a second word", async () => {
    const echo = defineTool({ name: "say", input: Text, command: ["printf", "<%s>", "--", "{text}"] });
    await using at = await standing([echo]);
    for (const text of ["a b", "$(touch made)", "'; touch made; '", "*", "--version", "{text}", "\n"])
      expect([text, printed(await at.session.call("say", { text }))]).toEqual([text, `<--><${text}>`]);
    expect(existsSync(join(at.place.ws, "made"))).toBe(false);
  });

  it("that needs a root that there is not is refused when it is called, and nothing runs", async () => {
    await using at = await standing([line("say", "touch made", { needs: { roots: { nots: "read" } } })]);
    await expect(at.session.call("say", {})).rejects.toMatchObject({
      code: "USAGE",
      message: "a tool needs the unknown root `nots`",
      hint: "the roots are ws, notes, cache, docs, diary",
    });
  });

  it("starts in a root that it needs, and is told what to do where it says that it starts elsewhere", async () => {
    await using at = await standing([
      line("say", "pwd", { risk: "read_only", needs: { roots: { cache: "read" } } }),
      line("elsewhere", "pwd", { risk: "read_only", needs: { roots: { cache: "read" }, cwd: "." } }),
    ]);
    expect(printed(await at.session.call("say", {}))).toBe(`${at.place.top}/cache`);
    expect(await at.session.call("elsewhere", {})).toMatchObject({
      kind: "denied",
      code: "DENIED",
      reason: `the folder ${at.place.ws} is in no root that the tool needs`,
      hint: `set \`cwd\` in the tool's \`needs\` to a folder in one of ${at.place.top}/cache`,
    });
    expect(at.asked.requests).toEqual([]);
  });
});

describe.skipIf(unusable !== null)("whether a program is asked about", () => {
  /** What becomes of a tool's call when a person would say no. */
  async function becomes(
    tool: DefinedTool,
    given: Parameters<typeof standing>[1] = {},
  ): Promise<readonly [kind: string, asked: number]> {
    await using at = await standing([tool], { handler: new Asked(() => ({ approved: false })), ...given });
    const outcome = await at.session.call(tool.name, { text: "x" });
    return [outcome.kind, at.asked.requests.length];
  }

  it("is said by its risk, where it says nothing else (S0-9)", async () => {
    expect(await becomes(line("say", "true"))).toEqual(["denied", 1]);
    expect(await becomes(line("say", "true", { risk: "read_only" }))).toEqual(["done", 0]);
    const destructive = line("say", "true", { risk: "destructive" });
    expect((await becomes(destructive))[0]).toBe("denied");
  });

  it("is said by its own checks", async () => {
    const check = (made: Partial<Parameters<typeof defineTool>[0]>) => becomes(line("say", "true", made));
    expect(await check({ checkApproval: () => null })).toEqual(["done", 0]);
    expect(await check({ risk: "read_only", checkApproval: () => ({ description: "say it?" }) })).toEqual([
      "denied",
      1,
    ]);
    expect(await check({ requireApproval: { required: false, reason: "" } })).toEqual(["done", 0]);
    expect(await check({ requireApproval: async () => ({ required: true, reason: "late" }) })).toEqual([
      "denied",
      1,
    ]);
    const blocks = () => {
      throw new ApprovalBlockedError("say", "never on Sundays");
    };
    expect(await check({ checkApproval: blocks })).toEqual(["denied", 0]);
    expect(await check({ checkApproval: () => JSON.parse("{") })).toEqual(["denied", 0]);
  });

  it("is said by rules on its name and arguments, and no check opens what a rule denies", async () => {
    const withRules = (...rules: readonly object[]) => ({
      settings: (place: Place) => ({ sandbox: { paths: rootsIn(place) }, approval: { rules } }),
    });
    const open = line("say", "true", { checkApproval: () => null });
    expect(await becomes(line("say", "true"), withRules({ pattern: "s*", action: "allow" }))).toEqual([
      "done",
      0,
    ]);
    expect(await becomes(open, withRules({ pattern: "say", args: { text: "x" }, action: "deny" }))).toEqual([
      "denied",
      0,
    ]);
    expect(await becomes(open, withRules({ pattern: "say", args: { text: "y" }, action: "deny" }))).toEqual([
      "done",
      0,
    ]);
    expect(await becomes(open, withRules({ pattern: "say", action: "ask" }))).toEqual(["denied", 1]);
  });

  it("is said by an operator's rules on commands too: what runs is what they are held against", async () => {
    const touch = defineTool({ name: "mark", risk: "read_only", input: Text, command: ["touch", "{text}"] });
    const withShell = (action: string) => ({
      profile: { approval: { rules: [{ shell: "touch", action }] } },
    });
    expect(await becomes(touch)).toEqual(["done", 0]);
    expect(await becomes(touch, withShell("ask"))).toEqual(["denied", 1]);
    expect(await becomes(touch, withShell("deny"))).toEqual(["denied", 0]);
    const other = defineTool({ name: "other", risk: "read_only", command: ["true"] });
    expect(await becomes(other, withShell("deny"))).toEqual(["done", 0]);
    // Nobody reads what a shell inside the tool runs.
    expect(await becomes(line("say", "true", { risk: "read_only" }), withShell("deny"))).toEqual([
      "denied",
      0,
    ]);
  });

  it("is answered by modes like every other tool", async () => {
    expect(await becomes(line("say", "true"), { options: { mode: "approve_all" } })).toEqual(["done", 0]);
    expect(await becomes(line("say", "true"), { options: { mode: "strict" } })).toEqual(["denied", 0]);
    expect(await becomes(line("say", "true"), { handler: null })).toEqual(["denied", 0]);
  });

  it("is never asked where it could not run anyway", async () => {
    const gone = defineTool({ name: "gone", command: ["no-such-program"] });
    await using at = await standing([gone]);
    expect(await at.session.call("gone", {})).toMatchObject({ kind: "not-found", code: 127 });
    expect(at.asked.requests).toEqual([]);
  });
});

describe.skipIf(unusable !== null)("what a person is shown", () => {
  it("is the command as it will be run, whatever the tool says of itself", async () => {
    const shown: Presentation[] = [];
    const handler = new Asked(async (_, { present }) => {
      shown.push(await present());
      return { approved: true };
    });
    const sly = line("tidy", "printf %s-$1", {
      checkApproval: () => ({
        description: "tidy up a little",
        displayArgs: { text: "nothing" },
        presentation: { type: "text", content: "it is harmless" },
      }),
      needs: { roots: { ws: "read" } },
    });
    await using at = await standing([sly, line("plain", "echo $1")], { handler });
    await at.session.call("tidy", { text: "a b" });
    expect(shown[0]).toMatchObject({ type: "command", about: at.place.ws });
    expect(shown[0]?.content).toContain("sh -c 'printf %s-$1' sh 'a b'");
    expect(handler.requests[0]).toMatchObject({
      tool: "tidy",
      risk: "write",
      description: "tidy up a little",
      granted: { write: [], read: [at.place.ws], network: "none" },
    });
    await at.session.call("plain", {});
    expect(handler.requests[1]).toMatchObject({
      description: "use plain: run sh -c 'echo $1' sh none",
      safeArgs: { text: "none" },
      covers: 'plain with {"text":"none"}',
    });
  });
});

/** A tool that runs a file of the workspace. */
const own = defineTool({ name: "own", input: Text, command: ["./tool", "{text}"] });
const writeTool = (place: Place, says: string): string =>
  place.file("ws/tool", `#!/bin/sh\necho ${says} $1\n`, 0o755);

describe.skipIf(unusable !== null)("a yes", () => {
  it("is for the program that was shown: one that was swapped meanwhile is asked about again", async () => {
    for (const isSwapped of [true, false]) {
      const box: { at: TestSession | null } = { at: null };
      const handler = new Asked(() => {
        if (isSwapped && handler.requests.length === 1 && box.at !== null) writeTool(box.at.place, "swapped");
        return { approved: true };
      });
      await using at = await standing([own], { handler, prepare: (place) => writeTool(place, "shown") });
      box.at = at;
      expect(printed(await at.session.call("own", {}))).toBe(isSwapped ? "swapped none" : "shown none");
      expect(handler.requests.length).toBe(isSwapped ? 2 : 1);
      expect(new Set(handler.requests.map(({ argsHash }) => argsHash)).size).toBe(isSwapped ? 2 : 1);
    }
  });

  it("that was given elsewhere is for what was shown: a schema that fills in something else asks again", async () => {
    let filled = "first";
    const tool = defineTool({
      name: "say",
      input: z.object({ text: z.string().default(() => filled) }),
      command: ["echo", "{text}"],
    });
    const wait = { timeoutMs: null, onTimeout: "wait", style: "suspend" } as const;
    await using at = await testSession(nothing, {
      handler: new Asked(() => ({ status: "pending" })),
      session: { tools: [tool], wait },
    });
    const pendingId = async (): Promise<string> => {
      const pending = await at.session.call("say", {});
      if (pending.kind !== "pending") throw new Error(`it was not left pending but ${pending.kind}`);
      await at.supervisor.broker.respond(pending.approvalId, { approved: true }, "ann");
      return pending.approvalId;
    };
    const [one, other] = [await pendingId(), await pendingId()];
    expect(printed(await at.session.call("say", {}, { approvalId: one }))).toBe("first");
    filled = "second";
    expect(await at.session.call("say", {}, { approvalId: other })).toMatchObject({ kind: "pending" });
    expect(at.asked.requests.at(-1)?.safeArgs).toEqual({ text: "second" });
  });

  it("for the session holds for the same arguments, version, file and sandbox, and for no others", async () => {
    const handler = always();
    await using at = await standing([own], { handler, prepare: (place) => writeTool(place, "one") });
    const asked = async (text: string): Promise<number> => {
      const before = handler.requests.length;
      expect((await at.session.call("own", { text })).kind).toBe("done");
      return handler.requests.length - before;
    };
    expect([await asked("a"), await asked("a"), await asked("b"), await asked("a")]).toEqual([1, 0, 1, 0]);
    writeTool(at.place, "two");
    expect([await asked("a"), await asked("a")]).toEqual([1, 0]);
    const [grant] = await at.session.grants();
    if (grant === undefined) throw new Error("there is no grant");
    expect(grant).toMatchObject({ covers: 'own with {"text":"a"}' });
    for (const { grantId } of await at.session.grants()) await at.session.revoke(grantId);
    expect(await asked("a")).toBe(1);
  });

  it("for the session does not reach a new version, nor a tool that needs more", async () => {
    const asked: number[] = [];
    const tools = [
      { version: "1", needs: { roots: { ws: "read" } } },
      { version: "1", needs: { roots: { ws: "read" } } },
      { version: "2", needs: { roots: { ws: "read" } } },
      { version: "1", needs: { roots: { ws: "write" } } },
    ] as const;
    await using at = await standing([]);
    const keys: unknown[] = [];
    for (const { version, needs } of tools) {
      const handler = always();
      await using session = at.supervisor.session({
        handler,
        tools: [line("say", "true", { version, needs })],
      });
      await session.call("say", {});
      await session.call("say", {});
      asked.push(handler.requests.length);
      keys.push((await session.grants()).map((grant) => ("key" in grant ? grant.key : null))[0]);
    }
    expect(asked).toEqual([1, 1, 1, 1]);
    expect(keys[0]).toEqual(keys[1]);
    expect(keys[2]).toMatchObject({ toolVersion: "2" });
    expect(keys[3]).not.toEqual(keys[0]);
  });

  it("for the session covers what the tool says that it covers, and none where it must not be remembered", async () => {
    const handler = always();
    const wide = line("wide", "echo $1", { checkApproval: () => ({ description: "say?", payload: {} }) });
    const once = line("once", "echo $1", { checkApproval: () => ({ description: "say?", remember: false }) });
    await using at = await standing([wide, once], { handler });
    for (const text of ["a", "b"]) expect(printed(await at.session.call("wide", { text }))).toBe(text);
    expect([handler.requests.length, handler.requests[0]?.covers]).toEqual([1, "every use of wide"]);
    for (const _ of [1, 2]) await at.session.call("once", {});
    expect([handler.requests.length, handler.requests[1]?.covers]).toEqual([3, null]);
  });

  it("with an edited input runs what was written, which is checked and judged again", async () => {
    const edits: unknown[] = [];
    const handler = new Asked(() => ({
      status: "approved",
      scope: "once",
      by: "ann",
      editedInput: edits.shift(),
    }));
    const say = line("say", "echo $1", {
      checkApproval: ({ args }) => {
        if (JSON.stringify(args).includes("bad")) throw new ApprovalBlockedError("say", "not that");
        return { description: "say?" };
      },
    });
    await using at = await standing([say], { handler });
    const call = (edited: unknown) => {
      edits.push(edited);
      return at.session.call("say", { text: "asked" });
    };
    expect(printed(await call({ text: "edited; rm x" }))).toBe("edited; rm x");
    expect(await call({ text: "bad" })).toMatchObject({ kind: "denied", code: "APPROVAL_BLOCKED" });
    for (const wrong of [{ argv: ["touch", "made"] }, { text: 1 }, "x"])
      expect(await call(wrong)).toMatchObject({
        kind: "failed",
        error: { code: "USAGE" },
        answer: { editedInput: wrong },
      });
    expect(existsSync(join(at.place.ws, "made"))).toBe(false);
    expect(at.journal.of("call.received").map(({ safeArgs }) => safeArgs)).toMatchObject([
      { text: "asked" },
      { text: "edited; rm x" },
      { text: "asked" },
      { text: "bad" },
      { text: "asked" },
      { text: "asked" },
      { text: "asked" },
    ]);
  });
});

describe.skipIf(unusable !== null)("how a program runs", () => {
  const cat = defineTool({ name: "cat", risk: "read_only", command: ["cat"] });

  it("with its streams: what it reads is asked about as unseen, what it prints comes as it is printed", async () => {
    await using at = await standing([cat]);
    const chunks: string[] = [];
    const sinks = {
      stdout: (chunk: Buffer) => void chunks.push(chunk.toString()),
      stderr: () => undefined,
    };
    const outcome = await at.session.call("cat", {}, { stdin: Readable.from(["from outside"]), sinks });
    expect([outcome.kind, chunks.join("")]).toEqual(["done", "from outside"]);
    expect(printed(await at.session.call("cat", {}))).toBe("");
  });

  it("until the wall time of the config, or until it is cancelled, and nothing of it is left", async () => {
    const word = uniqueWord();
    const sleep = line("sleep", "echo begun; sleep 60 & wait", { risk: "read_only" });
    await using at = await standing([sleep], {
      settings: (place) => ({ sandbox: { paths: rootsIn(place), limits: { wall: "500ms" } } }),
    });
    expect((await at.session.call("sleep", { text: word })).kind).toBe("timed-out");
    await using free = await standing([sleep]);
    const stop = new AbortController();
    const sinks = { stdout: () => stop.abort(), stderr: () => undefined };
    const called = free.session.call("sleep", { text: word }, { signal: stop.signal, sinks });
    expect(await called).toMatchObject({ kind: "failed", code: 143 });
    expect(await soon(() => processesWith(word).length === 0)).toBe(true);
  });

  it("and fails with its own status", async () => {
    await using at = await standing([line("fail", 'echo "$1" >&2; exit 3', { risk: "read_only" })]);
    const outcome = await at.session.call("fail", { text: "why" });
    expect(outcome).toMatchObject({ kind: "failed", code: 3 });
    expect("stderr" in outcome && outcome.stderr.bytes.toString()).toBe("why\n");
  });
});

describe.skipIf(unusable !== null)("arguments that a program does not take", () => {
  it.each<[given: unknown, message: RegExp]>([
    [{ text: 1 }, /^invalid arguments of `say`: `text` must be a string, not a number$/],
    [{ test: "x" }, /^invalid arguments of `say`: unknown key `test`, did you mean `text`\?$/],
    [{ text: "a\0b" }, /a word can't contain NUL$/],
    [{ text: "\ud800" }, /./],
    ["{", /./],
    [undefined, /./],
  ])("are refused before anybody is asked: %j", async (given, message) => {
    await using at = await standing([line("say", "touch made")]);
    const error = { code: "USAGE", message: expect.stringMatching(message) };
    const [outcome] = await at.session.callAll([{ tool: "say", args: given }]);
    for (const one of [outcome, await at.session.call("say", given)])
      expect(one).toMatchObject({ kind: "failed", error });
    await expect(at.session.ask("say", given)).rejects.toMatchObject(error);
    expect([at.asked.requests, existsSync(join(at.place.ws, "made"))]).toEqual([[], false]);
    expect((await at.session.call("say", '{"text":"as JSON"}')).kind).toBe("done");
  });
});
