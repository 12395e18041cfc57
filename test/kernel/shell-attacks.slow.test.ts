import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { parseLine } from "../../src/shell/parse.ts";
import { ATTACK_LINES, builtinLines, settingLines } from "../support/shell/attack-lines.ts";
import { breachOf } from "../support/shell/reading-law.ts";
import { BASH, TrialBash } from "../support/shell/trial-bash.ts";

/** Ends processes that it does not start: it is tried only with words that are no process. */
const LEFT_OUT = ["kill", "suspend", "logout"];

const bash = new TrialBash();
afterAll(() => bash[Symbol.dispose]());

/** The lines that did what is not in their reading, and how many are understood. */
async function unsoundAmong(lines: Iterable<string>) {
  const unsound: string[] = [];
  let understood = 0;
  for (const line of lines) {
    const read = parseLine(line);
    if (read.unread.length > 0) continue;
    understood += 1;
    const breach = breachOf(read, await bash.run(line, { mayWrite: read.touches.length > 0 }), bash);
    if (breach !== null) unsound.push(`${line} → ${breach}`);
  }
  return { unsound, understood };
}

function listed(...words: readonly string[]): readonly string[] {
  const { stdout } = spawnSync(BASH, ["--noprofile", "--norc", "-c", ...words], {
    env: {},
    encoding: "utf8",
  });
  return stdout.split("\n").filter((name) => name !== "");
}

it("a line that is tried changes nothing outside the folder of its trial", async () => {
  const places = [tmpdir(), homedir(), "/", "/dev", bash.folder].map((folder) =>
    join(folder, `cofferdam-tried-${process.pid}`),
  );
  onTestFinished(() => {
    for (const place of places) rmSync(place, { force: true });
  });
  for (const place of places) await bash.run(`: >${place}`);
  expect(places.map((place) => existsSync(place))).toEqual([false, false, false, false, true]);
});

describe("text that bash could run as code", () => {
  it("does run in many of these lines, and in none that is understood", async () => {
    const ran: string[] = [];
    for (const line of ATTACK_LINES) {
      const { started } = await bash.run(line);
      if (started.some(({ words }) => words[0] === "zz")) ran.push(line);
    }
    expect(ran.length).toBeGreaterThan(ATTACK_LINES.length / 4);
    const isNamed = (line: string): boolean =>
      parseLine(line).commands.some(({ words }) => words[0] === "zz");
    expect(ran.filter((line) => parseLine(line).unread.length === 0 && !isNamed(line))).toEqual([]);
  });

  it("changes nothing that the reading of these lines does not tell", async () => {
    const { unsound, understood } = await unsoundAmong(ATTACK_LINES);
    expect(unsound).toEqual([]);
    expect(understood).toBeGreaterThan(30);
  });

  it("is not run by a command of bash itself, whatever its unknown words are", async () => {
    const names = listed("compgen -b").filter((name) => !LEFT_OUT.includes(name));
    expect(names.length).toBeGreaterThan(50);
    const { unsound, understood } = await unsoundAmong(builtinLines(names));
    expect(unsound).toEqual([]);
    expect(understood).toBeGreaterThan(1_000);
  }, 600_000);
});

describe("a variable", () => {
  const isUnderstood = (line: string): boolean => parseLine(line).unread.length === 0;

  it("that bash has, or gives a number to, is set by no line that is understood", () => {
    const names = [...listed("compgen -v"), ...listed("compgen -A arrayvar"), ...integers(), ...DOCUMENTED];
    for (const name of ["RANDOM", "SECONDS", "HISTCMD", "OPTIND", "PATH", "IFS"])
      expect(names).toContain(name);
    // Those of bash's environment here are none of its own.
    const own = names.filter((name) => !/^(_|LC_ALL|LANG|TERM|TZ)$/.test(name));
    expect(own.flatMap((name) => settingLines(name)).filter(isUnderstood)).toEqual([]);
  });

  it("whose name is anywhere in the file of bash runs nothing if a line that is understood sets it", async () => {
    const text = readFileSync(BASH, "latin1");
    const names = [...new Set(text.match(/(?<=\0)[A-Za-z_]\w*(?=\0)/g))].filter((name) =>
      isUnderstood(`${name}=x`),
    );
    expect(names.length).toBeGreaterThan(500);
    // One shell for each name, so that none sees what another set.
    const lines = names.map((name) =>
      settingLines(name, ":")
        .filter(isUnderstood)
        .map((line) => `(${line})`)
        .join("\n"),
    );
    const scripts = Array.from({ length: Math.ceil(lines.length / 40) }, (_, at) =>
      lines.slice(at * 40, at * 40 + 40).join("\n"),
    );
    const { unsound, understood } = await unsoundAmong(scripts);
    expect(unsound).toEqual([]);
    expect(understood).toBe(scripts.length);
  }, 600_000);
});

function integers(): readonly string[] {
  return listed("declare -ip").flatMap((line) => /^declare -\S+ (\w+)/.exec(line)?.slice(1) ?? []);
}

/** Variables that bash obeys and has not set itself (bash(1), Shell Variables). */
const DOCUMENTED =
  "BASH_COMPAT BASH_ENV BASH_XTRACEFD CDPATH CHILD_MAX COLUMNS COMP_CWORD COMPREPLY COPROC EMACS ENV EXECIGNORE FCEDIT FIGNORE FUNCNEST GLOBIGNORE HISTCONTROL HISTFILE HISTFILESIZE HISTIGNORE HISTSIZE HISTTIMEFORMAT HOSTFILE IGNOREEOF INPUTRC INSIDE_EMACS LANGUAGE LINES MAIL MAILCHECK MAILPATH OPTARG OPTERR POSIXLY_CORRECT PROMPT_COMMAND PROMPT_DIRTRIM PS0 PS1 PS2 PS3 READLINE_LINE TEXTDOMAIN TEXTDOMAINDIR TIMEFORMAT TMOUT TMPDIR auto_resume histchars LD_PRELOAD LD_LIBRARY_PATH LOCPATH TZDIR MALLOC_CHECK_ NLSPATH".split(
    " ",
  );
