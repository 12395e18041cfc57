import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDesk } from "cofferdam";
import { execa } from "execa";
import { afterAll, afterEach, expect, test } from "vitest";

const here = import.meta.dirname;
const support = `${here}/../../test/support`;
const state = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-example-")));
process.env["XDG_STATE_HOME"] = state;
const made = `${here}/site/hello.html`;
afterEach(() => {
  for (const file of [made, `${here}/run.json`]) rmSync(file, { force: true });
});
afterAll(() => rmSync(state, { recursive: true, force: true }));

/** The agent, as a process of its own that says where it would connect to; as if there were a key for OpenAI. */
async function agent(...words: readonly string[]) {
  const imports = ["--import", "tsx", "--import", `${support}/integrations/no-network.ts`];
  const env = { OPENAI_API_KEY: "sk-none", NODE_ENV: "production", NODE_COMPILE_CACHE: `${state}/code` };
  return execa(process.execPath, [...imports, `${here}/agent.ts`, ...words], { env });
}

test("it works in the sandbox, is asked about in one process, and goes on in another after a yes", async () => {
  const first = await agent("publish hello");
  expect(first.stdout).toBe("May it write to site:hello.html? (writing in `site` needs approval)");
  expect(existsSync(made)).toBe(false);
  const run = readFileSync(`${here}/run.json`, "utf8");
  expect(run).toContain("2 ../drafts/hello.md");
  expect(run).toContain("Denied: commands that no rule covers are not allowed");
  const second = await agent("yes");
  expect(second.stdout).toBe("It is published.");
  expect(readFileSync(made, "utf8")).toBe("<p>Hello, world.</p>\n");
  expect([first.stderr, second.stderr]).toEqual(["", ""]);
  await using desk = await createDesk({ config: `${here}/cofferdam.yaml` });
  expect(await desk.broker.pending()).toEqual([]);
});

test("it is told a no, and nothing stays open", async () => {
  await agent("publish hello");
  expect((await agent("no")).stdout).toBe("Then another day.");
  expect(existsSync(made)).toBe(false);
  await using desk = await createDesk({ config: `${here}/cofferdam.yaml` });
  expect(await desk.broker.pending()).toEqual([]);
});
