import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { StdioClientTransport as CurrentStdio } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport as PreviousStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { parse as parseToml } from "smol-toml";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { connect, type Ways } from "../support/mcp/clients.ts";

const CHECKOUT = join(import.meta.dirname, "../..");
const MAIN = join(CHECKOUT, "dist/cli/main.js");
const page = (name: string): string => readFileSync(join(CHECKOUT, "docs", name), "utf8");

sandboxMustWork("the pages of the docs");

/** A folder outside of `/tmp`, which each sandbox has for itself, and what lies in it is gone after the test. */
function folderOf(): string {
  const folder = realpathSync(mkdtempSync(join(homedir(), ".cofferdam-docs-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const blocks = (text: string, language: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, block = ""]) => block);

const Entry = z.strictObject({
  type: z.literal("stdio").optional(),
  command: z.literal("cofferdam"),
  args: z.array(z.string()),
});
const Servers = z.strictObject({ cofferdam: Entry });

/** What each host takes, by what stands before its block on the page. */
const HOSTS = [
  { host: "Claude Desktop", language: "json", shape: z.strictObject({ mcpServers: Servers }) },
  { host: "Claude Code", language: "json", shape: z.strictObject({ mcpServers: Servers }) },
  {
    host: "VS Code",
    language: "json",
    shape: z.strictObject({ servers: z.strictObject({ cofferdam: Entry.required() }) }),
  },
  { host: "Cursor", language: "json", shape: z.strictObject({ mcpServers: Servers }) },
  {
    host: "Codex",
    language: "toml",
    shape: z.strictObject({
      mcp_servers: z.strictObject({ cofferdam: Entry.extend({ tool_timeout_sec: z.number() }) }),
    }),
  },
] as const;

describe.skipIf(unusable !== null)("the pages about MCP", () => {
  test.each(HOSTS)("has for $host what it reads, and that starts a server with tools", async (one) => {
    const [, text = ""] =
      new RegExp(`^${one.host}, .*?^\`\`\`${one.language}\\n(.*?)^\`\`\`$`, "ms").exec(
        page("guide/5-mcp-host.md"),
      ) ?? [];
    const read = one.shape.parse(one.language === "toml" ? parseToml(text) : JSON.parse(text));
    const [servers] = Object.values(read);
    const { args } = z
      .looseObject({ cofferdam: z.looseObject({ args: z.array(z.string()) }) })
      .parse(servers).cofferdam;
    const folder = folderOf();
    mkdirSync(join(folder, "ws"));
    const config = join(folder, "cofferdam.yaml");
    writeFileSync(
      config,
      "version: 1\nsandbox: { paths: { ws: { root: ./ws, mode: rw } }, runtimes: [system] }\n",
    );
    const words = args.map((word) => (word === "/home/you/agent/cofferdam.yaml" ? config : word));
    expect(words).toContain(config);
    const started = {
      command: process.execPath,
      args: [MAIN, ...words],
      cwd: "/",
      stderr: "ignore" as const,
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_STATE_HOME: join(folder, "state") },
    };
    const ways: Ways = {
      current: () => new CurrentStdio(started),
      previous: () => new PreviousStdio(started),
    };
    await using client = await connect("previous", ways);
    expect((await client.tools()).map(({ name }) => name)).toContain("write_file");
  });

  test("has every host that it speaks of among those that are tried", () => {
    const text = page("guide/5-mcp-host.md");
    const section = text.slice(text.indexOf("## Settings of your host"), text.indexOf("## Who is asked"));
    expect(blocks(section, "json").length + blocks(section, "toml").length).toBe(HOSTS.length);
  });

  test("has a config for servers of somebody else's that loads, and grants what the page says", async () => {
    const folder = folderOf();
    for (const name of ["notes", "servers"]) mkdirSync(join(folder, name));
    const [config = ""] = blocks(page("how-to/wrap-an-mcp-server.md"), "yaml");
    writeFileSync(join(folder, "cofferdam.yaml"), config);
    const env = {
      PATH: process.env["PATH"],
      HOME: join(folder, "home"),
      XDG_STATE_HOME: join(folder, "state"),
    };
    const words = [MAIN, "trust", "--yes", join(folder, "cofferdam.yaml")];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder, env });
    expect(stdout).toMatch(
      /files .*writes notes, once its start is approved, writes in roots that ask first/s,
    );
    expect(stdout).toMatch(/wiki .*reads notes, with the network of commands/s);
    const checked = [MAIN, "check", "--config", join(folder, "cofferdam.yaml")];
    expect((await promisify(execFile)(process.execPath, checked, { cwd: folder, env })).stdout).not.toMatch(
      /error/i,
    );
  });
});

/** A whole agent that knows of no sandbox: for each thing that it tries, it prints whether that worked. */
const AGENT = `
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
const attempt = (what, work) => {
  try { console.log(what, "yes", work() ?? ""); } catch { console.log(what, "no"); }
};
attempt("project", () => writeFileSync("made.txt", "made"));
attempt("memory", () => writeFileSync(process.env.CLAUDE_CONFIG_DIR + "/memory.json", "{}"));
attempt("key", () => { if (process.env.ANTHROPIC_API_KEY !== "a key") throw new Error(); });
attempt("other variable", () => { if (process.env.OTHER !== "a secret") throw new Error(); });
attempt("git", () => execFileSync("git", ["status", "--short"], { encoding: "utf8" }).includes("agent.mjs"));
attempt("hook", () => writeFileSync(".git/hooks/pre-commit", "#!/bin/sh"));
attempt("home", () => readFileSync(process.env.REAL_HOME + "/secret"));
try { await fetch("https://not-listed.example/"); console.log("host yes"); } catch { console.log("host no"); }
`;

describe.skipIf(unusable !== null)("docs/guide/4-agent-inside.md", () => {
  test("has a config in which a whole agent works, and can do nothing else", async () => {
    const folder = folderOf();
    for (const name of ["project", "state"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "secret"), "a secret of this machine");
    const [config = ""] = blocks(page("guide/4-agent-inside.md"), "yaml");
    const own = config
      .replaceAll("/home/you/agents", folder)
      .replace("OPENAI_API_KEY]", "OPENAI_API_KEY, REAL_HOME]")
      // There is no terminal here; that one of its own works is tried elsewhere.
      .replace("terminal: true", "terminal: false");
    writeFileSync(join(folder, "cofferdam.yaml"), own);
    writeFileSync(join(folder, "project/agent.mjs"), AGENT);
    const run = promisify(execFile);
    await run("git", ["init", "--quiet"], { cwd: join(folder, "project") });
    const options = {
      cwd: join(folder, "project"),
      env: {
        PATH: process.env["PATH"],
        HOME: join(folder, "home"),
        XDG_STATE_HOME: join(folder, "supervisor"),
        ANTHROPIC_API_KEY: "a key",
        OTHER: "a secret",
        REAL_HOME: folder,
      },
    };
    const words = ["run", "--quiet", "--config", join(folder, "cofferdam.yaml"), "--", "node", "agent.mjs"];
    const { stdout } = await run(process.execPath, [MAIN, ...words], options);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual([
      "project yes",
      "memory yes",
      "key yes",
      "other variable no",
      "git yes true",
      "hook no",
      "home no",
      "host no",
    ]);
    const checked = await run(
      process.execPath,
      [MAIN, "check", "--config", join(folder, "cofferdam.yaml")],
      options,
    );
    expect(`${checked.stdout}${checked.stderr}`).not.toMatch(/error|never/i);
  });
});
