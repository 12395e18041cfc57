import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OpenedFile, openedFiles } from "./read-trace.ts";

/** The bash that the grammar is of. */
export const BASH = "/bin/bash";
/** The tool that tells which files bash opens. */
export const STRACE = "/usr/bin/strace";
const TRACE = "--seccomp-bpf -f -qq -y -s 4096 -e trace=open,openat,creat,execve";
/** A line that loops over commands of bash alone is ended by its processor time, one that waits for itself by a clock. */
const MAX_CPU_SECONDS = 1;
const MAX_MS = 10_000;
/** A loop over stand-ins is ended after so many of them. */
const MAX_STARTS = 40;
const STAND_INS = ["aa", "bb", "cc", "dd", "gg", "zz", "rm"];
/** Names that a pattern for file names could make something else of. */
const FILES = ["rm", "zz", "-o", "ok", "x"];
const SUB = "sub";
/** The value that some variables have before a line sets them: bash runs it if it calculates with them. */
const CODE = "a[$(zz)]";
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
  /** False if it was ended, as it waited for itself. */
  readonly hasEnded: boolean;
}

/**
 * A bash for one line after the other, in a folder of its own, with stand-ins for programs that write down how they were
 * called. A shell that stays starts them: it takes a fifth of the time that this process needs for it.
 */
export class TrialBash implements Disposable {
  /** The folder in which each line begins, and the home folder. */
  readonly folder: string;
  readonly #stage: string;
  /** The folder of what stand-ins write, a new one whenever a line was ended: some of it may still be written. */
  #log = "";
  #starter: ChildProcess | null = null;
  #isClean = false;

  constructor() {
    this.#stage = mkdtempSync(join(tmpdir(), "cofferdam-fuzz-"));
    const bin = join(this.#stage, "bin");
    this.folder = join(this.#stage, ...Array.from({ length: DEPTH }, (_, at) => `f${at}`), "work");
    mkdirSync(bin);
    mkdirSync(join(this.folder, SUB), { recursive: true });
    // Each into a file of its own: programs of a pipe write at the same time. Every third call fails, so that loops end.
    const text = [
      "#!/bin/sh",
      '{ pwd -P; printf "\\0%s" "${0##*/}" "$@"; printf "\\0\\1\\n"; export -p; } >"$LOG/$$"',
    ];
    const script = (end: readonly string[]): string => `${[...text, ...end].join("\n")}\n`;
    const failing = [
      'set -- "$LOG"/*',
      `[ $# -lt ${MAX_STARTS} ] || kill -9 "$PPID"`,
      "exit $(($# % 3 == 2))",
    ];
    for (const name of STAND_INS) writeFileSync(join(bin, name), script(failing), { mode: 0o755 });
    writeFileSync(join(bin, "cat"), script(['exec /bin/cat "$@"']), { mode: 0o755 });
  }

  /** The variables with which bash starts. */
  get env(): Readonly<Record<string, string>> {
    const bin = join(this.#stage, "bin");
    const own = { PATH: bin, LOG: this.#log, LC_CTYPE: "C.UTF-8", HOME: this.folder, TMPDIR: this.#log };
    return { ...own, i: CODE, n: CODE };
  }

  /** Runs a line; `isTraced` tells which files bash opened too. One that `mayWrite` leaves nothing to the next. */
  async run(line: string, { isTraced = false, mayWrite = true } = {}): Promise<BashRun> {
    if (!this.#isClean) this.#clean();
    this.#isClean = !mayWrite;
    const shell = this.#shell;
    const log = this.#log;
    const trace = join(this.#stage, "trace");
    const tracer = isTraced ? `${STRACE} ${TRACE} -o ${trace} ` : "";
    const bash = `${tracer}${BASH} --noprofile --norc -c -- '${line.replaceAll("'", "'\\''")}'`;
    writeFileSync(this.#next, `(ulimit -t ${MAX_CPU_SECONDS}; cd ${this.folder}; exec ${bash})\n`);
    const hasEnded = await this.#startNext(shell);
    const logs = readdirSync(log).map((name) => join(log, name));
    const started = logs.flatMap((file) => startedFrom(readFileSync(file, "utf8")));
    for (const file of logs) rmSync(file, { force: true });
    const opened = isTraced ? openedFiles(readFileSync(trace, "utf8"), BASH, log) : null;
    return { started, opened, hasEnded };
  }

  get #next(): string {
    return join(this.#stage, "next");
  }

  /** The shell that starts bash. What still runs in the background holds the pipe 9 that it waits for. */
  get #shell(): ChildProcess {
    if (this.#starter !== null) return this.#starter;
    this.#log = mkdtempSync(join(this.#stage, "log-"));
    const script = `while read -r _; do _=$(. ${this.#next} 9>&1 >/dev/null 2>&1 </dev/null); echo; done`;
    this.#starter = spawn("/bin/sh", ["-c", script], {
      cwd: this.#stage,
      env: this.env,
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
    });
    return this.#starter;
  }

  async #startNext(shell: ChildProcess): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => {
      this.#end();
      resolve(false);
    }, MAX_MS);
    shell.stdout?.once("data", () => resolve(true));
    shell.stdin?.write("\n");
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Puts back what a line may have changed. */
  #clean(): void {
    const expected = new Set([SUB, ...FILES]);
    for (const name of readdirSync(this.folder))
      if (!expected.has(name)) rmSync(join(this.folder, name), { recursive: true });
    for (const name of readdirSync(join(this.folder, SUB))) rmSync(join(this.folder, SUB, name));
    for (const name of FILES) writeFileSync(join(this.folder, name), "zz\n");
  }

  /** Ends the shell and everything that it started. */
  #end(): void {
    const pid = this.#starter?.pid;
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
    this.#starter = null;
  }

  [Symbol.dispose](): void {
    this.#end();
    rmSync(this.#stage, { recursive: true, force: true });
  }
}

const END = "\0\u0001\n";

/** The start that a stand-in wrote down: its folder, its words, its variables. One that was ended early wrote less. */
function startedFrom(text: string): readonly StartedProgram[] {
  const end = text.indexOf(END);
  if (end < 0) return [];
  const [folder = "", ...words] = text.slice(0, end).split("\0");
  const env = [...text.slice(end).matchAll(/^export (\w+)(?:='(.*)')?$/gm)];
  return [
    { folder: folder.trimEnd(), words, env: new Map(env.map(([, name = "", value = ""]) => [name, value])) },
  ];
}
