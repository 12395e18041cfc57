import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { blocksOf, pageText } from "../support/docs/pages.ts";
import { installCopy } from "../support/installed-copy.ts";
import { type Answers, connected, NO, wrapPlace, wrapped, writeServer, YES } from "../support/mcp/wrapped.ts";

sandboxMustWork("the wrapped servers of the docs");

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const PAGE = pageText("docs/how-to/wrap-an-mcp-server.md");
const CONFIG = blocksOf(PAGE).find(({ language }) => language === "yaml")?.text ?? "";

/** A fresh folder with what the page says: the config, the notes, and the servers beside it. */
function folderOfThePage(): string {
  const folder = realpathSync(mkdtempSync(join(homedir(), ".cofferdam-wrap-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "notes"));
  mkdirSync(join(folder, "servers/wiki"), { recursive: true });
  installCopy("@modelcontextprotocol/server-filesystem", join(folder, "servers"));
  writeServer({ project: join(folder, "servers/wiki") }, "index.js", { where: "return process.cwd()" });
  writeFileSync(join(folder, "servers/wiki/package.json"), '{ "type": "module" }\n');
  writeFileSync(join(folder, "cofferdam.yaml"), CONFIG);
  return folder;
}

/** A client of a server of the page, started as hosts do: in any folder, by the config's path. */
function clientOf(folder: string, server: string, answers: Answers) {
  const words = ["mcp", "--config", join(folder, "cofferdam.yaml"), "--wrap", server];
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, XDG_STATE_HOME: join(folder, "state") };
  return connected(spawn(process.execPath, [MAIN, ...words], { cwd: "/", env, detached: true }), { answers });
}

describe.skipIf(unusable !== null)("the example of the page about wrapped servers", () => {
  it("works as it is written: after one approval of its start the server writes notes, and reads without a question", async () => {
    const folder = folderOfThePage();
    const path = join(folder, "notes/made.txt");
    await using files = await clientOf(folder, "files", YES);
    expect(await files.client.call("write_file", { path, content: "x\n" })).toContain("Successfully wrote");
    expect(readFileSync(path, "utf8")).toBe("x\n");
    expect(files.questions.map((one) => one.split("\n")[0])).toHaveLength(2);
    expect(await files.client.call("read_text_file", { path })).toContain("x");
    expect(await files.client.call("list_directory", { path: "." })).toContain("made.txt");
    expect(files.questions).toHaveLength(2);
    expect(existsSync(join(folder, "notes/notes"))).toBe(false);
  });

  it("starts nothing without that approval", async () => {
    const folder = folderOfThePage();
    const files = clientOf(folder, "files", NO);
    await expect(files.then(({ client }) => client.call("list_directory", { path: "." }))).rejects.toThrow(
      "the MCP server files stopped",
    );
  });

  it("starts its servers where the page says, wherever the client is", async () => {
    const folder = folderOfThePage();
    await using wiki = await clientOf(folder, "wiki", YES);
    expect(await wiki.client.call("where")).toContain(JSON.stringify(join(folder, "notes")));
  });
});

describe.skipIf(unusable !== null)("a server that would be downloaded", () => {
  const npx = { command: ["npx", "--yes", "no-such-server"] };

  it("ends at once without a network, and its client and its user read why", async () => {
    const at = await wrapPlace({ servers: { far: npx } });
    const far = wrapped(at, ["--wrap", "far"]);
    await expect(far).rejects.toThrow(
      "the MCP server far stopped: it ended with status 1: the sandbox may have prevented connecting to `any host`: the network is off",
    );
  });

  it.each<[claim: string, given: { set?: Record<string, string>; shell?: unknown }, retries: string]>([
    ["without a network", {}, "0"],
    ["with one", { shell: { network: { hosts: ["registry.example.org:443"] } } }, "undefined"],
    ["without one, if the config sets another number", { set: { npm_config_fetch_retries: "5" } }, "5"],
  ])(
    "npm %s repeats failed downloads as often as that makes sense",
    async (_case, { set = {}, ...more }, retries) => {
      const paths = { ws: { root: ".", mode: "rw", write_approval: false } };
      const at = await wrapPlace(
        {},
        { sandbox: { paths, runtimes: ["system", "node"], env: { set } }, ...more },
      );
      const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
      const line = "process.env.npm_config_fetch_retries";
      const { stdout } = await at.cofferdam(["run", "--quiet", "--", "node", "-p", line], { env });
      expect(stdout.trim()).toBe(retries);
    },
  );
});
