import { existsSync } from "node:fs";
import { shippedFolder } from "../config/shipped.ts";
import type { Host } from "../host/look/host.ts";
import { readPlainText } from "../host/look/plain-file.ts";
import { shows } from "../host/look/runtimes/grant.ts";
import { foldersOfTool, foldersOfVenv } from "../host/look/runtimes/project-tools.ts";
import { yamlText } from "../host/look/runtimes/written.ts";
import { detectRuntimes, findRuntimes } from "../host/look/runtimes.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import { hasRepositoryBelow } from "./nested-repositories.ts";

interface Kind {
  /** A named runtime; null for a kind that only has `tools`. */
  readonly runtime: "node" | "python" | "rust" | "go" | "git" | "java" | "haskell" | null;
  readonly files: readonly string[];
  /** Programs that are not always part of the runtime. If they are elsewhere, their folders are listed. */
  readonly tools?: (folder: AbsolutePath) => readonly string[];
  /** Commands that read, build or test, and run without approval. */
  readonly commands: (folder: AbsolutePath) => readonly string[];
}

/** The facts that `init` finds out about a folder. */
export interface Project {
  /** The items of `sandbox.runtimes` besides `system`: names, and tools with their folders, as YAML. */
  readonly runtimes: readonly string[];
  /** Runtimes of the project that this machine does not have in a place that can be granted. */
  readonly missing: readonly string[];
  readonly commands: readonly string[];
  /** True if it is a repository or contains some. */
  readonly isGit: boolean;
  /** The path of the schema for editors: in the project's own packages, else in this one. */
  readonly schema: string;
}

/** Maximum size of a `package.json`, in bytes. */
const MAX_BYTES = 1024 * 1024;

const VENVS = [".venv", "venv", "env", ".env"];

