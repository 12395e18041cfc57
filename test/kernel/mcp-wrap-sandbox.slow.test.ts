import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { itUnless, notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { connected, wrapPlace, wrapped, writeServer } from "../support/mcp/wrapped.ts";
import { type Place, processesWith, soon, uniqueWord } from "../unit/cli/command-line.ts";

sandboxMustWork("wrapped MCP servers that go wrong");

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** A server for the system's own programs alone: every user gets to these. */
const SH = `while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\\("[^"]*"\\|[0-9]*\\).*/\\1/p')
  case "$line" in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}';;
    *'"tools/call"'*) : > made; echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"made"}]}}';;
  esac
done; sleep 600`;

describe.skipIf(unusable !== null).each(PEOPLE)("a wrapped server, as $name", ({ uid }) => {
  const started = async (word: string) => {
    const at = await wrapPlace(
      {
        servers: {
          sh: { command: ["sh", "-c", `trap '' TERM; sh -c 'sleep 600; :' ${word} & ${SH}`, word] },
        },
      },
      { sandbox: { paths: { ws: { root: ".", mode: "rw", write_approval: false } }, runtimes: ["system"] } },
      uid,
    );
    const mcp = await wrapped(at, ["--wrap", "sh"], { given: { uid } });
    expect(await mcp.client.call("touch")).toContain("made");
    expect(existsSync(join(at.project, "made"))).toBe(true);
    expect(processesWith(word).length).toBeGreaterThan(1);
    return { at, mcp };
  };
  const state = (at: Place, name: string): readonly string[] => {
    const folder = join(at.state, "cofferdam", name);
    return existsSync(folder) ? readdirSync(folder) : [];
  };

  it("ends with its client, and nothing of it is left: no process, no placeholder, no live call", async () => {
    const word = uniqueWord();
    const { at, mcp } = await started(word);
    expect(await mcp.close()).toBe(0);
    expect(processesWith(word)).toEqual([]);
    expect([state(at, "ledger"), state(at, "live")]).toEqual([[], []]);
  });

  it("ends with a signal to its supervisor, by its status, and at once where that is killed", async () => {
    for (const [signal, status] of [
      ["SIGTERM", 143],
      ["SIGKILL", 137],
    ] as const) {
      const word = uniqueWord();
      const { mcp } = await started(word);
      mcp.child.kill(signal);
      expect(await mcp.exit).toBe(status);
      expect(await soon(() => processesWith(word).length === 0)).toBe(true);
    }
  });
});

describe.skipIf(unusable !== null)("a wrapped server", () => {
  itUnless(
    notRoot,
    "is ended before the next call, which is refused, when a mount arrives in its sandbox; until then its calls are made",
    async () => {
      const at = await wrapPlace(
        { servers: { sh: { command: ["sh", "-c", SH], rules: [{ pattern: "*", action: "allow" }] } } },
        {
          sandbox: { paths: { ws: { root: ".", mode: "rw", write_approval: false } }, runtimes: ["system"] },
        },
      );
      mkdirSync(join(at.project, "sub"));
      // In mounts of this test's own, one arrives when a file says so.
      const host = `mount -n --make-rshared / && { (
        while ! [ -e "$0/go" ]; do sleep 0.02; done; mount -n -t tmpfs none "$0/sub"; : > "$0/come"; sleep 5 ) & exec "$@"; }`;
      const command = [process.execPath, MAIN, "mcp", "--quiet", "--wrap", "sh"];
      const child = spawn("/usr/bin/unshare", ["-m", "/bin/sh", "-c", host, at.project, ...command], {
        cwd: at.project,
        env: { PATH: "/usr/bin:/bin", XDG_STATE_HOME: at.state },
      });
      const mcp = await connected(child);
      expect(await mcp.client.call("touch")).toContain("made");
      at.write("go", "");
      await vi.waitUntil(() => existsSync(join(at.project, "come")), { timeout: 60_000 });
      await expect(mcp.client.call("touch")).rejects.toThrow(
        `its sandbox has changed: the mount at ${at.project}/sub was not planned`,
      );
      expect(await mcp.exit).toBe(1);
    },
  );

  it("that floods is held back by a client that reads slowly: no more than a little of it is held in memory", async () => {
    const at = await wrapPlace({ servers: { fs: { command: ["node", "server.mjs"] } } });
    const flood = `let sent = 0;
const more = () => {
  while (sent < 400) {
    sent += 1;
    const data = "x".repeat(1024 * 1024);
    if (!process.stdout.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } }) + "\\n")) return process.stdout.once("drain", more);
  }
};`;
    writeServer(at, "server.mjs", { flood: "more(); return 'begun';" }, flood);
    const mcp = await wrapped(at, ["--wrap", "fs"]);
    mcp.client.call("flood").catch(() => undefined);
    await vi.waitUntil(() => mcp.questions.length === 1, { timeout: 60_000 });
    mcp.child.stdout.pause();
    await pause(3_000);
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${mcp.child.pid}/status`, "utf8"))?.[1];
    expect(Number(peak)).toBeLessThan(300 * 1024);
    // A client that reads nothing keeps nobody from ending it.
    mcp.child.kill("SIGTERM");
    await vi.waitUntil(() => mcp.child.exitCode !== null, { timeout: 60_000 });
    expect(mcp.child.exitCode).toBe(143);
    mcp.child.stdout.resume();
  });
});
