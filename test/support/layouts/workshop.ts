import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

const CHECKOUT = join(import.meta.dirname, "../../..");

/** The package managers that people install with, as npm has them; exact, as what they do differs from version to version. */
const MANAGERS = { pnpm: "12.21.0", "@yarnpkg/cli-dist": "4.18.1", bun: "1.4.5" };

/** What is built, packed and run of a checkout. */
const BUILT_FROM = ["src", "scripts", "profiles", "package.json", "README.md", "LICENSE"].concat([
  "rolldown.config.ts",
  "tsconfig.json",
  "tsconfig.build.json",
]);

/** What a process that was run said, and how it ended. */
export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a process is run. */
export interface Running {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly gid?: number;
}

/** Where packages are made and installed for one file of tests: an archive of this one, package managers, and their caches. */
export class Workshop implements Disposable {
  readonly top: string;
  readonly node: string;

  constructor(node: string) {
    this.top = mkdtempSync(join(tmpdir(), "cofferdam-layouts-"));
    this.node = node;
    chmodSync(this.top, 0o755);
    for (const name of ["caches", "tools", "sites"]) mkdirSync(join(this.top, name));
  }

  /** Builds and packs a copy of this checkout, and brings the package managers. */
  async open(): Promise<void> {
    const copy = join(this.top, "checkout");
    mkdirSync(copy);
    for (const name of BUILT_FROM) cpSync(join(CHECKOUT, name), join(copy, name), { recursive: true });
    symlinkSync(join(CHECKOUT, "node_modules"), join(copy, "node_modules"));
    await this.run(["npm", "run", "--silent", "build"], copy);
    await this.run(["npm", "pack", "--silent", "--pack-destination", this.top], copy);
    writeFileSync(join(this.top, "tools/package.json"), '{"private":true}');
    const managers = Object.entries(MANAGERS).map(([name, version]) => `${name}@${version}`);
    try {
      await this.run(["npm", "install", ...managers], join(this.top, "tools"));
    } catch (cause) {
      throw new Error("package managers could not be installed: these tests need npm's registry", { cause });
    }
  }

  /** The package, as `npm pack` makes it. */
  get archive(): string {
    const name = readdirSync(this.top).find((one) => one.endsWith(".tgz"));
    return join(this.top, name ?? "");
  }

  /** The words that start a package manager. */
  manager(name: "npm" | "npx" | "pnpm" | "yarn" | "bun"): readonly string[] {
    const packages = join(this.top, "tools/node_modules");
    switch (name) {
      case "npm":
      case "npx":
        return [name];
      case "pnpm":
        return [this.node, join(packages, "pnpm/bin/pnpm.mjs")];
      case "yarn":
        return [this.node, join(packages, "@yarnpkg/cli-dist/bin/yarn.js")];
      case "bun":
        return [join(packages, `@oven/bun-linux-${process.arch === "x64" ? "x64" : "aarch64"}/bin/bun`)];
    }
  }

  /** Runs a package manager in a folder; what it keeps lies in caches of this workshop's, or in those that are given. */
  async run(
    words: readonly string[],
    cwd: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const ran = await run(words, { cwd, env: { ...this.environment(), ...env } });
    if (ran.status !== 0) throw new Error(`${words.join(" ")}: ${ran.stderr}${ran.stdout}`);
    return ran.stdout;
  }

  /** The settings of package managers: the caller's own registry, caches of this workshop's, nothing told to anybody. */
  environment(): Record<string, string> {
    const caches = join(this.top, "caches");
    const registry = registryOfThisMachine();
    const given = Object.entries(process.env).filter(
      ([name]) => !/^npm_(lifecycle|package|command|execpath)/.test(name),
    );
    return {
      ...Object.fromEntries(given.map(([name, value]) => [name, value ?? ""])),
      PATH: [dirname(this.node), process.env["PATH"]].join(delimiter),
      npm_config_cache: join(caches, "npm"),
      npm_config_registry: registry,
      npm_config_ignore_scripts: "true",
      npm_config_audit: "false",
      npm_config_fund: "false",
      npm_config_update_notifier: "false",
      npm_config_prefer_offline: "true",
      XDG_DATA_HOME: join(caches, "data"),
      XDG_CACHE_HOME: join(caches, "cache"),
      XDG_STATE_HOME: join(caches, "state"),
      YARN_GLOBAL_FOLDER: join(caches, "yarn"),
      YARN_NPM_REGISTRY_SERVER: registry.replace(/\/$/, ""),
      YARN_ENABLE_TELEMETRY: "0",
      YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
      BUN_INSTALL_CACHE_DIR: join(caches, "bun"),
      CI: "true",
    };
  }

  /** What npm keeps of what it once downloaded. */
  get downloads(): string {
    return join(this.top, "caches/npm/_cacache");
  }

  [Symbol.dispose](): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}

let registry: string | null = null;

function registryOfThisMachine(): string {
  registry ??= spawnSync("npm", ["config", "get", "registry"], { encoding: "utf8", cwd: "/" }).stdout.trim();
  return registry;
}

/** Runs a program to its end, without input. */
export async function run(words: readonly string[], { cwd, env, uid, gid }: Running): Promise<Ran> {
  const [program = "", ...rest] = words;
  const who = uid === undefined || gid === undefined ? {} : { uid, gid };
  const child = spawn(program, rest, { cwd, env, ...who, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { status, stdout, stderr };
}