const KINDS: readonly Kind[] = [
  { runtime: "git", files: [".git"], commands: () => ["git status", "git diff", "git log", "git show"] },
  {
    runtime: "node",
    files: ["package.json", "pnpm-workspace.yaml"],
    tools: (folder) => [managerOf(folder)].filter((manager) => manager !== "npm"),
    commands: nodeCommands,
  },
  {
    runtime: "python",
    files: [
      ...["pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "requirements.txt", "Pipfile", "uv.lock"],
      ...VENVS.map((name) => `${name}/pyvenv.cfg`),
    ],
    commands: () => ["pytest", "python -m pytest", "python3 -m pytest"],
  },
  {
    runtime: "rust",
    files: ["Cargo.toml"],
    commands: () => ["cargo check", "cargo build", "cargo test", "cargo clippy"],
  },
  { runtime: "go", files: ["go.mod"], commands: () => ["go build", "go vet", "go test"] },
  {
    runtime: "java",
    files: ["pom.xml", "mvnw"],
    tools: (folder) => (existsSync(joinPath(folder, "mvnw")) ? [] : ["mvn"]),
    commands: (folder) => built(folder, "mvn", "mvnw", ["compile", "test", "verify"]),
  },
  {
    runtime: "java",
    files: ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradlew"],
    tools: (folder) => (existsSync(joinPath(folder, "gradlew")) ? [] : ["gradle"]),
    commands: (folder) => built(folder, "gradle", "gradlew", ["build", "test", "check"]),
  },
  {
    runtime: "haskell",
    files: ["cabal.project", "cabal.project.freeze"],
    tools: () => ["cabal"],
    commands: () => ["cabal build", "cabal test"],
  },
  {
    runtime: "haskell",
    files: ["stack.yaml"],
    tools: () => ["stack"],
    commands: () => ["stack build", "stack test"],
  },
  {
    runtime: null,
    files: ["deno.json", "deno.jsonc", "deno.lock"],
    tools: () => ["deno"],
    commands: () => ["deno check", "deno lint", "deno test"],
  },
  {
    runtime: null,
    files: ["bun.lock", "bun.lockb", "bunfig.toml"],
    tools: () => ["bun"],
    commands: () => ["bun test"],
  },
  {
    runtime: null,
    files: ["Gemfile"],
    tools: () => ["ruby"],
    commands: () => ["bundle exec rake test", "bundle exec rspec"],
  },
  {
    runtime: null,
    files: ["composer.json"],
    tools: () => ["php"],
    commands: () => ["composer test"],
  },
];

/** Checks the files of a folder that will be a root, and the programs of this machine for them. Nothing is run. */
export function lookAtProject(host: Host, folder: AbsolutePath): Project {
  const isOf = ({ runtime, files }: Kind): boolean =>
    files.some((file) => existsSync(joinPath(folder, file))) ||
    (runtime === "git" && hasRepositoryBelow(folder));
  const kinds = KINDS.filter(isOf);
  const { items, missing } = runtimesOf(host, folder, kinds);
  const own = joinPath(folder, "node_modules/cofferdam/profiles/config.schema.json");
  return {
    runtimes: items,
    missing,
    commands: [...new Set(kinds.flatMap((kind) => kind.commands(folder)))],
    isGit: kinds.some((kind) => kind.runtime === "git"),
    schema: existsSync(own)
      ? "node_modules/cofferdam/profiles/config.schema.json"
      : `${shippedFolder()}/config.schema.json`,
  };
}

/** The items of `runtimes` for these kinds, and the names that are not available in a place that can be granted. */
function runtimesOf(host: Host, folder: AbsolutePath, kinds: readonly Kind[]) {
  const here = detectRuntimes(host, [folder]);
  const named = [...new Set(kinds.flatMap(({ runtime }) => runtime ?? []))];
  // A runtime of this name is not known on every machine: its program is then a tool like others.
  const asTool = named.filter((name) => !here.includes(name) && name === "java");
  const tools = [...new Set([...asTool, ...kinds.flatMap((kind) => kind.tools?.(folder) ?? [])])];
  const found = named.filter((name) => here.includes(name));
  const listed = [
    ...tools.map((name) => ({ name, read: foldersOfTool(host, name, [folder]) })),
    ...venvsOf(folder).map((bin) => ({ name: "python", read: foldersOfVenv(host, bin, [folder]) })),
  ];
  const shown = findRuntimes(host, ["system", ...found], [folder]);
  const rest = listed.flatMap(({ name, read }) => {
    const more = (read ?? []).filter((one) => !shown.some((runtime) => shows(runtime, one)));
    return more.length === 0 ? [] : [{ name, read: more }];
  });
  const items = rest.map(({ name, read }) => `{ name: ${name}, read: [${read.map(yamlText).join(", ")}] }`);
  const absent = [...named.filter((name) => !found.includes(name) && !asTool.includes(name))];
  return {
    items: [...found.filter((name) => !rest.some((one) => one.name === name)), ...items],
    missing: [...absent, ...listed.flatMap(({ name, read }) => (read === null ? [name] : []))],
  };
}

function venvsOf(folder: AbsolutePath): readonly AbsolutePath[] {
  return VENVS.filter((name) => existsSync(joinPath(folder, `${name}/pyvenv.cfg`))).map((name) =>
    joinPath(folder, `${name}/bin`),
  );
}

/** Commands of a build tool. Its wrapper in the project always needs approval, since tools can write it. */
function built(
  folder: AbsolutePath,
  tool: string,
  wrapper: string,
  tasks: readonly string[],
): readonly string[] {
  return existsSync(joinPath(folder, wrapper)) ? [] : tasks.map((task) => `${tool} ${task}`);
}

function managerOf(folder: AbsolutePath): string {
  const has = (file: string): boolean => existsSync(joinPath(folder, file));
  if (has("pnpm-lock.yaml") || has("pnpm-workspace.yaml")) return "pnpm";
  if (has("yarn.lock")) return "yarn";
  return has("bun.lock") || has("bun.lockb") ? "bun" : "npm";
}

function nodeCommands(folder: AbsolutePath): readonly string[] {
  const manager = managerOf(folder);
  const scripts = scriptsOf(folder);
  const known = ["test", "lint", "typecheck", "build"].filter((name) => scripts.includes(name));
  return known.map((name) => (name === "test" ? `${manager} test` : `${manager} run ${name}`));
}

function scriptsOf(folder: AbsolutePath): readonly string[] {
  try {
    const data: unknown = JSON.parse(readPlainText(joinPath(folder, "package.json"), MAX_BYTES) ?? "null");
    const scripts = typeof data === "object" && data !== null && "scripts" in data ? data.scripts : null;
    return typeof scripts === "object" && scripts !== null ? Object.keys(scripts) : [];
  } catch {
    // A broken or unreadable file gives no suggestions.
    return [];
  }
}
