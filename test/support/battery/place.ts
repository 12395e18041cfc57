import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Host } from "../../../src/host/look/host.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import { createSupervisor, type Supervisor } from "../../../src/index.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { type Job, Reply } from "./job.ts";
import { checkoutFor, compileCacheFor, type Person, runFile } from "./people.ts";
import { serve } from "./serving.ts";
import { putTried } from "./tried-machine.ts";

/** What a test's config says beyond the one root: merged into `sandbox:`, `shell:` and `approval:`. */
export interface Settings {
  readonly sandbox?: Readonly<Record<string, unknown>>;
  readonly shell?: Readonly<Record<string, unknown>>;
  readonly approval?: Readonly<Record<string, unknown>>;
  readonly web_fetch?: Readonly<Record<string, unknown>>;
}

/** How a supervisor is started as a process of its own. */
export interface Start {
  readonly job: Partial<Job> & Pick<Job, "calls">;
  readonly settings?: Settings;
  readonly env?: Readonly<Record<string, string>>;
  /** A program and its words to start it with, such as `unshare -Ur`. */
  readonly under?: readonly string[];
  /** Who starts it, where that is not the person: then `under` has to change the user. */
  readonly startedBy?: Person;
  /** Descriptors that it inherits, by number. */
  readonly inherits?: ReadonlyMap<number, number>;
}

/**
 * A folder of its own for one test: `ws` is the one writable root, `outside` is granted to nobody, `state` is
 * XDG_STATE_HOME. Everything belongs to the person; nothing of it is left after disposal.
 */
export class Place implements Disposable {
  readonly person: Person;
  readonly top: string;
  readonly ws: string;
  readonly outside: string;
  readonly state: string;
  readonly #configs: string[] = [];

  /** The state folder has the result of an earlier self-check, unless `isFirst`. */
  constructor(person: Person, { isFirst = false }: { readonly isFirst?: boolean } = {}) {
    this.person = person;
    this.top = mkdtempSync(join(tmpdir(), "cofferdam-battery-"));
    chmodSync(this.top, 0o755);
    this.ws = this.folder("ws");
    this.outside = this.folder("outside");
    this.state = this.folder("state", 0o700);
    if (!isFirst) putTried(this.state, person);
  }

  /** Makes a folder that belongs to the person. */
  folder(name: string, mode = 0o755): string {
    const path = join(this.top, name);
    mkdirSync(path, { recursive: true, mode });
    return this.#give(path);
  }

