import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { runModule } from "../support/mcp/programs.ts";
import { CONFIG, type Place, place } from "../unit/cli/command-line.ts";

sandboxMustWork("the protocol's inspector");

const INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
const MAIN = join(import.meta.dirname, "../../dist/cli/main.js");

/** Runs the inspector's command line at `cofferdam mcp`, as somebody does who has both. */
async function inspect(at: Place, ...words: readonly string[]) {
  const server = {
    command: process.execPath,
    args: [MAIN, "mcp", "--quiet"],
    cwd: at.project,
    env: { XDG_STATE_HOME: at.state },
  };
  const file = join(at.state, "inspector.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { cofferdam: server } }));
  const how = ["--cli", "--config", file, "--server", "cofferdam"];
  const env = { HOME: at.state, MCP_INSPECTOR_SECRET_STORE: "memory", XDG_STATE_HOME: at.state };
  return runModule([INSPECTOR, ...how, ...words], { cwd: at.project, env });
}

describe.skipIf(unusable !== null)("the protocol's inspector", () => {
  test("lists our tools, and finds nothing in their schemas that some host would not take", async () => {
    const at = await place(CONFIG);
    const { status, out } = await inspect(at, "--method", "tools/list", "--strict");
    expect(status === 0 ? "" : out).toBe("");
    expect(out).toContain('"name": "search_files"');
    expect(out).not.toMatch(/^(?:Warning|Error):/m);
  });

  test("calls them: what is let pass runs, and what nobody can be asked about is denied", async () => {
    const at = await place(`${CONFIG}approval: { channels: { approvals_command: false } }\n`);
    const call = (tool: string, ...args: readonly string[]) =>
      inspect(
        at,
        "--method",
        "tools/call",
        "--tool-name",
        tool,
        ...args.flatMap((one) => ["--tool-arg", one]),
      );
    const written = await call("write_file", "path=made", "content=hello");
    expect(written.out).toContain('"outcome": "done"');
    expect(readFileSync(join(at.project, "made"), "utf8")).toBe("hello");
    const denied = await call("shell", 'argv=["rm","made"]');
    expect(denied.out).toContain("Denied: ");
    expect(readFileSync(join(at.project, "made"), "utf8")).toBe("hello");
  });
});
