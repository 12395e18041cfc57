import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { Event } from "../../src/event/event.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { NO, WRITE, wrapPlace, wrapped, writeServer } from "../support/mcp/wrapped.ts";
import { reviewerText } from "../support/reviewer/programs.ts";
import { endOf, type Place, place } from "../unit/cli/command-line.ts";

sandboxMustWork("wrapped MCP servers");

const SERVERS = { servers: { fs: { command: ["node", "server.mjs"] } } };

/** Nobody can be asked but the client's user. */
const ALONE = { approval: { channels: { approvals_command: false } } };
const MORE = {
  sandbox: {
    paths: { ws: { root: ".", mode: "rw", write_approval: false } },
    runtimes: ["system", "node"],
  },
};

/** Every event that was recorded there. */
function events(at: Place): readonly Event[] {
  const folder = join(at.state, "cofferdam/journal");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n"))
    .map((line) => {
      const { hash: _, ...event } = Object.assign({}, JSON.parse(line));
      return Event.parse(event);
    });
}

describe.skipIf(unusable !== null)("`cofferdam mcp --wrap`", () => {
  it("lets a reviewer answer about a server's tool, and asks a person about what it leaves to one", async () => {
    const at = await place(null);
    const review = join(dirname(at.project), "review");
    const lines = `case $document in *'"tool":"fs/write"'*) answer allow_once;; *) answer person;; esac`;
    writeFileSync(review, reviewerText(lines), { mode: 0o755 });
    const reviewer = { command: [review], only: { tools: ["fs/*"] }, may: ["allow_once"] };
    at.write("cofferdam.yaml", JSON.stringify({ version: 1, ...MORE, approval: { reviewer }, mcp: SERVERS }));
    await at.here(["trust", "--yes"]);
    writeServer(at, "server.mjs", { write: WRITE, other: "return 'other'" });
    await using mcp = await wrapped(at, ["--wrap", "fs"], { answers: NO });
    expect(await mcp.client.call("write", { path: join(at.project, "made") })).toContain("written");
    expect(mcp.questions).toEqual([]);
    expect(await mcp.client.call("other")).toContain("Denied: rejected by the user of the MCP client tests");
    expect(mcp.questions).toEqual([expect.stringContaining("tool: fs/other\n")]);
    expect(await mcp.close()).toBe(0);
    const reviews = events(at).flatMap((event) => (event.type === "approval.reviewed" ? [event.review] : []));
    expect(reviews).toMatchObject([
      { verdict: "allow_once", because: null },
      { verdict: "person", because: null },
    ]);
  });

  it.each(["current", "previous"] as const)(
    "runs a server in a sandbox for a %s client: it asks about calls, makes them after a yes and not after a no, and the sandbox holds",
    async (kind) => {
      const at = await wrapPlace(SERVERS);
      writeServer(at, "server.mjs", { write: WRITE, read: "return fs.readFileSync(args.path, 'utf8');" });
      let answer = "yes, once";
      await using mcp = await wrapped(at, ["--wrap", "fs"], {
        kind,
        answers: () => ({ action: "accept", content: { answer } }),
      });
      const { client, questions } = mcp;
      expect((await client.tools()).map(({ name }) => name)).toEqual(["write", "read"]);
      const inside = join(at.project, "made");
      expect(await client.call("write", { path: inside })).toContain("written");
      expect(readFileSync(inside, "utf8")).toBe("x");
      expect(questions).toHaveLength(1);
      expect(questions[0]).toContain(
        "cofferdam asks: this call needs your approval\ntool: fs/write\nrisk: write\nwould do: use fs/write\n",
      );
      expect(questions[0]).toContain(`can write: ${at.project}\n`);
      expect(questions[0]).not.toContain("say yes");
      // A yes does not grant what the sandbox refuses.
      const outside = join(at.state, "made");
      expect(await client.call("write", { path: outside })).toMatch(/ENOENT|EROFS|EACCES/);
      expect(await client.call("read", { path: join(at.state, "cofferdam/launcher.json") })).toContain(
        "ENOENT",
      );
      expect(existsSync(outside)).toBe(false);
      answer = "no";
      expect(await client.call("write", { path: join(at.project, "other") })).toContain(
        "Denied: rejected by the user of the MCP client tests",
      );
      expect(existsSync(join(at.project, "other"))).toBe(false);
      expect(await mcp.close()).toBe(0);
      const ended = events(at).filter(({ type }) => type === "call.ended");
      expect(ended.map((event) => ("outcome" in event ? event.outcome : ""))).toEqual([
        "done",
        "done",
        "done",
        "denied",
        "done",
      ]);
    },
  );

  it("gives it what calls get unasked, and after a yes to its start what they get on a yes; that is asked once", async () => {
    const mcp = (write_on_start: boolean) => ({
      servers: {
        fs: {
          command: ["node", "server.mjs"],
          needs: { write_on_start },
          rules: [{ pattern: "*", action: "allow" }],
        },
      },
    });
    const sandbox = {
      paths: { ws: { root: ".", mode: "rw", write_approval: true } },
      runtimes: ["system", "node"],
    };
    const tries = async (asks: boolean, answers?: typeof NO) => {
      const at = await wrapPlace(mcp(asks), { sandbox });
      writeServer(at, "server.mjs", { write: WRITE });
      await using one = await wrapped(at, ["--wrap", "fs"], answers === undefined ? {} : { answers });
      const text = await one.client.call("write", { path: join(at.project, "made") });
      await one.client.call("write", { path: join(at.project, "made") });
      return { text, questions: one.questions, status: await one.close() };
    };
    expect(await tries(false)).toMatchObject({ text: expect.stringContaining("EROFS"), questions: [] });
    const asked = await tries(true);
    expect(asked.text).toContain("written");
    expect(asked.questions).toEqual([
      expect.stringContaining(
        "tool: fs\nrisk: write\nwould do: start the MCP server fs until its client disconnects: run node server.mjs\n",
      ),
    ]);
    expect(asked.status).toBe(0);
  });

  it("does not start it after a no, tells the client why, and exits with 77", async () => {
    const servers = { fs: { command: ["node", "server.mjs"], needs: { write_on_start: true } } };
    const at = await wrapPlace({ servers }, ALONE);
    writeServer(at, "server.mjs", { write: WRITE }, "fs.writeFileSync('started', '');");
    await expect(wrapped(at, ["--wrap", "fs"], { answers: NO })).rejects.toThrow("the MCP server fs stopped");
    expect(existsSync(join(at.project, "started"))).toBe(false);
    for (const [words, status, name] of [
      [["fs"], 77, "fs"],
      [["--", "no-such"], 127, "wrapped"],
    ] as const) {
      const started = at.start(["mcp", "--wrap", ...words]);
      started.stdin.write('{"jsonrpc":"2.0","id":1,"method":"server/discover"}\n');
      const { exit, stdout, stderr } = await endOf(started);
      expect(exit).toBe(status);
      expect(JSON.parse(stdout)).toMatchObject({
        id: 1,
        error: { message: expect.stringContaining("stopped") },
      });
      expect(stderr).toContain(`cofferdam: the MCP server ${name} was not started: `);
    }
  });

  it("takes the words of a server in the config for it, and others with what calls get unasked", async () => {
    const at = await wrapPlace({
      servers: {
        fs: {
          command: ["node", "server.mjs"],
          needs: { roots: { ws: "read" } },
          rules: [{ pattern: "*", action: "allow" }],
        },
      },
    });
    writeServer(at, "server.mjs", { write: WRITE });
    const path = join(at.project, "made");
    // More words than a server has are refused, with what these are.
    const many = at.start(["mcp", "--wrap", "--", ...Array.from({ length: 1_001 }, () => "x")]);
    many.stdin.end();
    const refused = await endOf(many);
    expect([refused.exit, refused.stderr]).toEqual([
      64,
      expect.stringContaining("do: write the server's program and its arguments after `--`"),
    ]);
    await using known = await wrapped(at, ["--wrap", "--", "node", "server.mjs"]);
    expect([await known.client.call("write", { path }), known.questions]).toEqual([
      expect.stringContaining("EROFS"),
      [],
    ]);
    await using other = await wrapped(at, ["--wrap", "--name", "mine", "--", "node", "server.mjs", "--more"]);
    expect(await other.client.call("write", { path })).toContain("written");
    expect(other.questions).toEqual([expect.stringContaining("tool: mine/write\n")]);
  });

  it.each<[claim: string, words: readonly string[], message: string]>([
    ["no name and no words", ["--wrap"], "`mcp --wrap` needs the name of a server, or a command after `--`"],
    [
      "a name that is not there",
      ["--wrap", "fz"],
      "the config has no MCP server `fz`\n  do: did you mean `fs`?",
    ],
    ["a name and words", ["--wrap", "fs", "--", "node"], "unexpected argument `fs`"],
    [
      "the name of another",
      ["--wrap", "--name", "fs", "--", "node"],
      "the config already has an MCP server `fs`",
    ],
    [
      "a name that is none",
      ["--wrap", "--name", "A b", "--", "node"],
      "invalid name of an MCP server: `A b`",
    ],
  ])("is refused with %s", async (_claim, words, message) => {
    const at = await wrapPlace(SERVERS);
    // One of them is tried as a process.
    const run = words.length === 1 ? at.cofferdam : at.here;
    const { exit, stdout, stderr } = await run(["mcp", "--quiet", ...words]);
    expect([exit, stdout]).toEqual([64, ""]);
    expect(stderr).toContain(message);
  });

  it("says what the server says beside the protocol made visible, keeps garbage from the client, and survives both", async () => {
    const at = await wrapPlace(SERVERS);
    const before = [
      "process.stdout.write('Welcome!\\n');",
      "say({ method: 'notifications/message', params: { level: 'info', data: 'early' } });",
      "process.stderr.write('\\x1b[2Jcofferdam: all is well\\n');",
    ].join("");
    writeServer(
      at,
      "server.mjs",
      { "a b": "return 1;", ok: "process.stdout.write('noise\\n{}\\n'); return 'ok';" },
      before,
    );
    await using mcp = await wrapped(at, ["--wrap", "fs"]);
    expect((await mcp.client.tools()).map(({ name }) => name)).toEqual(["ok"]);
    expect(await mcp.client.call("ok")).toContain("ok");
    expect(await mcp.close()).toBe(0);
    expect(mcp.said()).toContain("fs: \\u{1b}[2Jcofferdam: all is well\n");
    expect(mcp.said()).toContain(
      "left out the tool `a b` of the MCP server fs: its name may only have letters, digits, `_`, `.`, `-` and `/`\n",
    );
    const refused = events(at).flatMap((event) => (event.type === "mcp.refused" ? [event.because] : []));
    expect(refused).toContain("its name may only have letters, digits, `_`, `.`, `-` and `/`");
  });

  it("gives up on what a server does not answer, and exits with 1 when it dies, with who waits told", async () => {
    const at = await wrapPlace(
      { servers: { fs: { command: ["node", "server.mjs"], rules: [{ pattern: "*", action: "allow" }] } } },
      {
        sandbox: {
          paths: { ws: { root: ".", mode: "rw" } },
          runtimes: ["system", "node"],
          limits: { wall: "700ms" },
        },
      },
    );
    writeServer(at, "server.mjs", {
      never: "return undefined;",
      die: "process.exit(3);",
    });
    const mcp = await wrapped(at, ["--wrap", "fs"]);
    await expect(mcp.client.call("never")).rejects.toThrow("the MCP server fs did not answer within 700 ms");
    await expect(mcp.client.call("die")).rejects.toThrow("the MCP server fs stopped: it ended with status 3");
    expect(await mcp.exit).toBe(1);
    expect(mcp.said()).toContain("cofferdam: the MCP server fs stopped: it ended with status 3\n");
  });

  it("asks through the config's channels as well, where somebody else can answer while the call stands still", async () => {
    const approval = { store: "sqlite", channels: { http: { listen: "127.0.0.1:0" } } };
    const at = await wrapPlace(SERVERS, { ...MORE, approval });
    writeServer(at, "server.mjs", { ok: "return 'made';" });
    await using mcp = await wrapped(at, ["--wrap", "fs"], { hasForms: false });
    const call = mcp.client.call("ok");
    const waiting = async (): Promise<string | undefined> => {
      const { stdout } = await at.here(["approvals", "list", "--json"]);
      return /"approvalId": "([^"]+)"/.exec(stdout)?.[1];
    };
    const id = await vi.waitUntil(waiting, { timeout: 60_000 });
    expect((await at.cofferdam(["approvals", "approve", id])).exit).toBe(0);
    expect(await call).toContain("made");

    const alone = await wrapPlace(SERVERS, ALONE);
    writeServer(alone, "server.mjs", { ok: "return 'made';" });
    await using nobody = await wrapped(alone, ["--wrap", "fs"], { hasForms: false });
    expect(await nobody.client.call("ok")).toContain("Denied: ");
  });

  it("obeys operators' rules on its tools by their whole names, whatever its own rules say", async () => {
    const at = await wrapPlace({
      servers: { fs: { command: ["node", "server.mjs"], rules: [{ pattern: "*", action: "allow" }] } },
    });
    writeServer(at, "server.mjs", { write: WRITE, ok: "return 'ok';" });
    at.write(
      "strict.yaml",
      JSON.stringify({ profile: "mine", approval: { rules: [{ pattern: "fs/write", action: "deny" }] } }),
    );
    await using mcp = await wrapped(at, ["--profile", "./strict.yaml", "--wrap", "fs"]);
    expect(await mcp.client.call("write", { path: "made" })).toContain("Denied");
    expect(await mcp.client.call("ok")).toContain("ok");
    expect(mcp.questions).toEqual([]);
  });
});

it.skipIf(unusable !== null)("a server of the stateless revision is wrapped for a client of it", async () => {
  const at = await wrapPlace(SERVERS);
  at.write(
    "server.mjs",
    `import { createInterface } from "node:readline";
const say = (m) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...m }) + "\\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const done = (result) => say({ id, result: { resultType: "complete", ...result } });
  if (method === "server/discover") done({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs: 0, cacheScope: "private" });
  else if (method === "tools/list") done({ tools: [{ name: "ok", inputSchema: { type: "object" } }], ttlMs: 0, cacheScope: "private" });
  else if (method === "tools/call") done({ content: [{ type: "text", text: "called " + JSON.stringify(params.arguments) }] });
}`,
  );
  await using mcp = await wrapped(at, ["--wrap", "fs"], { kind: "stateless" });
  expect((await mcp.client.tools()).map(({ name }) => name)).toEqual(["ok"]);
  expect(await mcp.client.call("ok", { a: 1 })).toContain('called {\\"a\\":1}');
  expect(mcp.questions).toEqual([expect.stringContaining("tool: fs/ok\n")]);
});
