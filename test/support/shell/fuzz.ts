import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseLine } from "../../../src/shell/parse.ts";
import { coversWords, shellPattern } from "../../../src/shell/rule.ts";
import { linesFrom } from "./generate-line.ts";
import { judgeLine } from "./judge-line.ts";

/** The rules of the trial: some programs pass, one with a certain word, one as it is written, one is forbidden. */
const RULES = [
  { pattern: "aa", approval: false },
  { pattern: "bb", approval: false },
  { pattern: "echo", approval: false },
  { pattern: "gg ok", approval: false },
  { pattern: "dd x", approval: false, exact: true },
  { pattern: "rm", allowed: false },
];
const STAND_INS = ["aa", "bb", "cc", "dd", "gg", "zz", "rm"];
const BASH = "/bin/bash";

/** What came of lines that were judged and, where rules let them pass, run by bash with stand-ins for programs. */
export interface Trial {
  readonly lines: number;
  readonly verdicts: { readonly allow: number; readonly ask: number; readonly deny: number };
  /** How many programs the allowed lines ran, and how many of the lines needed no shell. */
  readonly ran: number;
  readonly plain: number;
  /** Lines that were allowed and ran what no rule allows, or with other words than were judged. */
  readonly unsound: readonly string[];
}

/** Judges lines drawn from a seed and runs those that are allowed: so many, or until the time is over. */
export function tryLines(seed: number, count: number, maxMs = Number.POSITIVE_INFINITY): Trial {
  const stage = mkdtempSync(join(tmpdir(), "cofferdam-fuzz-"));
  const verdicts = { allow: 0, ask: 0, deny: 0 };
  const unsound: string[] = [];
  let [lines, ran, plain] = [0, 0, 0];
  try {
    const bash = new Bash(stage);
    const end = performance.now() + maxMs;
    for (const line of linesFrom(seed)) {
      if (lines === count || performance.now() > end) break;
      lines += 1;
      const { action } = judgeLine(line, { rules: RULES });
      verdicts[action] += 1;
      if (action !== "allow") continue;
      const started = bash.run(line);
      ran += started.length;
      const { plain: words } = parseLine(line);
      if (words !== null) plain += 1;
      const isSame = words === null || JSON.stringify(started) === JSON.stringify([words]);
      if (!isSame || !started.every(isAllowed)) unsound.push(`${line}\n→ ${JSON.stringify(started)}`);
    }
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  return { lines, verdicts, ran, plain, unsound };
}

function isAllowed(words: readonly string[]): boolean {
  return RULES.some(
    ({ pattern, approval, exact }) =>
      approval === false && coversWords(shellPattern(pattern), words, exact === true),
  );
}

/** The bash that the grammar is of, in a folder of its own, with stand-ins that write down how they were called. */
class Bash {
  readonly #cwd: string;
  readonly #log: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(stage: string) {
    const bin = join(stage, "bin");
    this.#cwd = join(stage, "work");
    this.#log = join(stage, "log");
    this.#env = { PATH: bin, LOG: this.#log, LANG: "C.UTF-8" };
    mkdirSync(bin);
    mkdirSync(this.#cwd);
    mkdirSync(this.#log);
    // Each into a file of its own: programs of a pipe write at the same time.
    const text = '#!/bin/sh\nprintf "%s\\0" "${0##*/}" "$@" >"$LOG/$$"\n';
    for (const name of STAND_INS) writeFileSync(join(bin, name), text, { mode: 0o755 });
    // Names that a pattern for file names could make something else of.
    for (const name of ["rm", "zz", "-o", "ok", "x"]) writeFileSync(join(this.#cwd, name), "zz\n");
  }

  /** Every program that the line ran, with its words. */
  run(line: string): readonly (readonly string[])[] {
    spawnSync(BASH, ["--noprofile", "--norc", "-c", line], {
      cwd: this.#cwd,
      env: this.#env,
      // Whoever still runs in the background holds the pipe: this ends when nobody does.
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      timeout: 10_000,
      killSignal: "SIGKILL",
    });
    const written = readdirSync(this.#log).map((name) => join(this.#log, name));
    const calls = written.map((file) => readFileSync(file, "utf8").split("\0").slice(0, -1));
    for (const file of written) rmSync(file);
    return calls;
  }
}
