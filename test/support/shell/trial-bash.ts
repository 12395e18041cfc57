import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OpenedFile, openedFiles } from "./read-trace.ts";

/** The bash that the grammar is of. */
export const BASH = "/bin/bash";
const STRACE = "/usr/bin/strace";
/** A line that loops over commands of bash alone is ended by its processor time, with everything that it started. */
const MAX_CPU_SECONDS = 1;
const MAX_MS = 10_000;
const STAND_INS = ["aa", "bb", "cc", "dd", "gg", "zz", "rm"];
/** Names that a pattern for file names could make something else of. */
const FILES = ["rm", "zz", "-o", "ok", "x"];
/** So many folders above the first one that no line leaves the stage. */
const DEPTH = 16;

/** One start of a stand-in for a program. */
export interface StartedProgram {
  readonly words: readonly string[];
  readonly folder: string;
  /** The variables that it got. */
  readonly env: ReadonlyMap<string, string>;
}

/** Everything that bash did with a line; `opened` is null if it was not traced. */
export interface BashRun {
  readonly started: readonly StartedProgram[];
  readonly opened: readonly OpenedFile[] | null;
}

/** A bash in a folder of its own, with stand-ins for programs that write down how they were called. */
export class TrialBash implements Disposable {
  /** The folder in which each line begins, and the home folder. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly #stage: string;
  readonly #log: string;
  #isClean = false;

  constructor() {
    this.#stage = mkdtempSync(join(tmpdir(), "cofferdam-fuzz-"));
    const bin = join(this.#stage, "bin");
    this.#log = join(this.#stage, "log");
    this.folder = join(this.#stage, ...Array.from({ length: DEPTH }, (_, at) => `f${at}`), "work");
    this.env = { PATH: bin, LOG: this.#log, LANG: "C.UTF-8", HOME: this.folder, TMPDIR: this.#log };
    mkdirSync(bin);
    mkdirSync(this.#log);
    // Each into a file of its own: programs of a pipe write at the same time. Every third call fails, so that loops end.
    const text = [
      "#!/bin/sh",
      '{ pwd -P; printf "\\0%s" "${0##*/}" "$@"; printf "\\0\\1\\n"; export -p; } >"$LOG/$$"',
    ];
    const script = (end: readonly string[]): string => `${[...text, ...end].join("\n")}\n`;
    const failing = ['set -- "$LOG"/*', "exit $(($# % 3 == 2))"];
    for (const name of STAND_INS) writeFileSync(join(bin, name), script(failing), { mode: 0o755 });
    writeFileSync(join(bin, "cat"), script(['exec /bin/cat "$@"']), { mode: 0o755 });
  }

  /** Runs a line; `isTraced` tells which files bash opened too. One that `mayWrite` leaves nothing to the next. */
  run(line: string, { isTraced = false, mayWrite = true } = {}): BashRun {
    if (!this.#isClean) this.#clean();
    this.#isClean = !mayWrite;
    const trace = join(this.#stage, "trace");
    const bash = [BASH, "--noprofile", "--norc", "-c", "--", line];
    const traced = ["--seccomp-bpf", "-f", "-qq", "-y", "-s", "4096", "-e", "trace=open,openat,creat,execve"];
    const words = isTraced ? [STRACE, ...traced, "-o", trace, ...bash] : bash;
    spawnSync("/usr/bin/prlimit", [`--cpu=${MAX_CPU_SECONDS}`, ...words], {
      cwd: this.folder,
      env: this.env,
      // Whoever still runs in the background holds the pipe: this ends when nobody does.
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      timeout: MAX_MS,
      killSignal: "SIGKILL",
    });
    const logs = readdirSync(this.#log).map((name) => join(this.#log, name));
    const started = logs.flatMap((file) => startedFrom(readFileSync(file, "utf8")));
    for (const file of logs) rmSync(file, { force: true });
    const opened = isTraced ? openedFiles(readFileSync(trace, "utf8"), BASH, this.#log) : null;
    return { started, opened };
  }

  #clean(): void {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(join(this.folder, "sub"), { recursive: true });
    for (const name of FILES) writeFileSync(join(this.folder, name), "zz\n");
  }

  [Symbol.dispose](): void {
    rmSync(this.#stage, { recursive: true, force: true });
  }
}

const END = "\0\u0001\n";

/** The start that a stand-in wrote down: its folder, its words, its variables. One that was ended early wrote less. */
function startedFrom(text: string): readonly StartedProgram[] {
  const end = text.indexOf(END);
  const [folder = "", ...words] = text.slice(0, Math.max(end, 0)).split("\0");
  if (end < 0) return [];
  const env = [...text.slice(end).matchAll(/^export (\w+)(?:='(.*)')?$/gm)];
  return [
    { folder: folder.trimEnd(), words, env: new Map(env.map(([, name = "", value = ""]) => [name, value])) },
  ];
}
