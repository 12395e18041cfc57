import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StdioClientTransport as CurrentStdio } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport as PreviousStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, test } from "vitest";
import { createSupervisor, type Outcome } from "../../src/index.ts";
import type { CallCover } from "../../src/policy/cover.ts";
import { askHere } from "../support/approval/ask-here.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { connect, type McpTestClient } from "../support/mcp/clients.ts";
import { hostIn, type Place, place } from "../unit/cli/command-line.ts";

sandboxMustWork("rules and grants from the command line");

const configOf = (rules = ""): string => `version: 1
sandbox:
  runtimes: [system]
  paths: { workspace: { root: ., mode: rw, write_approval: false } }
shell: { default: { approval: true }, rules: [${rules}] }
`;
const MAIN = join(import.meta.dirname, "../../dist/cli/main.js");
const wordsOf = (line: string): string => JSON.stringify({ argv: line.split(" ") });

/** What one command printed on stdout, as JSON. */
async function json(at: Place, ...words: readonly string[]): Promise<unknown> {
  return JSON.parse((await at.here([...words, "--json"])).stdout);
}

/** How a call in a process of its own ends: 0, 75 if it is asked about, 77 if it is denied. */
async function called(at: Place, line: string): Promise<number> {
  return (await at.cofferdam(["call", "--quiet", "--suspend", "shell", wordsOf(line)])).exit;
}

/** The same call in this process, under what is kept by then. */
async function endedHere(at: Place, line: string): Promise<Outcome["kind"]> {
  await using supervisor = await createSupervisor({ host: hostIn(at) });
  const session = supervisor.session({ remember: false, wait: { style: "suspend" } });
  return (await session.call("shell", { argv: line.split(" ") })).kind;
}

/** Asks about lines, and answers as a person does later. */
async function answered(at: Place, answer: "approve" | "reject", ...lines: readonly string[]): Promise<void> {
  for (const line of lines) await askHere(at, ["shell", wordsOf(line)], { answer });
}

interface Suggested {
  readonly id: string;
  readonly cover: CallCover;
  readonly calls: readonly string[];
}

async function suggested(at: Place): Promise<readonly Suggested[]> {
  const all = await json(at, "rules", "suggest");
  if (!Array.isArray(all)) throw new Error("no list");
  return all;
}

const patternsOf = (all: readonly Suggested[]) =>
  all.flatMap(({ cover }) => (cover.of === "commands" ? cover.patterns : []));

/** Keeps the suggestion of a pattern; its id as a rule. */
async function kept(at: Place, pattern: string): Promise<string> {
  const found = (await suggested(at)).find((one) => patternsOf([one])[0]?.pattern === pattern);
  expect((await at.here(["rules", "keep", found?.id ?? "none"])).stdout).toMatch(
    new RegExp(`^kept: the command \`${pattern}\` with any further arguments, in any folder`),
  );
  const [rule] = [await json(at, "rules", "list")].flat();
  return JSON.stringify(rule).match(/"id":"([^"]+)"/)?.[1] ?? "";
}

