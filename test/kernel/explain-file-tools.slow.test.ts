import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSupervisor, type Supervisor } from "../../src/index.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { hostIn, type Place, place } from "../unit/cli/command-line.ts";

sandboxMustWork("explain compared with calls of file tools and commands");

const CONFIG = `version: 1
sandbox:
  paths:
    workspace: { root: ., mode: rw, write_approval: false }
    asks: { root: ./asks, mode: rw, write_approval: true }
    docs: { root: ./docs, mode: ro }
  runtimes: [system]
`;

/** The answers for commands with approval, as typed commands have it, and for file tools without. */
interface Answers {
  readonly command: boolean;
  readonly fileTool: boolean;
}
const BOTH: Answers = { command: true, fileTool: true };
const NEITHER: Answers = { command: false, fileTool: false };
const ONLY_COMMANDS: Answers = { command: true, fileTool: false };

const WRITES: readonly (readonly [path: string, Answers])[] = [
  ["there/notes.txt", BOTH],
  ["there/package.json", BOTH],
  ["there/.envrc", NEITHER],
  ["there/.claude/settings.json", NEITHER],
  ["docs/notes.txt", NEITHER],
  ["asks/notes.txt", ONLY_COMMANDS],
  [".git/config", NEITHER],
  ["missing/notes.txt", BOTH],
  ["missing/package.json", BOTH],
  ["missing/.envrc", ONLY_COMMANDS],
  ["missing/.claude/settings.json", ONLY_COMMANDS],
  ["docs/missing.txt", NEITHER],
  ["asks/missing.txt", ONLY_COMMANDS],
  [".git/hooks/pre-commit", NEITHER],
  ["/tmp/of-a-call", ONLY_COMMANDS],
  ["/etc/of-a-call", NEITHER],
];
const READS: readonly (readonly [path: string, Answers])[] = [
  ["there/notes.txt", BOTH],
  ["there/.envrc", BOTH],
  ["/usr/bin/env", ONLY_COMMANDS],
  ["/etc/shadow", NEITHER],
];

async function standing(): Promise<Place> {
  const at = await place(null);
  for (const folder of ["asks", "docs"]) mkdirSync(join(at.project, folder));
  spawnSync("git", ["init", "--quiet", at.project]);
  for (const [path] of WRITES.filter(([one]) => /^there|^docs\/n|^asks\/n/.test(one))) {
    mkdirSync(dirname(join(at.project, path)), { recursive: true });
    writeFileSync(join(at.project, path), "{}");
  }
  at.write("cofferdam.yaml", CONFIG);
  await at.here(["trust", "--yes"]);
  return at;
}

async function explained({ here }: Place, ask: "read" | "write", path: string): Promise<Answers> {
  const { allowed, fileTools } = JSON.parse((await here(["explain", ask, path, "--json"])).stdout);
  return { command: allowed.onYes, fileTool: fileTools.unasked.allowed };
}

/** Calls a file tool, and runs a command as if a person had typed it: true for each that succeeds. */
async function tried(supervisor: Supervisor, ask: "read" | "write", path: string): Promise<Answers> {
  const byTool = await supervisor
    .session()
    .call(`${ask}_file`, ask === "read" ? { path } : { path, content: "{}" });
  const line = ask === "read" ? `test -r ${path}` : `mkdir -p "$(dirname ${path})" && echo {} > ${path}`;
  const argv = ["sh", "-c", line];
  const byCommand = await supervisor.session({ caller: "person" }).call("shell", { argv });
  return { command: byCommand.kind === "done", fileTool: byTool.kind === "done" };
}

describe.skipIf(unusable !== null)("explain says what a file tool and a command can do", () => {
  test.each([
    ["write", WRITES],
    ["read", READS],
  ] as const)("%s of existing and missing, protected and other files", async (ask, cases) => {
    const at = await standing();
    const [answers, results]: [[string, Answers][], [string, Answers][]] = [[], []];
    for (const [path] of cases) answers.push([path, await explained(at, ask, path)]);
    await using supervisor = await createSupervisor({ host: hostIn(at) });
    for (const [path] of cases) results.push([path, await tried(supervisor, ask, path)]);
    expect(answers).toEqual(cases);
    expect(results).toEqual(cases);
  });

  test("file tools have a row of their own where their answer differs", async () => {
    const { cofferdam, here } = await standing();
    const { stdout } = await cofferdam(["explain", "write", "missing/.envrc"]);
    expect(stdout).toMatch(
      /\n {2}commands {4}yes {2}config: .* has access write\n {2}file tools {2}no {3}protected: the mask `\/\*\*\/\.envrc` allows at most read {2}\S+protected\.executed\.json:\d+:\d+\n/,
    );
    expect((await here(["explain", "write", "there/.envrc"])).stdout).not.toContain("file tools");
    expect((await here(["explain", "write", "/tmp/of-a-call"])).stdout).toMatch(
      /\n {2}commands {4}yes {2}every call has its own `\/tmp`, which is removed after the call\n {2}file tools {2}no {3}config: no entry lists it\n\n/,
    );
  });

  test("a profile that does not restrict an act says so; what keeps a writable folder in place is one sentence", async () => {
    const { cofferdam } = await standing();
    const { stdout } = await cofferdam(["explain", "write", ".git"]);
    expect(stdout).toMatch(
      /\n {3}repository {2}yes {2}does not restrict this\n {3}protected {3}yes {2}does not restrict this\n/,
    );
    expect(stdout).toMatch(/\n {2}but: it can't be removed or renamed, because it contains `[^\n:]*\n/);
  });
});
