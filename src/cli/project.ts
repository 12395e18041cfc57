import { existsSync } from "node:fs";
import { shippedFolder } from "../config/shipped.ts";
import type { Host } from "../host/host.ts";
import { readPlainText } from "../host/plain-file.ts";
import { detectRuntimes } from "../host/runtimes.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";

/** A kind of project, by the files that lie in its folder. */
interface Kind {
  readonly runtime: "node" | "python" | "rust" | "go" | "git";
  readonly files: readonly string[];
  /** Commands that read, build or test, and ask nobody. */
  readonly commands: (folder: AbsolutePath) => readonly string[];
}

/** What `init` finds out about a folder. */
export interface Project {
  /** Languages and tools of the project that this machine has. */
  readonly runtimes: readonly string[];
  /** Those that the project has, and this machine not in a place that can be granted. */
  readonly missing: readonly string[];
  readonly commands: readonly string[];
  readonly isGit: boolean;
  /** Where an editor finds the schema: in the project's own packages, else in this one. */
  readonly schema: string;
}

/** A `package.json` longer than this is not looked into. */
const MOST_BYTES = 1024 * 1024;

const KINDS: readonly Kind[] = [
  { runtime: "git", files: [".git"], commands: () => ["git status", "git diff", "git log", "git show"] },
  { runtime: "node", files: ["package.json"], commands: nodeCommands },
  {
    runtime: "python",
    files: ["pyproject.toml", "setup.py", "requirements.txt", "Pipfile", "uv.lock"],
    commands: () => ["pytest", "python -m pytest", "python3 -m pytest"],
  },
  {
    runtime: "rust",
    files: ["Cargo.toml"],
    commands: () => ["cargo check", "cargo build", "cargo test", "cargo clippy"],
  },
  { runtime: "go", files: ["go.mod"], commands: () => ["go build", "go vet", "go test"] },
];

/** Looks at the files of a folder, which will be a root, and at what this machine has for them. Nothing is run. */
export function lookAtProject(host: Host, folder: AbsolutePath): Project {
  const kinds = KINDS.filter((kind) => kind.files.some((file) => existsSync(joinPath(folder, file))));
  const here = detectRuntimes(host, [folder]);
  const own = joinPath(folder, "node_modules/cofferdam/profiles/config.schema.json");
  return {
    runtimes: kinds.map((kind) => kind.runtime).filter((name) => here.includes(name)),
    missing: kinds.map((kind) => kind.runtime).filter((name) => !here.includes(name)),
    commands: kinds.flatMap((kind) => kind.commands(folder)),
    isGit: kinds.some((kind) => kind.runtime === "git"),
    schema: existsSync(own)
      ? "node_modules/cofferdam/profiles/config.schema.json"
      : `${shippedFolder()}/config.schema.json`,
  };
}

/** The scripts by which a project is tested and looked over, run by the package manager that its lock file is of. */
function nodeCommands(folder: AbsolutePath): readonly string[] {
  const has = (file: string): boolean => existsSync(joinPath(folder, file));
  const manager = has("pnpm-lock.yaml") ? "pnpm" : has("yarn.lock") ? "yarn" : "npm";
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