/** A process of its own with a session, whose user answers; the number of questions so far. */
async function running(
  at: Place,
  answer: string,
): Promise<AsyncDisposable & { ends(line: string): Promise<unknown> }> {
  const started = {
    command: process.execPath,
    args: [MAIN, "mcp", "--quiet"],
    cwd: at.project,
    env: { PATH: process.env["PATH"] ?? "", HOME: at.state, XDG_STATE_HOME: at.state },
  };
  let asked = 0;
  const client: McpTestClient = await connect(
    "current",
    { current: () => new CurrentStdio(started), previous: () => new PreviousStdio(started) },
    () => {
      asked += 1;
      return { action: "accept", content: { answer } };
    },
  );
  return {
    ends: async (line) => {
      const before = asked;
      const { structuredContent } = await client.call("shell", { argv: line.split(" ") });
      return [JSON.parse(JSON.stringify(structuredContent)).outcome, asked - before];
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

describe.skipIf(unusable !== null)("cofferdam rules", () => {
  test("suggest offers no rule that a rejection contradicts, and frees no words of what runs, removes or fetches", async () => {
    const at = await place(configOf());
    await answered(at, "approve", "ls -a", "ls -l", "git add a", "npm run lint", "rm a", "curl x");
    await answered(at, "approve", "python3 -V", "sh x", "env", "node x");
    await answered(at, "reject", "git add b");
    const patterns = patternsOf(await suggested(at));
    expect(
      patterns
        .filter(({ exact }) => !exact)
        .map(({ pattern }) => pattern)
        .toSorted(),
    ).toEqual(["ls", "npm run lint"]);
    expect(patterns.filter(({ pattern }) => pattern.startsWith("git"))).toEqual([]);
  }, 600_000);

  test("keep lets pass the next call of every process, and drop asks again at once, also in sessions that run", async () => {
    const at = await place(configOf());
    await answered(at, "approve", "ls -a", "ls -l");
    await using one = await running(at, "no");
    await using other = await running(at, "no");
    expect(await one.ends("pwd")).toEqual(["denied", 1]);
    const id = await kept(at, "ls");
    expect(await called(at, "ls -d /")).toBe(0);
    expect(await called(at, "du -s src")).toBe(75);
    for (const session of [one, other]) expect(await session.ends("ls -d /")).toEqual(["done", 0]);
    expect((await at.cofferdam(["rules", "drop", id.slice(0, 8)])).stdout).toMatch(/^dropped: /);
    for (const session of [one, other]) expect(await session.ends("ls -d /")).toEqual(["denied", 1]);
    expect(await called(at, "ls -d /")).toBe(75);
    expect(await json(at, "rules", "list")).toEqual([]);
  }, 600_000);

  test("keep nothing that a rule denies later, or that has ended", async () => {
    const at = await place(configOf());
    await answered(at, "approve", "ls -a", "ls -l");
    await kept(at, "ls");
    expect(await endedHere(at, "ls -d /")).toBe("done");
    at.write("cofferdam.yaml", configOf("{ pattern: ls, allowed: false }"));
    await at.here(["trust", "--yes"]);
    expect(await called(at, "ls -d /")).toBe(77);
    at.write("cofferdam.yaml", configOf());
    await at.here(["trust", "--yes"]);
    expect(await endedHere(at, "ls -d /")).toBe("done");
    const folder = join(at.state, "cofferdam/rules");
    const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".json"));
    const text = readFileSync(join(folder, file), "utf8");
    expect(text).toMatch(/"until": ?null/);
    writeFileSync(join(folder, file), text.replace(/"until": ?null/, '"until": 1000'));
    expect((await at.here(["rules", "list"])).stdout).toContain("expired");
    expect(await endedHere(at, "ls -d /")).toBe("pending");
  }, 600_000);
});

describe.skipIf(unusable !== null)("cofferdam grants revoke", () => {
  test("reaches the next call of a session in another process; twin: no other session", async () => {
    const at = await place(configOf());
    await using one = await running(at, "yes, for this session");
    await using other = await running(at, "yes, for this session");
    for (const session of [one, other]) {
      expect(await session.ends("ls -d /")).toEqual(["done", 1]);
      expect(await session.ends("ls -d /")).toEqual(["done", 0]);
    }
    const all = await json(at, "grants", "list");
    const ids = (JSON.stringify(all).match(/"grantId":"[^"]+"/g) ?? []).map((text) => text.slice(11, -1));
    expect(ids.length).toBe(2);
    const asked: unknown[] = [];
    for (const id of ids) {
      expect((await at.cofferdam(["grants", "revoke", id.slice(0, 8)])).stdout).toMatch(/^revoked: /);
      const [first, second] = [await one.ends("ls -d /"), await other.ends("ls -d /")];
      asked.push([first, second]);
    }
    expect(asked.map((pair) => JSON.stringify(pair)).toSorted()).toEqual([
      '[["done",0],["done",1]]',
      '[["done",1],["done",0]]',
    ]);
  }, 600_000);
});