  /** Writes a file that belongs to the person; it is there whole or not at all, for whoever reads it meanwhile. */
  file(name: string, text: string | Buffer, mode = 0o644): string {
    const path = join(this.top, name);
    const fresh = join(this.top, `.${randomUUID()}`);
    writeFileSync(fresh, text, { mode });
    chmodSync(fresh, mode);
    renameSync(this.#give(fresh), path);
    return path;
  }

  /** Writes the config of a test; JSON is YAML. The search may take long, so that a busy machine turns no other test red. */
  config({ sandbox = {}, ...others }: Settings = {}): string {
    const paths = { ws: { root: this.ws, mode: "rw", write_approval: false } };
    const config = {
      version: 1,
      sandbox: { paths, runtimes: ["system"], search: { time: "1m" }, ...sandbox },
      ...others,
    };
    const text = JSON.stringify(config);
    // A supervisor that runs follows its file: another config is another file.
    const known = this.#configs.indexOf(text);
    const index = known === -1 ? this.#configs.push(text) - 1 : known;
    return this.file(index === 0 ? "config.yaml" : `config-${index + 1}.yaml`, text);
  }

  /** This process as the host, with nothing of the caller's home in it. */
  host(overrides: Partial<Host> = {}): Host {
    const env = { ...process.env, XDG_STATE_HOME: this.state };
    return thisHost({
      env,
      stateFolder: knownPath(join(this.state, "cofferdam")),
      operatorFolders: [],
      ...overrides,
    });
  }

  /** A supervisor in this process. */
  supervisor(settings: Settings = {}, overrides: Partial<Host> = {}): Promise<Supervisor> {
    return createSupervisor({
      config: this.config(settings),
      cwd: knownPath(this.ws),
      host: this.host(overrides),
    });
  }

  /** Starts a supervisor as a process of the person's; it makes its calls one after another and prints a line for each. */
  start(
    { job, settings = {}, env = {}, under = [], startedBy = this.person, inherits = new Map() }: Start,
    name = "job.json",
  ) {
    const checkout = checkoutFor(this.person);
    const file = this.file(name, JSON.stringify(this.#whole(job, settings)));
    const [program = checkout.node, ...words] = [...under, ...runFile(checkout, "driver.ts"), file];
    const stdio: ("ignore" | "pipe" | number)[] = ["ignore", "pipe", "pipe"];
    for (const [fd, source] of inherits) stdio[fd] = source;
    return spawn(program, words, {
      ...startedBy.runAs,
      cwd: this.ws,
      env: this.#environment(env),
      stdio: Array.from(stdio, (kind) => kind ?? "ignore"),
    });
  }

  /** Starts a supervisor, waits for its end, and returns what it printed: how it was made, then each call. */
  async run(start: Start, name?: string): Promise<readonly Reply[]> {
    const child = this.start(start, name);
    let [out, err] = ["", ""];
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
    const status = await new Promise((resolve) => child.once("close", resolve));
    if (status !== 0) throw new Error(`the supervisor's process ended with ${String(status)}: ${err || out}`);
    return out
      .trim()
      .split("\n")
      .map((line) => Reply.parse(JSON.parse(line)));
  }

  /**
   * As `run`, in a process that makes one supervisor after another for this file of tests: most of what a process of its own
   * does is to start. For tests of what a sandbox refuses, not of how processes begin and end.
   */
  runServed({
    job,
    settings = {},
    env = {},
  }: Pick<Start, "job" | "settings" | "env">): Promise<readonly Reply[]> {
    if (job.isLeft === true || job.calls.some(({ stdin }) => stdin === "inherit"))
      throw new Error("this needs a process of its own");
    return serve(this.person, { job: this.#whole(job, settings), env: this.#environment(env) });
  }

  /** Runs a line of shell as the person, without a sandbox. */
  plainly(line: string, env: Readonly<Record<string, string>> = {}) {
    const options = { ...this.person.runAs, cwd: this.ws, encoding: "utf8", timeout: 120_000 } as const;
    return spawnSync("/bin/sh", ["-c", line], {
      ...options,
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", ...env },
    });
  }

  /** Gives the person all that lies in the writable root. */
  ownAll(): void {
    if (this.person.runAs.uid !== undefined)
      spawnSync("/bin/chown", ["-R", `${this.person.uid}:${this.person.gid}`, this.ws]);
  }

  /** Removes what stands below the place. */
  remove(name: string): void {
    rmSync(join(this.top, name), { recursive: true, force: true });
  }

  /** The text of a file below the place. */
  read(name: string): string {
    return readFileSync(join(this.top, name), "utf8");
  }

  [Symbol.dispose](): void {
    rmSync(this.top, { recursive: true, force: true });
  }

  #whole(job: Start["job"], settings: Settings): Job {
    const usual = { cwd: this.ws, profiles: [], helperFolders: null, home: null };
    return { config: this.config(settings), ...usual, ...job };
  }

  #environment(env: Readonly<Record<string, string>>): Record<string, string> {
    return {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      XDG_STATE_HOME: this.state,
      NODE_COMPILE_CACHE: compileCacheFor(this.person),
      ...env,
    };
  }

  #give(path: string): string {
    if (this.person.runAs.uid !== undefined) chownSync(path, this.person.uid, this.person.gid);
    return path;
  }
}
