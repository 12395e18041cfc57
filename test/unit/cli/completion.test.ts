import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { dispatch } from "../../../src/cli/dispatch.ts";
import { COMMAND_NAMES, helpFor } from "../../../src/cli/help.ts";
import { shippedNames } from "../../../src/config/shipped.ts";
import { SCRIPT, terminalProblem } from "./command-line.ts";
import { screen } from "./screen.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

const folder = mkdtempSync(join(tmpdir(), "cofferdam-completion-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
/** Where the shells complete: names of files are offered too, and there is one. */
const work = join(folder, "work");
mkdirSync(work);
writeFileSync(join(work, "notes.yaml"), "");

/** The program of a shell, or null with a note where this machine lacks it. */
function programOf(shell: Shell): string | null {
  const found = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
    .map((where) => join(where, shell))
    .find((path) => existsSync(path));
  if (found === undefined)
    console.warn(`completion is not tried in ${shell}, which is not installed (COFFERDAM_TEST_INSTALL=1)`);
  return found ?? null;
}

async function scriptOf(shell: Shell): Promise<string> {
  const { print, stdout } = screen();
  expect(await dispatch(["completion", shell], print)).toBe(0);
  const file = join(folder, `_${shell}`);
  writeFileSync(file, stdout());
  return file;
}

describe.each(SHELLS)("the script for %s", (shell) => {
  const program = programOf(shell);

  test.skipIf(program === null)("is understood by the shell", async () => {
    const file = await scriptOf(shell);
    const { status, stderr } = spawnSync(program ?? "", ["-n", file], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });

  test("has every command, and every option and action of its help", async () => {
    const { print, stdout } = screen();
    await dispatch(["completion", shell], print);
    const words = COMMAND_NAMES.flatMap((name) =>
      [...helpFor(name).matchAll(/^ {2}(-{0,2}[a-z-]+) {2,}|^ {2}(--[a-z-]+) /gm)].flatMap(
        ([, one, two]) => one ?? two ?? [],
      ),
    );
    const lacks = [...COMMAND_NAMES, ...words, ...shippedNames()].filter((word) => {
      const text = shell === "fish" && word.startsWith("--") ? ` -l ${word.slice(2)} ` : word;
      return !stdout().includes(text);
    });
    expect(lacks).toEqual([]);
  });
});

/** Typed after `cofferdam `, before TAB, and the words that are offered for the last one. */
const TYPED: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ["qu", ["quarantine"]],
  ["", [...COMMAND_NAMES]],
  ["run --pro", ["--profile"]],
  ["run --no", ["--no-terminal"]],
  ["--", ["--help", "--version"]],
  ["profile show --format ", ["bwrap", "json", "seatbelt", "text"]],
  ["profile show --format te", ["text"]],
  ["profile s", ["show"]],
  ["profile --format json s", ["show"]],
  ["explain devices k", ["kvm"]],
  ["explain --json de", ["devices"]],
  ["call edit", ["edit_file"]],
  ["help exit", ["exit-codes"]],
  ["completion f", ["fish"]],
  ["run --profile no-n", ["no-network"]],
  ["run --config no", ["notes.yaml"]],
  ["explain read no", ["notes.yaml"]],
  ["run -- no", ["notes.yaml"]],
  ["run -- --pro", []],
  ["run -- --", []],
  ["run --profile strict -- ru", []],
  ["resume ", []],
];

describe("bash offers", () => {
  const program = programOf("bash");
  test.skipIf(program === null).each(TYPED)("cofferdam %s", async (line, offered) => {
    const file = await scriptOf("bash");
    const typed = `cofferdam ${line}`;
    // `default` is what the shell itself adds where the script offers nothing: names of files.
    const code = `
      source '${file}'
      compopt() { fallback=none; }
      fallback=files
      COMP_WORDS=(); while [ $# -gt 0 ]; do COMP_WORDS+=("$1"); shift; done
      COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
      _cofferdam
      if [ "\${#COMPREPLY[@]}" -eq 0 ] && [ "$fallback" = files ]; then
        COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
      fi
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync(program ?? "", ["-c", code, "bash", ...typed.split(" ")], {
      cwd: work,
      encoding: "utf8",
    });
    expect([
      stdout
        .split("\n")
        .filter((word) => word !== "")
        .sort(),
      stderr,
    ]).toEqual([[...offered].sort(), ""]);
  });
});

describe("fish offers", () => {
  const program = programOf("fish");
  test.skipIf(program === null).each(TYPED)("cofferdam %s", async (line, offered) => {
    const file = await scriptOf("fish");
    const code = `source '${file}'; complete -C 'cofferdam ${line}'`;
    const { stdout, stderr } = spawnSync(program ?? "", ["--no-config", "-c", code], {
      cwd: work,
      encoding: "utf8",
      env: { HOME: folder, PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
    });
    const words = stdout
      .split("\n")
      .map((one) => one.split("\t", 1).join(""))
      .filter((word) => word !== "");
    expect([words.sort(), stderr]).toEqual([[...offered].sort(), ""]);
  });
});

/** What a terminal shows after a line and TAB were typed, once it shows a text. */
async function typedIn(shell: "bash" | "zsh", program: string, keys: string, until: string): Promise<string> {
  const file = await scriptOf(shell);
  const home = mkdtempSync(join(folder, "home-"));
  const setUp =
    shell === "bash"
      ? `bind 'set enable-bracketed-paste off' 2>/dev/null; PS1=@@; source ${file}; cd ${work}`
      : `unsetopt zle_bracketed_paste 2>/dev/null; unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source ${file}; PS1=@@; cd ${work}`;
  const start = shell === "bash" ? `${program} --norc --noprofile -i` : `${program} -f -i`;
  const child = spawn(SCRIPT, ["-qefc", start, "/dev/null"], {
    cwd: work,
    detached: true,
    env: { HOME: home, PATH: "/usr/bin:/bin", TERM: "dumb", LANG: "C.UTF-8", SHELL: program },
  });
  let shown = "";
  child.stdout.on("data", (chunk: Buffer) => (shown += chunk.toString("utf8")));
  const seen = async (text: string): Promise<void> => {
    for (const end = Date.now() + 20_000; !shown.includes(text) && Date.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(shown).toContain(text);
  };
  child.stdin.write(`${setUp}; echo rea''dy\n`);
  try {
    await seen("ready");
    shown = "";
    child.stdin.write(keys);
    await seen(until);
    return shown;
  } finally {
    child.stdin.end();
    child.kill("SIGKILL");
  }
}

describe.each(["bash", "zsh"] as const)("TAB in %s", (shell) => {
  const program = programOf(shell);
  const isTried = program !== null && terminalProblem() === null;
  test.runIf(isTried).each([
    ["qu", "cofferdam quarantine "],
    ["run --pro", "cofferdam run --profile"],
    ["profile show --format te", "cofferdam profile show --format text "],
    ["explain devices k", "cofferdam explain devices kvm "],
    ["help exit", "cofferdam help exit-codes "],
    ["run --profile no-n", "cofferdam run --profile no-network"],
    ["run -- no", "cofferdam run -- notes.yaml "],
  ])("completes cofferdam %s", async (line, completed) => {
    await typedIn(shell, program ?? "", `cofferdam ${line}\t`, completed);
  });

  test.runIf(isTried)("offers no option of ours after `--`", async () => {
    const shown = await typedIn(shell, program ?? "", "cofferdam run -- --pro\t end", " end");
    expect(shown).toContain("cofferdam run -- --pro");
    expect(shown).not.toContain("--profile");
  });
});
