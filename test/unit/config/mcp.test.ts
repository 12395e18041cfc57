import { describe, expect, test } from "vitest";
import { grantedRows, widerLines } from "../../../src/cli/offer-text.ts";
import { findings } from "../../../src/config/check.ts";
import { printGrants } from "../../../src/config/grants-line.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { serverStart } from "../../../src/config/server-start.ts";
import { rememberTrust, trustFile } from "../../../src/config/trust.ts";
import { machine, PLAIN, refusalOf } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";
const ROOTS = `${PLAIN}  paths: { notes: { root: ./notes, mode: rw }, docs: { root: ./docs, mode: ro } }\n`;

function at(text: string) {
  const files = {
    [CONFIG]: `${ROOTS}${text}`,
    "home/ann/project/notes/a": "",
    "home/ann/project/docs/a": "",
  };
  return machine(files);
}

function loaded(text: string) {
  const m = at(text);
  return loadConfig(m.host, { config: m.at(CONFIG) });
}

const server = (name: string, more: string): string =>
  `mcp:\n  servers:\n    ${name}:\n      command: [node, a-server, --token=ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]\n${more}`;

const OFFLINE = (runner: string) =>
  `the MCP server \`fs\` has no network, so \`${runner}\` cannot download its package`;

describe("mcp.servers in a config", () => {
  test("says nothing when it is left out, and of what is left out the least", () => {
    expect(loaded("").config.mcp).toEqual({ servers: {} });
    expect(loaded("mcp: { servers: { fs: { command: [srv] } } }\n").config.mcp.servers["fs"]).toEqual({
      command: ["srv"],
      needs: { write_on_start: false },
      order: "last-match",
      rules: [],
      annotations: "untrusted",
      sampling: "deny",
      elicitation: "deny",
    });
  });

  test.each<[claim: string, text: string, told: readonly string[]]>([
    [
      "a name that rules could not tell",
      server("Fs/x", ""),
      ["CONFIG_INVALID", "7:5", "invalid key `Fs/x` in `mcp.servers`"],
    ],
    [
      "no words",
      "mcp: { servers: { fs: { command: [] } } }\n",
      ["CONFIG_INVALID", "5:34", "invalid `mcp.servers.fs.command`: a list"],
    ],
    [
      "a misspelt need",
      server("fs", "      needs: { root: { notes: read } }\n"),
      ["CONFIG_INVALID", "9:16", "unknown key `root` in `mcp.servers.fs.needs`"],
    ],
    [
      "a root that there is not",
      server("fs", "      needs: { roots: { notse: read } }\n"),
      ["CONFIG_INVALID", "9:25", "there is no root `notse`"],
    ],
    [
      "an answer that there is not",
      server("fs", "      sampling: yes-please\n"),
      ["CONFIG_INVALID", "9:17", "invalid `mcp.servers.fs.sampling`: `yes-please`"],
    ],
    [
      "a rule whose own example fails",
      server("fs", "      rules: [{ pattern: 'read_*', action: allow, match: ['write_x'] }]\n"),
      ["CONFIG_INVALID", "9:59", "an example fails: the rule `read_*` does not cover `write_x`"],
    ],
  ])("with %s is refused at its line", (_claim, text, [code, place, message]) => {
    const refusal = refusalOf(() => loaded(text));
    expect([refusal.code, refusal.at?.split(".yaml:")[1], refusal.message]).toEqual([code, place, message]);
  });

  test.each<[claim: string, more: string, found: readonly string[]]>([
    ["nothing of one that gets what it asks for", "      needs: { roots: { notes: write } }\n", []],
    [
      "a rule that another one decides before",
      "      rules: [{ pattern: 'read_x', action: deny }, { pattern: 'read_*', action: allow }]\n",
      ["the rule `read_x` never denies a call: `read_*` on line 9 comes later and allows it"],
    ],
    [
      "a rule that no name can match",
      "      rules: [{ pattern: 'read x', action: allow }]\n",
      ["the rule `read x` never matches: tool names have no blanks, quotes or colons"],
    ],
    [
      "a network that commands have not",
      "      needs: { network: true }\n",
      ["the MCP server `fs` needs a network, but commands have none"],
    ],
    [
      "a root that is only to read",
      "      needs: { roots: { docs: write } }\n",
      ["the MCP server `fs` can't write in `docs`: the root is read-only"],
    ],
    [
      "a question that gives nothing",
      "      needs: { roots: { docs: read }, write_on_start: true }\n",
      ["`write_on_start` has no effect for the MCP server `fs`: an approved start gives it no more access"],
    ],
  ])("check tells of %s", (_claim, more, found) => {
    const all = findings(loaded(server("fs", more)));
    expect(all.map(({ message }) => message)).toEqual(found);
    expect(all.every(({ severity, at: place }) => severity === "warning" && place?.line === 9)).toBe(true);
  });

  test.each<[claim: string, text: string, found: readonly string[]]>([
    ["of a package that it can't download", "[npx, -y, a-server]", [OFFLINE("npx")]],
    ["of one of another runner", "[/usr/bin/pnpm, dlx, a-server]", [OFFLINE("pnpm dlx")]],
    ["nothing of a runner's other commands", "[pnpm, start]", []],
    ["nothing of a path from where it starts", "[node, ./a, ../docs/a]", []],
    [
      "of a path that is only in the config's folder",
      "[node, a, ./docs/a, ./nowhere]",
      ["the MCP server `fs` starts in `NOTES`, where `./docs/a` does not exist"],
    ],
  ])("check tells of the command %s", (_claim, command, found) => {
    const { config, ...rest } = loaded(`mcp: { servers: { fs: { command: ${command} } } }\n`);
    const notes = config.roots[0]?.path ?? "";
    const all = findings({ config, ...rest });
    expect(all.map(({ message }) => message.replace(notes, "NOTES"))).toEqual(found);
    expect(all.every(({ at: place }) => place?.line === 5)).toBe(true);
  });

  test("a package that it may download with its network is no mistake", () => {
    const text = `${ROOTS}shell: { network: true }\nmcp: { servers: { fs: { command: [npx, a], needs: { network: true } } } }\n`;
    const m = machine({ [CONFIG]: text, "home/ann/project/notes/a": "", "home/ann/project/docs/a": "" });
    expect(findings(loadConfig(m.host, { config: m.at(CONFIG) }))).toEqual([]);
  });

  test("starts in the config's folder if it has it, in its first root otherwise, or where it says", () => {
    const { config } = loaded("");
    const [notes = expect.unreachable()] = config.roots;
    const project = { ...notes, name: "all", path: config.workspace };
    const start = (needs: Parameters<typeof serverStart>[1], roots = config.roots) =>
      serverStart({ ...config, roots }, needs)?.replace(config.workspace, "PROJECT") ?? null;
    expect(start({})).toBe("PROJECT/notes");
    expect(start({ roots: { docs: "read" } })).toBe("PROJECT/docs");
    expect(start({ roots: {} })).toBeNull();
    expect(start({ cwd: "./docs" })).toBe("PROJECT/docs");
    expect(start({}, [...config.roots, project])).toBe("PROJECT");
    expect(start({ roots: { docs: "read" } }, [project, ...config.roots])).toBe("PROJECT/docs");
  });

  test("are told before they are trusted: what runs, what it gets, what it may do unasked; no secret of its words", () => {
    const all = loaded(
      server(
        "fs",
        "      needs: { roots: { notes: write, docs: read }, network: true, write_on_start: true }\n" +
          "      annotations: trusted\n      sampling: allow\n      elicitation: ask\n      rules: [{ pattern: 'read_*', action: allow }]\n",
      ),
    );
    const { path: notes } = all.config.roots.find(({ name }) => name === "notes") ?? expect.unreachable();
    const words = `runs node a-server --token\\=\\[hidden\\] in ${notes}, reads docs, writes notes, once its start is approved, writes in roots that ask first, with the network of commands, ITS TOOL ANNOTATIONS ARE TRUSTED, may use the client's model WITHOUT ASKING, may ask the client's user questions, asked each time`;
    const rows = grantedRows(machine().host, all);
    expect(rows.find(([name]) => name === "MCP")).toEqual(["MCP", `fs ${words}`]);
    expect(rows.find(([name]) => name === "tools")?.[1]).toBe("MCP server fs: read_* RUNS WITHOUT APPROVAL");
    const line = printGrants(all.config);
    expect(line).toContain(`the MCP server fs ${words}`);
    expect(line).toContain("of the MCP server fs without asking: tools read_*");
  });

  test("that changed since it was trusted is told by its name", () => {
    const m = at(server("fs", "      rules: [{ pattern: 'read_*', action: ask }]\n"));
    rememberTrust(m.host, trustFile(m.host));
    expect(widerLines(trustFile(m.host))).toEqual([]);
    m.write({ [CONFIG]: `${ROOTS}${server("fs", "      rules: [{ pattern: 'read_*', action: allow }]\n")}` });
    expect(widerLines(trustFile(m.host))).toEqual([
      "it changed: cofferdam.yaml",
      "no longer asks: the tool `read_*`, of the MCP server `fs`",
      "a rule allows now: the tool `read_*`, of the MCP server `fs`",
      "changed: mcp",
    ]);
  });
});
