import { existsSync } from "node:fs";
import { shippedFolder } from "../config/shipped.ts";
import type { Host } from "../host/host.ts";
import { readPlainText } from "../host/plain-file.ts";
import { shows } from "../host/runtimes/grant.ts";
import { foldersOfTool, foldersOfVenv } from "../host/runtimes/project-tools.ts";
import { yamlText } from "../host/runtimes/written.ts";
import { detectRuntimes, findRuntimes } from "../host/runtimes.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import { hasRepositoryBelow } from "./nested-repositories.ts";

/** A kind of project, by the files that lie in its folder. */
interface Kind {
  /** A runtime that has a name of its own; null for a kind that is all in its `tools`. */
  readonly runtime: "node" | "python" | "rust" | "go" | "git" | "java" | "haskell" | null;
  readonly files: readonly string[];
  /** Programs that are no part of the runtime everywhere: where they lie elsewhere, their folders are listed. */
  readonly tools?: (folder: AbsolutePath) => readonly string[];
  /** Commands that read, build or test, and ask nobody. */
  readonly commands: (folder: AbsolutePath) => readonly string[];
}

/** What `init` finds out about a folder. */
export interface Project {
  /** What `sandbox.runtimes` lists for the project besides `system`: names, and tools with their folders, as YAML. */
  readonly runtimes: readonly string[];
  /** Those that the project has, and this machine not in a place that can be granted. */
  readonly missing: readonly string[];
  readonly commands: readonly string[];
  /** It is a repository, or holds some. */
  readonly isGit: boolean;
  /** Where an editor finds the schema: in the project's own packages, else in this one. */
  readonly schema: string;
}

/** A `package.json` longer than this is not looked into. */
const MOST_BYTES = 1024 * 1024;

/** Folders of Python environments, by the names that people and tools give them. */
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

/** Looks at the files of a folder, which will be a root, and at what this machine has for them. Nothing is run. */
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

/** The items of `runtimes` for these kinds, and the names of what this machine does not have where it can be granted. */
function runtimesOf(host: Host, folder: AbsolutePath, kinds: readonly Kind[]) {
  const here = detectRuntimes(host, [folder]);
  const named = [...new Set(kinds.flatMap(({ runtime }) => runtime ?? []))];
  // A runtime of this name may not be known to every machine: its program is then a tool like others.
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

/** The folders of programs of the Python environments in a folder. */
function venvsOf(folder: AbsolutePath): readonly AbsolutePath[] {
  return VENVS.filter((name) => existsSync(joinPath(folder, `${name}/pyvenv.cfg`))).map((name) =>
    joinPath(folder, `${name}/bin`),
  );
}

/** Commands of a build tool; none of its wrapper in the project, which no rule lets run unasked: tools can write it. */
function built(
  folder: AbsolutePath,
  tool: string,
  wrapper: string,
  tasks: readonly string[],
): readonly string[] {
  return existsSync(joinPath(folder, wrapper)) ? [] : tasks.map((task) => `${tool} ${task}`);
}

/** The package manager that a project's files are of. */
function managerOf(folder: AbsolutePath): string {
  const has = (file: string): boolean => existsSync(joinPath(folder, file));
  if (has("pnpm-lock.yaml") || has("pnpm-workspace.yaml")) return "pnpm";
  if (has("yarn.lock")) return "yarn";
  return has("bun.lock") || has("bun.lockb") ? "bun" : "npm";
}

/** The scripts by which a project is tested and looked over, run by the package manager that its lock file is of. */
function nodeCommands(folder: AbsolutePath): readonly string[] {
  const manager = managerOf(folder);
  const scripts = scriptsOf(folder);
  const known = ["test", "lint", "typecheck", "build"].filter((name) => scripts.includes(name));
  return known.map((name) => (name === "test" ? `${manager} test` : `${manager} run ${name}`));
}

function scriptsOf(folder: AbsolutePath): readonly string[] {
  try {
    const data: unknown = JSON.parse(readPlainText(joinPath(folder, "package.json"), MOST_BYTES) ?? "null");
    const scripts = typeof data === "object" && data !== null && "scripts" in data ? data.scripts : null;
    return typeof scripts === "object" && scripts !== null ? Object.keys(scripts) : [];
  } catch {
    // Broken or unreadable: then there is nothing to suggest.
    return [];
  }
}
