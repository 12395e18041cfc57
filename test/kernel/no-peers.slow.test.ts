import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { installOurselves } from "../support/installed-copy.ts";
import { connected, writeServer } from "../support/mcp/wrapped.ts";
import { endOf } from "../unit/cli/command-line.ts";

sandboxMustWork("commands without optional packages");

const stage = realpathSync(mkdtempSync(join(homedir(), ".cofferdam-peers-")));
afterAll(() => rmSync(stage, { recursive: true, force: true }));
const project = join(stage, "project");
mkdirSync(project);
const main = installOurselves(stage);
writeFileSync(
  join(project, "config.yaml"),
  JSON.stringify({
    version: 1,
    sandbox: {
      paths: { ws: { root: ".", mode: "rw", write_approval: false } },
      runtimes: ["system", "node"],
    },
    mcp: { servers: { fs: { command: ["node", "server.mjs"], rules: [{ pattern: "*", action: "allow" }] } } },
  }),
);

describe.skipIf(unusable !== null)("an installation without optional packages", () => {
  it("wraps MCP servers: that needs none", async () => {
    writeServer({ project }, "server.mjs", { say: "return 'said'" });
    for (const words of [["fs"], ["--name", "plain", "--", "node", "server.mjs"]]) {
      await using mcp = await connected(start("mcp", "--config", "config.yaml", "--wrap", ...words));
      expect(await mcp.client.call("say")).toContain("said");
    }
  });

  it.each([
    ["mcp", [], "@modelcontextprotocol/server"],
    ["serve", ["--mcp"], "@modelcontextprotocol/server"],
    ["serve", [], "hono"],
  ])("names the package that `cofferdam %s` with %j needs", async (command, words, name) => {
    const child = start(command, "--config", "config.yaml", ...words);
    child.stdin.end();
    const { exit, stderr } = await endOf(child);
    expect(stderr).toContain(`missing package: \`${name}\``);
    expect(stderr).toContain(`  do: install it next to cofferdam: \`npm install ${name}`);
    expect(exit).toBe(64);
  });
});

function start(...words: readonly string[]): ChildProcessWithoutNullStreams {
  const env = { PATH: process.env["PATH"] ?? "", XDG_STATE_HOME: join(stage, "state") };
  return spawn(process.execPath, [main, ...words], { cwd: project, env, detached: true });
}
