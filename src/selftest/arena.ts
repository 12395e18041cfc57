import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { PassThrough } from "node:stream";
import type { AttackTarget } from "../attacks/attack.ts";
import { CofferdamError } from "../errors.ts";
import { type ClosingServer, closingServer } from "../host/launch/closing-server.ts";
import { findHelper, fitHelper } from "../host/launch/launcher.ts";
import { sweepUnfinished } from "../host/launch/lock.ts";
import { printProcess, thisProcess } from "../host/launch/process-id.ts";
import { ask } from "../host/launch/spawn.ts";
import type { Host } from "../host/look/host.ts";
import { orNull } from "../host/or-null.ts";
import { type AbsolutePath, joinPath, knownPath, parentOf } from "../profile/path.ts";
import type { Session } from "../session/session.ts";
import type { SelftestFolders } from "./ground.ts";

/** The parts of attacks and drills that depend on the platform. */
export interface Arena {
  /** Servers of the host: on loopback, and at names of this platform only, beside those in folders. */
  listen(ground: SelftestFolders): Promise<Servers>;
  state(host: Host, ground: SelftestFolders): SelftestState;
  neighbour(session: Session): Promise<Neighbour>;
  /** Prepares for the start of a process that is attacked. */
  settle(shell: AbsolutePath, signal: AbortSignal): Promise<void>;
  /** The command that starts controls in namespaces of their own, without the shell; null if there are none. */
  own(host: Host): readonly [AbsolutePath, ...string[]] | null;
  readonly outside: string;
  /** The launcher's name, and words that would make it show the canary if they were options. */
  readonly launcher: string;
  readonly options: (ground: SelftestFolders) => readonly [string, ...string[]];
  /** A line that leaves a program running, with a mark among its words, in a session of its own. */
  readonly daemon: (mark: string) => string;
  /** True while a process of this machine has the word in its command line. */
  isRunningWith(host: Host, word: string): Promise<boolean>;
}

/** The state folder of a supervisor of the selftest. */
export interface SelftestState extends Disposable {
  readonly folder: AbsolutePath;
}

/** A process in another sandbox; 0 if no attack uses it. */
export interface Neighbour extends AsyncDisposable {
  readonly pid: number;
}

/** Addresses of servers of the host, until disposal. */
export interface Servers extends Pick<AttackTarget, "port" | "abstract">, AsyncDisposable {}

/** Pids inside are small: a process of the host with a small one could not be told from one inside. */
const SMALL_PID = 5_000;

const LOOP = 'trap "" HUP INT TERM; while :; do sleep 1; done';

const linux: Arena = {
  listen: (ground) => {
    const abstract = `cofferdam-selftest-${randomBytes(8).toString("hex")}`;
    return serversAt(abstract, [joinPath(ground.outside, "socket"), `\0${abstract}`]);
  },
  // Beside the caller's; the next run removes the rest of a killed one.
  state: ({ stateFolder }) => {
    const place = joinPath(stateFolder, "selftest");
    sweepUnfinished(place);
    const folder = knownPath(`${place}.${printProcess(thisProcess())}`);
    return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  },
  neighbour: async () => ({ pid: 0, [Symbol.asyncDispose]: async () => undefined }),
  settle: async (shell, signal) => {
    const line = `while [ "$(sh -c 'echo $$')" -lt ${SMALL_PID} ]; do for i in 1 2 3 4 5 6 7 8 9; do (:); done; done`;
    await ask(shell, ["-c", line], { timeoutMs: 60_000, signal });
  },
  own: (host) => {
    const unshare = fitHelper(host, "unshare");
    return unshare === null ? null : [unshare, "-Urmu"];
  },
  outside: "",
  launcher: "bwrap",
  options: ({ ws, outside }) => {
    const shown = joinPath(ws, "shown");
    return ["--ro-bind", outside, shown, "cat", `${shown}/canary`];
  },
  daemon: (mark) => `setsid sh -c '${LOOP}' daemon ${mark} >/dev/null 2>&1 </dev/null &`,
  isRunningWith: async (_, word) =>
    readdirSync("/proc").some((name) => /^\d+$/.test(name) && wordsOf(name).includes(word)),
};

const darwin: Arena = {
  listen: ({ outside, ws }) => serversAt("", [joinPath(outside, "socket"), joinPath(ws, "socket")]),
  // A place with paths short enough for sockets; it is removed with the other folders.
  state: (_, { ws }) => ({ folder: joinPath(parentOf(ws), "s"), [Symbol.dispose]: () => undefined }),
  neighbour: startNeighbour,
  settle: async () => undefined,
  own: () => null,
  outside: "PATH=/usr/bin:/bin:/usr/sbin:/sbin; export PATH\n",
  launcher: "sandbox-exec",
  options: ({ outside }) => ["-p", "(version 1)(allow default)", "cat", joinPath(outside, "canary")],
  daemon: (mark) =>
    `perl -MPOSIX=setsid -e 'fork and exit; setsid; exec @ARGV' sh -c '${LOOP}' daemon ${mark} >/dev/null 2>&1 </dev/null; nohup sh -c '${LOOP}' daemon ${mark} >/dev/null 2>&1 </dev/null &`,
  isRunningWith: async (host, word) => {
    const { stdout } = await ask(findHelper(host, "ps"), ["-A", "-ww", "-o", "args="]);
    return stdout.includes(word);
  },
};

/** Returns the arena of a platform. */
export function arenaOf({ platform }: Pick<Host, "platform">): Arena {
  return { linux, darwin }[platform];
}

async function serversAt(abstract: string, paths: readonly string[]): Promise<Servers> {
  const tcp = await closingServer();
  const others: ClosingServer[] = [];
  for (const path of paths) others.push(await closingServer({ path }));
  return {
    port: tcp.port,
    abstract,
    [Symbol.asyncDispose]: async () => {
      for (const server of [tcp, ...others]) server[Symbol.dispose]();
    },
  };
}

/** It reports its own pid, which is the same outside, and ends with its input. */
async function startNeighbour(session: Session): Promise<Neighbour> {
  const said = Promise.withResolvers<number>();
  const stdin = new PassThrough();
  const sink = (chunk: Uint8Array): void => said.resolve(Number(Buffer.from(chunk).toString()));
  const ended = session.call(
    "shell",
    { argv: ["sh", "-c", "echo $$; read -r _"] },
    { stdin, sinks: { stdout: sink, stderr: () => undefined } },
  );
  const over = new CofferdamError("SANDBOX_UNAVAILABLE", "the attacked sandbox did not start");
  ended.then(() => said.reject(over), said.reject);
  return {
    pid: await said.promise,
    [Symbol.asyncDispose]: async () => {
      stdin.end();
      await ended.catch(() => undefined);
    },
  };
}

function wordsOf(pid: string): string {
  return orNull(() => readFileSync(`/proc/${pid}/cmdline`, "latin1")) ?? "";
}
