import type { Group, Row } from "../row.ts";
import { ONE, WHO } from "./git.ts";

/** Files of packages that a host's programs would execute in a project of their own. */
const HOSTS_FILES = [".vscode/settings.json", ".husky/pre-commit", ".npmrc", ".envrc"];

/** Puts such files into a folder, with a file that is none of them. */
const filled = (folder: string): string =>
  `mkdir -p ${folder}; for f in ${HOSTS_FILES.join(" ")} index.js; do mkdir -p "$(dirname "${folder}/$f")"; echo '{}' > "${folder}/$f"; done`;

const gone = (...folders: readonly string[]): readonly string[] => [
  `rm -rf ${folders.join(" ")}`,
  ...folders.map((folder) => `[ ! -e ${folder} ]`),
];

const PACKAGE = {
  "lib/package.json": '{ "name": "greet", "version": "1.0.0", "main": "index.js" }',
  "lib/index.js": 'module.exports = (name) => "hello, " + name;',
  "lib/.vscode/settings.json": "{}",
  "lib/.husky/pre-commit": "exit 0\n",
  "package.json": '{ "name": "project", "version": "1.0.0" }',
};

const NPM_CI = "npm ci --silent --no-audit --no-fund";

/** A wheel of a version, made by hand (PEP 427). */
const WHEEL = `import sys, zipfile
version = sys.argv[1]
with zipfile.ZipFile("greet-" + version + "-py3-none-any.whl", "w") as wheel:
    info = "greet-" + version + ".dist-info/"
    wheel.writestr("greet/__init__.py", "version = '" + version + "'\\n")
    wheel.writestr("greet/.vscode/settings.json", "{}\\n")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: greet\\nVersion: " + version + "\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: hand\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    files = ["greet/__init__.py", "greet/.vscode/settings.json", info + "METADATA", info + "WHEEL", info + "RECORD"]
    wheel.writestr(info + "RECORD", "".join(f + ",,\\n" for f in files))
`;
const PIP = ".venv/bin/pip install -q --no-index --upgrade";

/** Two branches: `main`, and `side`, which has one commit more and another `.vscode/settings.json`. */
const SETTINGS = [
  WHO,
  "git init -q -b main .",
  "mkdir .vscode",
  "echo '{}' > .vscode/settings.json",
  "git add .vscode",
  ...ONE.slice(1),
  "git switch -q -c side",
  `echo '{ "a": 1 }' > .vscode/settings.json`,
  "echo two > b",
  "git add .",
  "git commit -qm settings",
  "git switch -q main",
];

/** The working tree is as the commit that git says is checked out. */
const AS_COMMITTED = ["git status --short", '[ -z "$(git status --porcelain -uno)" ]'];

/** Git can't replace a file that a host's program executes: the outcome names it and the remedy. */
function settings(name: string, does: string, line: readonly string[], next: readonly string[] = []): Row {
  return {
    ...{ name, does, needs: ["git"], before: SETTINGS, line: [WHO, ...line] },
    next: [WHO, ...next, ...AS_COMMITTED],
    fails: { says: /[^\n]*\.vscode\/settings\.json[^\n]*/, remedy: "told" },
  };
}

