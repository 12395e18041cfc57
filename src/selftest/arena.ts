import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type ListenOptions, type Server } from "node:net";
import type { Host } from "../host/host.ts";
import { findHelper, fitHelper } from "../host/launcher.ts";
import { sweepUnfinished } from "../host/lock.ts";
import { printProcess, thisProcess } from "../host/process-id.ts";
import { ask } from "../host/spawn.ts";
import { type AbsolutePath, joinPath, knownPath, parentOf } from "../profile/path.ts";
import type { Target } from "./case.ts";
import type { Ground } from "./ground.ts";

/** What battery and drills need of one platform. */
export interface Arena {
  /** Servers of the host: on loopback, and at names that only this platform has, beside those in folders. */
  listen(ground: Ground): Promise<Servers>;
  /** A state folder of the battery's own, until disposal. */
  state(host: Host, ground: Ground): State;
  /** Before a process is started that is attacked. */
  settle(shell: AbsolutePath, signal: AbortSignal): Promise<void>;
  /** What twins in namespaces of their own are started by, the shell left out; null where there are none. */
  own(host: Host): readonly [AbsolutePath, ...string[]] | null;
  /** What lines outside begin with. */
  readonly outside: string;
  /** The launcher's name, and words that would have it show the canary if they were options. */
  readonly launcher: string;
  readonly options: (ground: Ground) => readonly [string, ...string[]];
  /** A line that leaves a program behind, with a mark among its words, in a session of its own. */
  readonly daemon: (mark: string) => string;
  /** True while a process of this machine has the word in its command line. */
  isRunningWith(host: Host, word: string): Promise<boolean>;
}

/** Where a supervisor of the battery's keeps what it keeps. */
export interface State extends Disposable {
  readonly folder: AbsolutePath;
}

/** Where servers of the host are, until disposal. */
export interface Servers extends Pick<Target, "port" | "abstract">, AsyncDisposable {}

/** Pids inside are small: a process of the host that had a small one could not be told from one inside. */
const SMALL_PID = 5_000;

const LOOP = 'trap "" HUP INT TERM; while :; do sleep 1; done';

const linux: Arena = {
  listen: (ground) => {
    const abstract = `cofferdam-selftest-${randomBytes(8).toString("hex")}`;
    return serversAt(abstract, [joinPath(ground.outside, "socket"), `\0${abstract}`]);
  },
  // Beside the caller's; what a killed one left is removed by the next.
  state: ({ stateFolder }) => {
    const place = joinPath(stateFolder, "selftest");
    sweepUnfinished(place);
    const folder = knownPath(`${place}.${printProcess(thisProcess())}`);
    return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  },
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
  // Where paths are short enough for sockets; it goes with the other folders.
  state: (_, { ws }) => ({ folder: joinPath(parentOf(ws), "s"), [Symbol.dispose]: () => undefined }),
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

/** The one of a platform. */
export function arenaOf({ platform }: Pick<Host, "platform">): Arena {
  return { linux, darwin }[platform];
}

async function serversAt(abstract: string, paths: readonly string[]): Promise<Servers> {
  const start = async (options: ListenOptions) => {
    const server = createServer((socket) => socket.on("error", () => undefined).end()).listen(options);
    await once(server, "listening");
    return server;
  };
  const tcp = await start({ host: "127.0.0.1", port: 0 });
  const others: Server[] = [];
  for (const path of paths) others.push(await start({ path }));
  const address = tcp.address();
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    abstract,
    [Symbol.asyncDispose]: async () => {
      for (const server of [tcp, ...others]) server.close();
    },
  };
}

function wordsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
