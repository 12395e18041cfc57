import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OpenedFile, openedFiles } from "./read-trace.ts";

/** The bash that the grammar is of. */
export const BASH = "/bin/bash";
/** The tool that tells which files bash opens. */
const STRACE = "/usr/bin/strace";
/** The sandbox around bash: a random line may name any file of the machine. */
const BWRAP = "/usr/bin/bwrap";
/** Makes the stand-ins: a script would take four times as long to start, and most of the time goes into starts. */
const COMPILER = "/usr/bin/gcc";
/** The programs that a trial needs. */
export const TRIAL_NEEDS: readonly string[] = [BWRAP, STRACE, COMPILER];
const TRACE = "--seccomp-bpf -f -qq -y -s 4096 -e trace=open,openat,creat,execve";
/** A line that loops over commands of bash alone is ended by its processor time, one that waits for itself by a clock. */
const MAX_CPU_SECONDS = 1;
const MAX_MS = 10_000;
/** A loop over stand-ins is ended after so many of them. */
const MAX_STARTS = 40;
const STAND_INS = ["aa", "bb", "cc", "dd", "gg", "zz", "rm", "cat"];
/** Names that a pattern for file names could make something else of. */
const FILES = ["rm", "zz", "-o", "ok", "x"];
const TEXT = "zz\n";
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
 * called. It can write only there, and has no network. A shell that stays starts them: it takes a fifth of the time that
 * this process needs for it.
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
    const source = join(import.meta.dirname, "stand-in.c");
    const first = join(bin, STAND_INS[0] ?? "");
    execFileSync(COMPILER, ["-O1", "-static", `-DMAX_STARTS=${MAX_STARTS}`, "-o", first, source]);
    for (const name of STAND_INS.slice(1)) linkSync(first, join(bin, name));
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
    rmSync(trace, { force: true });
    const tracer = isTraced ? `${STRACE} ${TRACE} -o ${trace} ` : "";
    const bash = `${tracer}${BASH} --noprofile --norc -c -- '${line.replaceAll("'", "'\\''")}'`;
    const limited = `(ulimit -t ${MAX_CPU_SECONDS}; cd ${this.folder}; exec ${bash})`;
    const hasEnded = await this.#start(limited, shell);
    const logs = readdirSync(log).map((name) => join(log, name));
    const started = logs.flatMap((file) => startedFrom(readFileSync(file, "utf8")));
    for (const file of logs) rmSync(file, { force: true });
    const opened = isTraced && existsSync(trace) ? openedFiles(readFileSync(trace, "utf8"), BASH, log) : null;
    return { started, opened, hasEnded };
  }

  /** The shell that starts bash: it reads one command after the other. */
  get #shell(): ChildProcess {
    if (this.#starter !== null) return this.#starter;
    this.#log = mkdtempSync(join(this.#stage, "log-"));
    this.#starter = spawn(BWRAP, [...heldIn(this.#stage), "/bin/sh"], {
      cwd: this.#stage,
      env: this.env,
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
    });
    // One that was ended reads no more; its end is told by itself.
    this.#starter.stdin?.on("error", () => null);
    return this.#starter;
  }

  async #start(command: string, shell: ChildProcess): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    shell.stdout?.once("data", () => resolve(true));
    // A stand-in ends the shell if bash has left it its place: that happens to endless loops.
    const stop = (): void => {
      this.#end();
      resolve(false);
    };
    shell.once("exit", stop);
    const timer = setTimeout(stop, MAX_MS);
    // What still runs in the background holds the pipe 9 that the shell waits for.
    shell.stdin?.write(`_=$( ${command} 9>&1 >/dev/null 2>&1 </dev/null); echo\n`);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      shell.removeListener("exit", stop);
    }
  }

  /** Puts back what a line may have changed. */
  #clean(): void {
    const expected = new Set([SUB, ...FILES]);
    for (const name of readdirSync(this.folder))
      if (!expected.has(name)) rmSync(join(this.folder, name), { recursive: true });
    for (const name of readdirSync(join(this.folder, SUB))) rmSync(join(this.folder, SUB, name));
    // To read is faster than to write.
    for (const name of FILES.map((one) => join(this.folder, one)))
      if (!existsSync(name) || readFileSync(name, "utf8") !== TEXT) writeFileSync(name, TEXT);
  }

  /** Ends the shell and everything that it started. */
  #end(): void {
    const pid = this.#starter?.pid;
    this.#starter = null;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch (error) {
      // Nothing of it is left.
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#end();
    rmSync(this.#stage, { recursive: true, force: true });
  }
}

/** The options of a sandbox in which one folder of the machine can be written, and nothing else of it. */
function heldIn(folder: string): readonly string[] {
  const read = ["--ro-bind", "/", "/", "--tmpfs", "/tmp", "--proc", "/proc"];
  const devices = ["--dev", "/dev", "--remount-ro", "/dev"];
  return [...read, ...devices, "--bind", folder, folder, "--unshare-all", "--die-with-parent", "--"];
}

/** The start that a stand-in wrote down: its variables, its folder, its words. One that was ended early wrote no end. */
function startedFrom(text: string): readonly StartedProgram[] {
  const [count = "", ...rest] = text.split("\0");
  if (rest.at(-1) !== "") return [];
  const settings = rest.slice(0, Number(count));
  const [folder = "", ...words] = rest.slice(settings.length, -1);
  const env = new Map(settings.map((one) => [one.replace(/=.*/s, ""), one.slice(one.indexOf("=") + 1)]));
  return [{ folder, words, env }];
}
