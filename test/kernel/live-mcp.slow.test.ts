import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { rememberTrust, revokeTrust, trustFile } from "../../src/config/trust.ts";
import { serveMcp } from "../../src/mcp/serve-stdio.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { configWith, LiveProject } from "../support/live/project.ts";
import { connect, type Generation } from "../support/mcp/clients.ts";
import { Lines } from "../support/mcp/lines.ts";
import { hostIn, place } from "../unit/cli/command-line.ts";

vi.setConfig({ testTimeout: 600_000 });
sandboxMustWork("MCP clients while the config changes");

const A = configWith({ a: {} });
const SHELL = { default: { allowed: true, approval: false }, rules: [{ pattern: "echo", allowed: false }] };
const ECHO = { argv: ["echo", "hello"] };

describe.skipIf(unusable !== null)("config.live: MCP clients", () => {
  it.each(["previous", "current"] as const satisfies readonly Generation[])(
    "are under a changed config with their next call, and are told as their protocol can: %s",
    async (generation) => {
      using project = new LiveProject();
      project.folder("a");
      project.apply(A);
      await using supervisor = await project.supervisor({ startsInRoot: true });
      const lines = new Lines();
      await using _service = serveMcp(supervisor, { input: lines.input, output: lines.output });
      await using client = await connect(generation, lines, null);
      expect((await client.call("shell", ECHO)).structuredContent).toMatchObject({ outcome: "done" });
      project.apply({ ...A, shell: SHELL });
      const denied = await client.call("shell", ECHO);
      expect(denied.isError).toBe(true);
      expect(denied.content[0]?.text).toContain("Denied:");
      project.revoke();
      const stopped = await client.call("write_file", { path: "a:made", content: "x" });
      expect(stopped.content[0]?.text).toContain("was revoked");
      const methods = lines.wire
        .filter(({ from }) => from === "server")
        .flatMap(({ line }) => /"method":"([^"]+)"/.exec(line)?.[1] ?? []);
      if (generation === "previous")
        expect(methods).toEqual([
          "notifications/message",
          "notifications/tools/list_changed",
          "notifications/message",
          "notifications/tools/list_changed",
        ]);
      expect(client.instructions).toContain(project.place.ws);
    },
  );
});

describe.skipIf(unusable !== null)("config.live: the commands that serve", () => {
  it.each([
    ["mcp", ["mcp"]],
    ["mcp --wrap", ["mcp", "--wrap", "--", "cat"]],
  ])("say on standard error what changed: %s", async (_, words) => {
    const at = await place();
    const file = join(at.project, "cofferdam.yaml");
    const text = readFileSync(file, "utf8");
    const host = hostIn(at);
    const child = at.start(words);
    let err = "";
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    await expect.poll(() => err).toContain("(trusted)");
    at.write("cofferdam.yaml", `${text}\n# changed\n`);
    await expect.poll(() => err).toContain("has changed and is not trusted");
    rememberTrust(host, trustFile(host, file));
    await expect.poll(() => err).toContain("apply as they are now");
    const listed = await at.cofferdam(["trust", "--list"]);
    expect(listed.stdout).toContain(`process ${child.pid}`);
    revokeTrust(host, file);
    await expect.poll(() => err).toContain("no call runs from now on");
    child.stdin.end();
    await new Promise((resolve) => child.once("close", resolve));
  });
});
