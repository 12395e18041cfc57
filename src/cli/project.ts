import { existsSync } from "node:fs";
import { shippedFolder } from "../config/shipped.ts";
import type { Host } from "../host/look/host.ts";
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
  /** Commands that publish something, so that a person is asked. */
  readonly publishes: readonly string[];
}

/** The facts that `init` finds out about a folder. */
export interface Project {
  /** The items of `sandbox.runtimes` besides `system`: names, and tools with their folders, as YAML. */
  readonly runtimes: readonly string[];
  /** Runtimes of the project that this machine does not have in a place that can be granted. */
  readonly missing: readonly string[];
  /** Commands that publish something. */
  readonly publishes: readonly string[];
  /** The path of the schema for editors: in the project's own packages, else in this one. */
  readonly schema: string;
}

const VENVS = [".venv", "venv", "env", ".env"];

const KINDS: readonly Kind[] = [
  { runtime: "git", files: [".git"], publishes: [] },
  {
    runtime: "node",
    files: ["package.json", "pnpm-workspace.yaml"],
    tools: (folder) => [managerOf(folder)].filter((manager) => manager !== "npm"),
    publishes: ["npm publish", "pnpm publish", "yarn publish", "yarn npm publish"],
  },
  {
    runtime: "python",
    files: [
      ...["pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "requirements.txt", "Pipfile", "uv.lock"],
      ...VENVS.map((name) => `${name}/pyvenv.cfg`),
    ],
    publishes: ["twine upload", "uv publish", "poetry publish"],
  },
  {
    runtime: "rust",
    files: ["Cargo.toml"],
    publishes: ["cargo publish"],
  },
  { runtime: "go", files: ["go.mod"], publishes: [] },
  {
    runtime: "java",
    files: ["pom.xml", "mvnw"],
    tools: (folder) => (existsSync(joinPath(folder, "mvnw")) ? [] : ["mvn"]),
    publishes: ["mvn deploy"],
  },
  {
    runtime: "java",
    files: ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradlew"],
    tools: (folder) => (existsSync(joinPath(folder, "gradlew")) ? [] : ["gradle"]),
    publishes: ["gradle publish"],
  },
  {
    runtime: "haskell",
    files: ["cabal.project", "cabal.project.freeze"],
    tools: () => ["cabal"],
    publishes: ["cabal upload"],
  },
  {
    runtime: "haskell",
    files: ["stack.yaml"],
    tools: () => ["stack"],
    publishes: ["stack upload"],
  },
  {
    runtime: null,
    files: ["deno.json", "deno.jsonc", "deno.lock"],
    tools: () => ["deno"],
    publishes: ["deno publish"],
  },
  {
    runtime: null,
    files: ["bun.lock", "bun.lockb", "bunfig.toml"],
    tools: () => ["bun"],
    publishes: ["bun publish"],
  },
  {
    runtime: null,
    files: ["Gemfile"],
    tools: () => ["ruby"],
    publishes: ["gem push"],
  },
  {
    runtime: null,
    files: ["composer.json"],
    tools: () => ["php"],
    publishes: [],
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
    publishes: [...new Set(kinds.flatMap((kind) => kind.publishes))],
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

function managerOf(folder: AbsolutePath): string {
  const has = (file: string): boolean => existsSync(joinPath(folder, file));
  if (has("pnpm-lock.yaml") || has("pnpm-workspace.yaml")) return "pnpm";
  if (has("yarn.lock")) return "yarn";
  return has("bun.lock") || has("bun.lockb") ? "bun" : "npm";
}
