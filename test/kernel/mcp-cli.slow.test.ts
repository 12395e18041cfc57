import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StdioClientTransport as CurrentStdio } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport as PreviousStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, test } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { connect, type Filled, GENERATIONS, type Ways } from "../support/mcp/clients.ts";
import { exitOf, type Place, place, processesWith, uniqueWord } from "../unit/cli/command-line.ts";

sandboxMustWork("MCP from the command line");

const CONFIG = `version: 1
sandbox:
  runtimes: [system]
  paths: { workspace: { root: ., mode: rw, write_approval: true } }
`;
const MAIN = join(import.meta.dirname, "../../dist/cli/main.js");
const WRITE = { path: "made", content: "hello\n" };
const YES: Filled = { action: "accept", content: { answer: "yes, once" } };

/** How clients start `cofferdam mcp` themselves, as those that people use do. */
function ways(at: Place): Ways {
  const started = {
    command: process.execPath,
    args: [MAIN, "mcp", "--quiet"],
    cwd: at.project,
    env: { PATH: process.env["PATH"] ?? "", HOME: at.state, XDG_STATE_HOME: at.state },
  };
  return { current: () => new CurrentStdio(started), previous: () => new PreviousStdio(started) };
}

describe.skipIf(unusable !== null)("cofferdam mcp", () => {
  test.each(GENERATIONS)(
    "is started by a client, asks its user, and ends with it: %s",
    async (generation) => {
      const at = await place(CONFIG);
      const client = await connect(generation, ways(at), () => YES);
      expect((await client.call("write_file", WRITE)).structuredContent).toMatchObject({ outcome: "done" });
      expect(readFileSync(join(at.project, "made"), "utf8")).toBe("hello\n");
      await client[Symbol.asyncDispose]();
    },
  );

  test("lets a call of a client without forms wait for `cofferdam approvals` in a terminal, though no channel is open", async () => {
    const at = await place(CONFIG);
    await using client = await connect("current", ways(at));
    const messages: string[] = [];
    const call = client.call("write_file", WRITE, {
      onProgress: (_, message) => void messages.push(message ?? ""),
    });
    const waiting = async (): Promise<readonly { readonly approvalId: string }[]> =>
      JSON.parse((await at.here(["approvals", "list", "--json"])).stdout);
    await expect.poll(async () => (await waiting()).length).toBe(1);
    const id = ((await waiting())[0]?.approvalId ?? "").slice(0, 8);
    await expect
      .poll(() => messages.at(-1))
      .toBe(`waits for an approval: see \`cofferdam approvals show ${id}\``);
    expect((await at.cofferdam(["approvals", "approve", id])).exit).toBe(0);
    expect((await call).structuredContent).toMatchObject({ outcome: "done" });
    expect(readFileSync(join(at.project, "made"), "utf8")).toBe("hello\n");
  });

  test("denies it at once if `approvals_command` is off, and says at the start how to open a channel", async () => {
    const at = await place(`${CONFIG}approval: { channels: { approvals_command: false } }\n`);
    await using client = await connect("current", ways(at));
    expect((await client.call("write_file", WRITE)).structuredContent).toMatchObject({
      outcome: "denied",
      reason: expect.stringContaining("this MCP client can't ask its user"),
      hint: expect.stringContaining("ask the user to open a way to approve calls"),
    });
    const { stderr } = await at.cofferdam(["mcp"], { input: "" });
    expect(stderr).toContain(
      "calls that need approval are denied if the client has no forms, because no channel is open: write `channels: { http: {} }`",
    );
    const open = await place(`${CONFIG}approval: { channels: { http: {} } }\n`);
    expect((await open.cofferdam(["mcp"], { input: "" })).stderr).toContain(
      "calls that need approval wait for a form of the client, or for `cofferdam approvals` in a terminal or the channels of `cofferdam serve`",
    );
  });

  test("tells its log of each call that waits", async () => {
    const at = await place(CONFIG);
    const child = at.start(["mcp", "--quiet"]);
    let err = "";
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    const begin = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    const lines = [
      { id: 1, method: "initialize", params: begin },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: { name: "write_file", arguments: WRITE } },
    ];
    for (const line of lines) child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`);
    await expect
      .poll(() => err)
      .toMatch(/cofferdam: `write_file` waits for an approval: see `cofferdam approvals show [0-9a-f]{8}`\n/);
    child.stdin.end();
    await once(child, "close");
    // A client that goes takes its request with it.
    expect(JSON.parse((await at.here(["approvals", "list", "--json"])).stdout)).toEqual([]);
  });

  test("prints nothing but the protocol, and says which config is in force beside it", async () => {
    const at = await place(CONFIG);
    const child = at.start(["mcp"]);
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n{no json\n');
    await expect.poll(() => out).toContain("\n");
    child.stdin.end();
    const [status] = await once(child, "close");
    expect(status).toBe(0);
    expect(out).toBe('{"result":{},"jsonrpc":"2.0","id":1}\n');
    expect(err).toContain("cofferdam.yaml (trusted)");
  });

  test("starts calls in a root, wherever the client started it", async () => {
    const at = await place(`${CONFIG}shell: { rules: [{ pattern: "pwd", approval: false }] }\n`);
    const current = () =>
      new CurrentStdio({
        command: process.execPath,
        args: [MAIN, "mcp", "--quiet", "--config", join(at.project, "cofferdam.yaml")],
        cwd: "/",
        env: { PATH: process.env["PATH"] ?? "", HOME: at.state, XDG_STATE_HOME: at.state },
      });
    await using client = await connect("current", { ...ways(at), current });
    expect((await client.call("shell", { argv: ["pwd"] })).structuredContent).toMatchObject({
      result: { stdout: `${at.project}\n` },
    });
  });

  test("serves nothing by a config that nobody trusts", async () => {
    const at = await place(null);
    at.write("cofferdam.yaml", CONFIG);
    const untrusted = await at.cofferdam(["mcp"], { input: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' });
    expect([untrusted.exit, untrusted.stdout]).toEqual([65, ""]);
    expect(untrusted.stderr).toContain("cofferdam trust");
  });

  test("ends what runs when it is ended, and leaves nothing", async () => {
    const at = await place(`${CONFIG}shell: { default: { allowed: true, approval: false } }\n`);
    const word = uniqueWord();
    const child = at.start(["mcp", "--quiet"]);
    const call = {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "shell", arguments: { script: `sleep 61 && echo ${word}` } },
    };
    const begin = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: begin })}\n`);
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    child.stdin.write(`${JSON.stringify(call)}\n`);
    await expect.poll(() => processesWith(word).length).toBeGreaterThan(0);
    child.kill("SIGTERM");
    expect(await exitOf(child)).toBe(143);
    expect(processesWith(word)).toEqual([]);
    expect(readdirSync(at.project)).toEqual(["cofferdam.yaml"]);
  });
});
