import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { command, DOCS, docs, NOTE, ownTool, PROJECT, tool, UNASKED } from "../calls.ts";
import { quoted, type Row, type Situation } from "../row.ts";
import { worktree } from "../worktree.ts";

type At = Parameters<Situation>[0];

const first =
  (act: (at: At) => unknown, then: Situation): Situation =>
  async (at, told) => {
    await act(at);
    return then(at, told);
  };

const files = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${PROJECT}/f${at}`, ""]));

const search = (more: string): string => `, search: { ${more} }`;
const git =
  (...words: readonly string[]) =>
  (at: At): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@a.test", ...words], {
      cwd: at.project,
      stdio: "ignore",
    });
/** A hook of the project starts a program that is installed elsewhere. */
const hook = (at: At): void => {
  at.write({ [`${PROJECT}/.git/hooks/pre-commit`]: "#!/bin/sh\nown-tool\n" });
  chmodSync(at.at(`${PROJECT}/.git/hooks/pre-commit`), 0o755);
};

const rule = (text: string): string => `shell: { rules: [${text}] }`;
const NO_ROOT =
  "no config can make it {}: {}; use a file in a folder under `sandbox.paths`, or do it yourself outside the sandbox";
const PYTEST = { argv: [".venv/bin/pytest"] };
const PYTEST_RULE = rule("{ pattern: .venv/bin/pytest, approval: false }");
const pytest = (at: At): void => {
  at.write({ [`${PROJECT}/.venv/bin/pytest`]: "#!/bin/sh\n" });
  chmodSync(at.at(`${PROJECT}/.venv/bin/pytest`), 0o755);
};

const HIDING = "masks: [{ pattern: '**/secret', at_most: none }]";
const COMMIT = [
  "git",
  "-c",
  "user.name=a",
  "-c",
  "user.email=a@a.test",
  "commit",
  "-q",
  "--allow-empty",
  "-m",
  "x",
];

/** What limits a call besides its own rights: searches, mounts, rules, and where it begins. */
export const OF_LIMITS: readonly Row[] = [
  // Searches
  [
    "{}narrow the root, {}, or write `over: read-only` there",
    command(["true"], { sandbox: search("entries: 3"), files: files(9) }),
    (at, told) =>
      command(["true"], { sandbox: search(`${quoted(told).replace("sandbox.search.", "")}: 1000`) })(
        at,
        told,
      ),
  ],
  [
    "{}narrow the root, or {}",
    command(["touch", "x"], { sandbox: search("entries: 3, over: read-only"), files: files(9) }),
    (at, told) =>
      command(["touch", "x"], {
        sandbox: search(`${quoted(told).replace("sandbox.search.", "")}: 1000, over: read-only`),
      })(at, told),
  ],
  [
    "{}begin the pattern with its folder, narrow the root, or {}",
    command(["true"], { sandbox: search("entries: 3, over: read-only"), profile: HIDING, files: files(9) }),
    (at, told) =>
      command(["true"], {
        sandbox: search(`${quoted(told).replace("sandbox.search.", "")}: 1000000, over: read-only`),
        profile: HIDING,
      })(at, told),
  ],
  // What must stay where it is
  [
    "do it yourself outside the sandbox, or change its contents one by one",
    tool(
      "move_file",
      { from: "ws:sub", to: "ws:other" },
      { files: { [`${PROJECT}/sub/.npmrc`]: "", [`${PROJECT}/sub/a`]: "" } },
    ),
    tool("move_file", { from: "ws:sub/a", to: "ws:other/a" }),
  ],
  [
    "remove its contents, and keep the folder itself",
    command(["rm", "-r", "../docs"], { paths: docs("mode: rw, write_approval: false"), files: DOCS }),
    command(["find", "../docs", "-mindepth", "1", "-delete"], {
      paths: docs("mode: rw, write_approval: false"),
      files: DOCS,
    }),
  ],
  [
    "copy the file, then remove the old one",
    command(["ln", "note.txt", "../docs/note"], {
      paths: docs("mode: rw, write_approval: false"),
      files: { ...DOCS, ...NOTE },
    }),
    command(["sh", "-c", "cp note.txt ../docs/note && rm note.txt"], {
      paths: docs("mode: rw, write_approval: false"),
    }),
  ],
  [
    "git outside the sandbox obeys it too: change it there yourself, if intended",
    first(git("init", "-q"), command(["touch", ".git/config"])),
    first(
      git("config", "own.key", "value"),
      command(["git", "config", "own.key"], { runtimes: "system, git" }),
    ),
  ],
  [
    "check its spelling; if this machine has it, add its folder under `sandbox.runtimes`{}",
    first(git("init", "-q"), first(hook, command(COMMIT, { runtimes: "system, git" }))),
    first(ownTool, (at, told) =>
      command(COMMIT, {
        runtimes: `system, git, ${quoted(told, 1).replace("/its/folder", at.at("srv/own"))}`,
      })(at, told),
    ),
  ],
  ["its keys: {}", tool("list_dir", { folder: "." }), tool("list_dir", { path: "." })],
  [
    NO_ROOT,
    command(["touch", "/usr/lib/made"], { runtimes: "system" }),
    command(["touch", "made"], { runtimes: "system" }),
  ],
  [
    "list it under `sandbox.paths` in the config, if it is a folder; put a file into a listed folder: {}, which no config can list",
    (at, told) => tool("read_file", { path: at.at("home/ann/note") })(at, told),
    tool("read_file", { path: "note" }, { files: { "home/ann/project/note": "" } }),
  ],
  // Rules
  [
    "no approval can allow it; change the rule in the config or the profile",
    command(["true"], { more: "shell: { default: { allowed: false } }" }),
    command(["true"], { more: "shell: { default: { allowed: true, approval: false } }" }),
  ],
  [
    "no approval can allow it; change {}{}",
    command(["true"], { more: rule("{ pattern: 'true', allowed: false }") }),
    command(["true"], { more: rule("{ pattern: 'true', allowed: true }") }),
  ],
  [
    "no approval can allow it; change {}{}",
    tool("list_dir", { path: "." }, { more: "approval: { rules: [{ pattern: list_dir, action: deny }] }" }),
    tool("list_dir", { path: "." }, { more: "approval: { rules: [{ pattern: list_dir, action: allow }] }" }),
  ],
  [
    "run it in a terminal, open a channel under `approval.channels`, or add a rule to the config that allows it",
    tool("shell", { argv: ["true"] }),
    command(["true"]),
  ],
  [
    "run it in a terminal, open a channel under `approval.channels`, or add a rule to the config that allows it",
    first(pytest, tool("shell", PYTEST, { more: PYTEST_RULE })),
    tool("shell", PYTEST, { more: PYTEST_RULE, paths: ", venv: { root: .venv, mode: ro }" }),
  ],
  [
    "use `mode: interactive` without `--strict` or `--approve-all`, or allow it in the config without approval",
    tool("shell", { argv: ["true"] }, { more: "approval: { mode: strict }" }),
    tool(
      "shell",
      { argv: ["true"] },
      { more: `approval: { mode: strict }\n${rule("{ pattern: 'true', approval: false }")}` },
    ),
  ],
  [
    "use `mode: interactive` without `--strict` or `--approve-all`, or allow it in the config without approval",
    command(["true"], {}, ["--strict"]),
    command(["true"]),
  ],
  // Where it begins
  [
    "name an existing folder as `cwd`",
    tool("shell", { argv: ["true"], cwd: "nowhere" }, { more: UNASKED }),
    tool("shell", { argv: ["true"], cwd: "." }, { more: UNASKED }),
  ],
  [
    "use a folder that is less deep",
    tool("shell", { argv: ["true"], cwd: "a/".repeat(300) }, { more: UNASKED }),
    tool("shell", { argv: ["true"], cwd: "." }, { more: UNASKED }),
  ],
  // What a command made
  [
    "review it before you start such a program in that folder",
    command(["touch", ".envrc"], { sandbox: ", appeared: report" }),
    command(["cat", ".envrc"]),
  ],
  [
    "if that is your repository, add under `sandbox.paths` of the config: {}",
    first(worktree, command(["git", "status"], { runtimes: "system, git" })),
    (at, told) =>
      command(["git", "status"], {
        runtimes: "system, git",
        paths: `, ${told.slice(told.indexOf(": ") + 2)}`,
      })(at, told),
  ],
];
