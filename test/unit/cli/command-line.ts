import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { dispatch } from "../../../src/cli/dispatch.ts";
import { Print } from "../../../src/cli/print.ts";
import { rememberTrust, trustFile } from "../../../src/config/trust.ts";
import { type Host, thisHost } from "../../../src/host/look/host.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { CALLER, compileCacheFor } from "../../support/battery/people.ts";
import { putTried } from "../../support/battery/tried-machine.ts";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

/** How one command ended; `exit` is 128 and the number where a signal ended it. */
export interface Ended {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command is given besides its words. */
export interface Given {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

/** A project and a state folder of their own, gone after the test, and the real command line in them. */
export interface Place {
  readonly project: string;
  readonly state: string;
  /** Starts a command in a session of its own, where there is no terminal. */
  start(words: readonly string[], given?: Given): ChildProcessWithoutNullStreams;
  /** Runs a command to its end. */
  cofferdam(words: readonly string[], given?: Given): Promise<Ended>;
  /** Runs a command in this process, which saves a start. The command must start no program, and no other may run. */
  here(words: readonly string[], given?: Pick<Given, "cwd" | "env">): Promise<Ended>;
  /** Runs a command in a terminal: the text is typed when the other has been seen, an empty one at once. */
  inTerminal(
    words: readonly string[],
    typed: readonly (readonly [seen: string, text: string])[],
  ): Promise<Ended>;
  write(name: string, text: string): void;
  /** Every path of the project and the state folder, with mode, size and time of change. */
  inventory(): readonly string[];
}

/**
 * A place with a config that needs the system's own programs alone, trusted unless told otherwise. Its state folder has the
 * result of an earlier self-check.
 */
export async function place(config: string | null = CONFIG, owner?: number): Promise<Place> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-cli-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [project, state] = [join(folder, "project"), join(folder, "state")];
  mkdirSync(project);
  mkdirSync(state);
  putTried(state, { uid: owner ?? CALLER.uid });
  if (config !== null) writeFileSync(join(project, "cofferdam.yaml"), config);
  if (owner !== undefined) for (const path of [folder, project, state]) chownSync(path, owner, owner);
  const made = placeIn(project, state);
  if (config === null) return made;
  if (owner === undefined) trustIn(project, state);
  else await made.cofferdam(["trust", "--yes"], { uid: owner });
  return made;
}

/** This process as the host of a place, for a supervisor that works on the same project and state. */
export function hostIn({ project, state }: Pick<Place, "project" | "state">, cwd = project): Host {
  return thisHost({ cwd: knownPath(cwd), stateFolder: knownPath(join(state, "cofferdam")) });
}

/** What `cofferdam trust --yes` does there, in this process. */
function trustIn(project: string, state: string): void {
  const host = thisHost({
    cwd: knownPath(project),
    env: plainEnv(state),
    stateFolder: knownPath(join(state, "cofferdam")),
  });
  rememberTrust(host, trustFile(host));
}

export const CONFIG = `version: 1
sandbox:
  paths: { workspace: { root: ., mode: rw, write_approval: false } }
  runtimes: [system]
  limits: { wall: 20s }
`;

function placeIn(project: string, state: string): Place {
  const start = (
    words: readonly string[],
    { cwd = project, env = {}, uid }: Given = {},
  ): ChildProcessWithoutNullStreams =>
    spawn(process.execPath, [MAIN, ...words], {
      cwd,
      env: { ...plainEnv(state, uid), ...env },
      detached: true,
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
  return {
    project,
    state,
    start,
    cofferdam: async (words, given = {}) => {
      const child = start(words, given);
      child.stdin.on("error", () => undefined);
      child.stdin.end(given.input ?? "");
      return endOf(child);
    },
    here: (words, { cwd = project, env = {} } = {}) => runHere(words, cwd, { ...plainEnv(state), ...env }),
    inTerminal: (words, typed) => typeIn(project, state, words, typed),
    write: (name, text) => writeFileSync(join(project, name), text),
    inventory: () => [project, state].flatMap(pathsBelow),
  };
}

/** Runs a command of ours in this process. The command must start no program, and no other may run meanwhile. */
export async function runHere(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const said = { stdout: "", stderr: "" };
  const to = (name: keyof typeof said) =>
    new Writable({
      write: (chunk: Buffer, _, done) => {
        said[name] += chunk.toString("utf8");
        done();
      },
    });
  const before = { cwd: process.cwd(), env: process.env };
  process.chdir(cwd);
  process.env = { ...env };
  try {
    const exit = await dispatch(words, new Print(to("stdout"), to("stderr"), env));
    return { exit, ...said };
  } finally {
    process.chdir(before.cwd);
    process.env = before.env;
  }
}

/** Collects what a command says until it has ended. */
export async function endOf(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (said.stderr += chunk.toString("utf8")));
  return { exit: await exitOf(child), ...said };
}

/** The status of a command that has ended; the signal that ended it counts as shells count it. */
export function exitOf(child: ChildProcessWithoutNullStreams): Promise<number> {
  const numbers: Readonly<Record<string, number>> = {
    SIGHUP: 1,
    SIGINT: 2,
    SIGKILL: 9,
    SIGPIPE: 13,
    SIGTERM: 15,
  };
  return new Promise((resolve) =>
    child.once("close", (code, signal) => resolve(code ?? 128 + (numbers[signal ?? ""] ?? 0))),
  );
}

/** `script` from util-linux gives a command a terminal of its own and passes on what it is sent. */
export const SCRIPT = "/usr/bin/script";

/** Why nothing can be run in a terminal here, or null. */
export function terminalProblem(): string | null {
  return existsSync(SCRIPT) ? null : `${SCRIPT} is not installed (bsdutils, util-linux)`;
}

async function typeIn(
  project: string,
  state: string,
  words: readonly string[],
  typed: readonly (readonly [string, string])[],
): Promise<Ended> {
  const line = [process.execPath, MAIN, ...words]
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(" ");
  const env = { ...plainEnv(state), TERM: "xterm", SHELL: "/bin/sh", NO_COLOR: "1" };
  const child = spawn(SCRIPT, ["-qefc", line, "/dev/null"], { cwd: project, env, detached: true });
  child.stdin.on("error", () => undefined);
  const waiting = [...typed];
  let shown = "";
  let reading: NodeJS.Timeout | undefined;
  const type = (): void => {
    const [next] = waiting;
    if (next === undefined || !shown.includes(next[0])) return;
    const typeIt = (): void => {
      child.stdin.write(next[1]);
      waiting.shift();
      type();
    };
    // As long as a person needs to read a question; anew when more is shown meanwhile.
    clearTimeout(reading);
    reading = setTimeout(typeIt, next[0] === "" ? 0 : 350);
  };
  child.stdout.on("data", (chunk: Buffer) => {
    shown += chunk.toString("utf8");
    type();
  });
  type();
  const { exit, stdout, stderr } = await endOf(child);
  return { exit, stdout: stdout.replaceAll("\r\n", "\n"), stderr };
}

function plainEnv(state: string, uid = CALLER.uid): Record<string, string> {
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LANG: "C.UTF-8",
    XDG_STATE_HOME: state,
    NODE_COMPILE_CACHE: compileCacheFor({ uid, gid: uid === CALLER.uid ? CALLER.gid : uid }),
  };
}

function pathsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((path) => {
      const { mode, size, mtimeMs, ctimeMs } = lstatSync(join(folder, path));
      return [join(folder, path), mode, size, mtimeMs, ctimeMs].join(" ");
    });
}

/** A word that no other process has among its own. */
export function uniqueWord(): string {
  return `word-${randomUUID()}`;
}

/** The processes that have the word among theirs. */
export function processesWith(word: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return line.includes(word) ? [`${pid} ${line}`] : [];
    } catch {
      return [];
    }
  });
}

/** True once it holds, looked at again and again for five seconds. */
export async function soon(holds: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 250; tries += 1) {
    if (holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}
