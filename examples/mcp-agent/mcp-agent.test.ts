import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Model, type Person, type Step, work } from "./agent.ts";
import { serveTools } from "./endpoint.ts";

const MAIN = join(import.meta.dirname, "../../dist/cli/main.js");

/** The example's folder, of its own for one test, and `cofferdam mcp` in it. */
function setUp() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-example-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const project = join(folder, "project");
  cpSync(import.meta.dirname, project, { recursive: true });
  const config = join(project, "cofferdam.yaml");
  const state = join(folder, "state");
  const server = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, "mcp", "--quiet", "--config", config],
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_STATE_HOME: state },
  });
  return { server, config, state, note: () => readFileSync(join(project, "notes/list.md"), "utf8") };
}

const STEPS: readonly Step[] = [
  { tool: "shell", args: { argv: ["wc", "-w", "list.md"] } },
  {
    tool: "write_file",
    args: { path: "notes:list.md", content: "# List\n\n- it is there\n- and it was counted\n" },
  },
  { tool: "shell", args: { argv: ["cat", "/etc/shadow"] } },
];

/** Does its steps, and returns the results. */
function scripted() {
  const heard: string[] = [];
  const model: Model = (_, told) => {
    heard.splice(0, heard.length, ...told);
    return STEPS[told.length] ?? { text: "done" };
  };
  return { model, heard };
}

test("an agent that speaks MCP does real work behind the gate and inside the sandbox", async () => {
  const { server, note } = setUp();
  const { model, heard } = scripted();
  const questions: string[] = [];
  const person: Person = (question, answers) => {
    questions.push(question);
    const isAboutNotes = question.includes("│ +- and it was counted");
    return isAboutNotes && answers.includes("yes, once") ? "yes, once" : "no";
  };
  expect(await work(server, model, person)).toBe("done");
  expect(heard[0]).toContain('"stdout":"6 list.md');
  expect(note()).toContain("- and it was counted");
  expect(questions).toHaveLength(2);
  expect(heard[2]).toMatch(/^Denied: /);
});

test("the same agent works over HTTP, with a token that answers nothing", async () => {
  const { note, config, state } = setUp();
  const token = randomBytes(32).toString("base64url");
  vi.stubEnv("XDG_STATE_HOME", state);
  await using endpoint = await serveTools(config, token);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const { model, heard } = scripted();
  const transport = new StreamableHTTPClientTransport(new URL(endpoint.url), { requestInit });
  const working = work(transport, model, () => "yes, once");
  // A person at the inbox answers; the agent's user is not asked.
  for (const isYes of [true, false]) {
    await expect.poll(async () => (await endpoint.broker.pending()).length).toBe(1);
    await endpoint.broker.respondAll({}, { approved: isYes }, "ann");
  }
  await working;
  expect(note()).toContain("- and it was counted");
  expect(heard[2]).toMatch(/^Denied: /);
});

test("after a no nothing is changed, and the model is told so", async () => {
  const { server, note } = setUp();
  const before = note();
  const { model, heard } = scripted();
  await work(server, model, () => "no");
  expect(note()).toBe(before);
  expect(heard[1]).toMatch(/^Denied: rejected by the user of mcp-agent\nWhat would help: /);
});
