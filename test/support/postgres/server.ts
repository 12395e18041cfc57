import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  existsSync,
  globSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { freePort } from "../web/free-port.ts";

/** The folder of the system's newest server: of Debian's packages, else of what PATH leads to. */
export const BIN = binFolder();

/** How a server is set up; the rest is as it is out of the box. */
export interface ServerOptions {
  /** Where its folder is made. Others than its owner must be able to pass through. */
  readonly folder: string;
  /** Off, it is faster, and loses nothing but with the machine. Default on. */
  readonly fsync?: boolean;
  /** Further lines of `postgresql.conf`. */
  readonly lines?: readonly string[];
}

/** Who `initdb` and the server are: they refuse root, and want an account. */
interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

const STARTS_WITHIN_MS = 20_000;

/**
 * A PostgreSQL of its own: a fresh cluster in a temporary folder, on a free port of 127.0.0.1 and a socket in that folder.
 * The superuser is `cofferdam`, whom every way in trusts. It ends with this process, however that ends.
 */
export class PostgresServer implements AsyncDisposable {
  readonly port: number;
  readonly #folder: string;
  readonly #account: Account;
  #child: ChildProcess | null = null;

  private constructor(port: number, folder: string, account: Account) {
    this.port = port;
    this.#folder = folder;
    this.#account = account;
  }

  static async start({ folder: above, fsync = true, lines = [] }: ServerOptions): Promise<PostgresServer> {
    const account = accountFor(process.getuid?.() ?? 0);
    const folder = mkdtempSync(join(above, "pg-"));
    if (account.uid !== undefined) chownSync(folder, account.uid, account.gid ?? account.uid);
    const server = new PostgresServer(await freePort(), folder, account);
    server.#run("initdb", [
      "-D",
      server.#data,
      "-U",
      "cofferdam",
      "--no-sync",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C",
    ]);
    const conf = [
      `port = ${server.port}`,
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${folder}'`,
      `fsync = ${fsync ? "on" : "off"}`,
      "max_connections = 100",
      "shared_buffers = 32MB",
      ...lines,
    ];
    writeFileSync(join(server.#data, "postgresql.conf"), `${conf.join("\n")}\n`);
    await server.#start();
    return server;
  }

  /** The folder of its socket. */
  get socket(): string {
    return this.#folder;
  }

  /** What it said so far. */
  get log(): string {
    return readFileSync(join(this.#folder, "log"), "utf8");
  }

  /** The URL of its database `postgres`, by TCP, as whoever is given. */
  url(user = "cofferdam"): string {
    return `postgres://${user}@127.0.0.1:${this.port}/postgres`;
  }

  /** A connection of a test's own. */
  async connected(): Promise<Client & AsyncDisposable> {
    const client = new Client(this.url());
    await client.connect();
    return Object.assign(client, { [Symbol.asyncDispose]: async () => client.end() });
  }

  /** What a query gives, by a connection of its own. */
  async query(text: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    await using client = await this.connected();
    return (await client.query(text, [...values])).rows;
  }

  /** Writes a file of the cluster anew, as `pg_hba.conf`, and has the server read it. */
  async configure(file: string, text: string): Promise<void> {
    const path = join(this.#data, file);
    writeFileSync(path, text, { mode: 0o600 });
    if (this.#account.uid !== undefined) chownSync(path, this.#account.uid, this.#account.gid ?? -1);
    await this.query("select pg_reload_conf()");
  }

  /** Stops it as an administrator does, and starts it again. */
  async restart(): Promise<void> {
    await this.#stop("SIGINT");
    await this.#start();
  }

  /** Kills the server, as the kernel does that has no memory left, and starts it again. */
  async kill(): Promise<void> {
    await this.#stop("SIGKILL");
    await this.#start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop("SIGQUIT");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  /** Until it takes connections. What a killed one left behind may be in the way for a moment: then it is tried again. */
  async #start(): Promise<void> {
    const until = performance.now() + STARTS_WITHIN_MS;
    while (!(await this.#startOnce(until))) {
      if (performance.now() > until) throw new Error(`no PostgreSQL starts: ${this.log.slice(-2_000)}`);
      await pause(20);
    }
  }

  async #startOnce(until: number): Promise<boolean> {
    // When this process is gone, so is the other end of its stdin: whoever reads it there ends the server.
    const line = 'exec 3<&0; (cat <&3 >/dev/null; kill -QUIT $$ 2>/dev/null) & exec "$@" 3<&- </dev/null';
    const log = openSync(join(this.#folder, "log"), "a");
    const words = ["-c", line, "sh", join(bin(), "postgres"), "-D", this.#data];
    const child = spawn("/bin/sh", words, { ...this.#account, cwd: "/", stdio: ["pipe", log, log] });
    closeSync(log);
    this.#child = child;
    while (child.exitCode === null && child.signalCode === null && performance.now() < until) {
      if (isReady(join(this.#data, "postmaster.pid"), child.pid)) return true;
      await pause(5);
    }
    await this.#stop("SIGQUIT");
    return false;
  }

  async #stop(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null) return;
    const hasEnded = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await hasEnded;
    }
    child.stdin?.destroy();
  }

  #run(program: string, words: readonly string[]): void {
    const { status, stderr } = spawnSync(join(bin(), program), words, {
      ...this.#account,
      cwd: "/",
      env: {},
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
  }
}

/** Its eighth line says how far the server of the first is (src/include/utils/pidfile.h of PostgreSQL). */
function isReady(file: string, pid: number | undefined): boolean {
  if (!existsSync(file)) return false;
  const lines = readFileSync(file, "utf8").split("\n");
  return lines[0] === String(pid) && lines[7]?.trim() === "ready";
}

function accountFor(uid: number): Account {
  if (uid !== 0) return {};
  const accounts = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , ...ids] = accounts.find((one) => one.startsWith(`${name}:`))?.split(":") ?? [];
    const [uid, gid] = ids.map(Number);
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error("neither `postgres` nor `nobody` has an account");
}

function bin(): string {
  if (BIN === null) throw new Error("there is no PostgreSQL");
  return BIN;
}

function binFolder(): string | null {
  const versions = globSync("/usr/lib/postgresql/*/bin").toSorted((a, b) => versionOf(b) - versionOf(a));
  const folders = [...versions, ...(process.env["PATH"] ?? "").split(":")];
  const isBin = (folder: string) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name)));
  return folders.find(isBin) ?? null;
}

function versionOf(folder: string): number {
  return Number(/\d+/.exec(folder)?.[0] ?? 0);
}