/** The next call removes or changes files of the one before. */
export const LATER: Group = {
  title: "Over two calls: made in one, removed or changed in the next",
  rows: [
    {
      name: "git worktree, then remove",
      does: "added and used in one call, removed in the next",
      needs: ["git"],
      before: [WHO, ...ONE],
      line: [WHO, "git worktree add -q wt -b topic", "git -C wt commit -q --allow-empty -m two"],
      next: ["git worktree remove wt"],
      fails: { says: /[^\n]*failed to delete '[^\n]*wt'[^\n]*/, remedy: "told" },
    },
    {
      name: "git clone, then rm -rf",
      does: "a clone from a path that was made in one call, removed in the next",
      needs: ["git"],
      before: [WHO, ...ONE],
      line: ["git clone -q . copy"],
      next: gone("copy"),
      fails: { says: /[^\n]*copy\/\.git\/config'[^\n]*/, remedy: "told" },
    },
    {
      name: "npm ci, then again",
      does: "of a package that has `.vscode` and `.husky`; `npm ci` removes `node_modules` first",
      needs: ["npm", "node"],
      files: PACKAGE,
      before: [
        "npm pack --silent ./lib >/dev/null",
        "npm install --silent --no-audit --no-fund ./greet-1.0.0.tgz",
        "rm -r node_modules",
      ],
      line: [NPM_CI, "ls node_modules/greet/.vscode/settings.json"],
      next: [NPM_CI, "ls node_modules/greet/.vscode/settings.json", "npm ls greet"],
    },
    {
      name: "pip install, then upgrade",
      does: "in a `.venv` of the call before, of a package that has `.vscode`",
      needs: ["python3"],
      files: { "wheel.py": WHEEL },
      line: ["python3 -m venv .venv", "python3 wheel.py 1.0", `${PIP} ./greet-1.0-py3-none-any.whl`],
      next: [
        "python3 wheel.py 2.0",
        `${PIP} ./greet-2.0-py3-none-any.whl`,
        "[ \"$(.venv/bin/python -c 'import greet; print(greet.version)')\" = 2.0 ]",
      ],
    },
    {
      name: "python3 -m venv, then rm -rf",
      does: "a `.venv` with a package, made in one call and removed in the next",
      needs: ["python3"],
      files: { "wheel.py": WHEEL },
      line: ["python3 -m venv .venv", "python3 wheel.py 1.0", `${PIP} ./greet-1.0-py3-none-any.whl`],
      next: gone(".venv"),
    },
    {
      name: "cargo build, then clean",
      does: "`target` made in one call, removed in the next by `cargo clean`",
      needs: ["cargo", "rustc", "gcc"],
      files: {
        "Cargo.toml": '[package]\nname = "hello"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/main.rs": 'fn main() { println!("hello"); }\n',
      },
      line: ["cargo build -q --offline", filled("target/package/greet")],
      next: ["cargo clean -q", "[ ! -e target ]"],
    },
    {
      name: "rm -rf of what was installed or built",
      does: "`node_modules`, `dist`, `target` and `vendor`, filled in one call, also with `.vscode`, `.husky`, `.npmrc` and `.envrc`",
      needs: ["bash"],
      line: ["node_modules/greet", "dist", "target/doc", "vendor/greet"].map(filled),
      next: gone("node_modules", "dist", "target", "vendor"),
    },
    settings(
      "git checkout, across a change of .vscode",
      "of a branch whose `.vscode/settings.json` is another, and back",
      ["git checkout -q side"],
      ["git checkout -q main"],
    ),
    settings("git merge, with a change of .vscode", "of a branch that changes `.vscode/settings.json`", [
      "echo three > c",
      "git add c",
      "git commit -qm three",
      "git merge -q --no-edit side",
    ]),
    settings("git rebase, with a change of .vscode", "onto a branch that changes `.vscode/settings.json`", [
      "echo three > c",
      "git add c",
      "git commit -qm three",
      "git rebase -q side",
    ]),
    {
      ...settings("git pull, with a change of .vscode", "of a commit that changes `.vscode/settings.json`", [
        "git pull -q --no-rebase origin side",
      ]),
      before: [
        ...SETTINGS,
        "git clone -q --bare . ~/origin.git",
        "git remote add origin ./origin.git",
        "mv ~/origin.git .",
      ],
    },
    settings(
      "git stash, then pop, across a change of .vscode",
      "of a change to another file, which is kept while a branch with other settings is checked out",
      ["echo four > a", "git stash -q", "git checkout -q side"],
      ["git checkout -q main", "git stash pop -q", "git checkout -q a"],
    ),
  ],
};
