import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import xterm from "@xterm/headless";
import { describe, expect, it, test } from "vitest";
import { place, terminalProblem } from "../unit/cli/command-line.ts";

const problem = terminalProblem() ?? (existsSync("/usr/bin/bwrap") ? null : "bubblewrap is not installed");
if (problem !== null) console.warn(`nothing is tried in a terminal: ${problem}`);

it.runIf(process.env["COFFERDAM_SANDBOX_MUST_WORK"] === "1")("a terminal can be had where it must", () => {
  expect(problem).toBeNull();
});

const KEYS = "[y] yes, once";
const PROMPT = "[y/N] ";
const ASK = ["run", "--quiet", "--ask", "--", "touch", "made"];

describe.skipIf(problem !== null)("a person is asked at the terminal", () => {
  test.each<[claim: string, typed: readonly (readonly [string, string])[], exit: number]>([
    ["y is a yes", [[KEYS, "y"]], 0],
    ["n is a no", [[KEYS, "n"]], 77],
    ["an empty answer is a no (S0-D3)", [[KEYS, "\r"]], 77],
    ["the end of input is a no (C17)", [[KEYS, "\u{4}"]], 77],
    [
      "any other key is none",
      [
        [KEYS, "x"],
        ["no such key", "n"],
      ],
      77,
    ],
    [
      "a yes typed before the question counts for nothing",
      [
        ["", "y"],
        ["", "y\r"],
        [KEYS, "n"],
      ],
      77,
    ],
    ["an interrupt ends it", [[KEYS, "\u{3}"]], 130],
  ])("%s", async (_claim, typed, exit) => {
    const { inTerminal, project } = await place();
    const ended = await inTerminal(ASK, typed);
    for (const shown of [
      /would do {3}│ run touch made/,
      /because {4}│ no rule covers this command/,
      /│ touch made/,
    ])
      expect(ended.stdout).toMatch(shown);
    expect([ended.exit, existsSync(join(project, "made"))]).toEqual([exit, exit === 0]);
  });

  test("the guide shows the question as it stands on the screen", async () => {
    const { inTerminal, project, write } = await place(null);
    write(
      "cofferdam.yaml",
      'version: 1\nsandbox: { paths: { notes: { root: ., mode: rw } }, runtimes: [system] }\nshell: { rules: [{ pattern: "rm", description: "it removes files" }] }\n',
    );
    const words = ["run", "--quiet", "--config", "cofferdam.yaml", "--ask", "--", "rm", "-rf", "old notes"];
    const { stdout } = await inTerminal(words, [[KEYS, "n"]]);
    const screen = new xterm.Terminal({ cols: 80, rows: 24, allowProposedApi: true });
    const question = stdout.slice(0, stdout.indexOf("grants") + "grants".length).replaceAll("\n", "\r\n");
    await new Promise<void>((done) => screen.write(question, done));
    const { active } = screen.buffer;
    const rows = Array.from({ length: 24 }, (_, row) =>
      active.getLine(row)?.translateToString(true).trimEnd(),
    );
    const guide = readFileSync(join(import.meta.dirname, "../../docs/guide/3-approvals.md"), "utf8");
    const [, shown = "no block"] = /^```text\n(cofferdam asks.*?)^```$/ms.exec(guide) ?? [];
    const seen = rows.join("\n").trimEnd().replaceAll(project, "/home/you/agent");
    expect(`${seen}\n`.slice(seen.indexOf("cofferdam asks"))).toBe(shown);
  });

  test("an operator's ask is put to the person who typed the command", async () => {
    const { inTerminal, write } = await place();
    write(
      "asks.yaml",
      'profile: asks\napproval: { rules: [{ shell: "touch", action: ask, reason: "touching needs a yes" }] }\n',
    );
    const typed = ["run", "--quiet", "--profile", "asks.yaml", "--", "touch", "made"];
    const no = await inTerminal(typed, [[KEYS, "n"]]);
    expect([no.exit, no.stdout]).toEqual([77, expect.stringMatching(/because {4}│ touching needs a yes/)]);
    expect((await inTerminal(typed, [[KEYS, "y"]])).exit).toBe(0);
  });

  test("what is asked about can be seen whole", async () => {
    const { inTerminal } = await place();
    const { stdout } = await inTerminal(
      ["run", "--quiet", "--ask", "--", "echo", "a\u{1b}[2Kb \u{202e}c"],
      [[KEYS, "n"]],
    );
    expect(stdout).toContain("echo 'a\\u{1b}[2Kb \\u{202e}c'");
  });

  test("a config is trusted by a yes, and by nothing else", async () => {
    const { inTerminal, here, write } = await place(null);
    write("cofferdam.yaml", "version: 1\nsandbox: { runtimes: [system] }\n");
    expect((await inTerminal(["trust"], [[PROMPT, "\n"]])).exit).toBe(77);
    expect((await here(["trust", "--list"])).stdout).toBe("");
    expect((await inTerminal(["trust"], [[PROMPT, "y\n"]])).exit).toBe(0);
    expect((await here(["trust", "--list"])).stdout).toMatch(/cofferdam.yaml/);
  });
});

describe.skipIf(problem !== null)("on a terminal that is not the command's own", () => {
  const run = (...options: readonly string[]) => ["run", "--quiet", ...options, "--", "sh", "-c"];

  test("its control sequences are left out, its colours are not", async () => {
    const { inTerminal } = await place();
    const script = "printf '\\033]0;title\\007\\033[31mred\\033[0m\\033[2J\\n'";
    expect((await inTerminal([...run("--no-terminal"), script], [])).stdout).toBe("\u{1b}[31mred\u{1b}[0m\n");
    const own = await inTerminal([...run(), script], []);
    expect(own.stdout.startsWith("\u{1b}]0;title\u{7}\u{1b}[31mred\u{1b}[0m\u{1b}[2J\n")).toBe(true);
  });

  test("the keyboard is ours: its input is empty", async () => {
    const { inTerminal } = await place();
    const script = "test -t 0 || test -t 1; echo $?; cat; echo end";
    const { stdout, exit } = await inTerminal([...run("--no-terminal"), script], []);
    expect([stdout, exit]).toEqual(["1\nend\n", 0]);
    const own = await inTerminal([...run(), script], [["0\r\n", "typed\r\u{4}"]]);
    expect([own.stdout, own.exit]).toEqual(["0\ntyped\ntyped\nend\n", 0]);
  });
});
