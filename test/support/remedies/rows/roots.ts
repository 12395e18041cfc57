import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { installationFindings } from "../../../../src/config/installation-words.ts";
import { loadConfig } from "../../../../src/config/load.ts";
import { rememberTrust, trustFile } from "../../../../src/config/trust.ts";
import { makeStateFolder, problemOfState } from "../../../../src/host/launch/state-folder.ts";
import { type Host, thisHost } from "../../../../src/host/look/host.ts";
import type { InstalledPart } from "../../../../src/host/look/installation/part.ts";
import { findRuntimes } from "../../../../src/host/look/runtimes.ts";
import type { Machine } from "../../../unit/config/machine.ts";
import { NOT_INSTALLED } from "../../not-installed.ts";
import { CONFIG, config, PROFILE } from "../config.ts";
import { quoted, type Row, run, type Situation } from "../row.ts";
import { otherRepository, worktree } from "../worktree.ts";

const root = (path: string, mode = "rw"): string =>
  `sandbox: { runtimes: [], paths: { r: { root: ${path}, mode: ${mode} } } }`;
const listed = (path: string, more = ""): string =>
  `sandbox: { runtimes: [{ name: own, read: [${path}] }]${more} }`;
const journal = (path: string, more = ""): string =>
  `sandbox: { runtimes: []${more} }\njournal: { folder: ${path} }`;
const WS = ", paths: { ws: { root: ., mode: rw } }";
const there = (path: string): { files: Readonly<Record<string, string>> } => ({
  files: { [`${path}/a`]: "" },
});

/** What is done to the machine's files before the situation. */
const after =
  (act: Situation, then: Situation): Situation =>
  (at, told) => {
    act(at, told);
    return then(at, told);
  };

const link = (from: string, to: string) => (at: Machine) => {
  mkdirSync(dirname(at.at(from)), { recursive: true });
  symlinkSync(at.at(to), at.at(from));
};

/** A part of the product lies there. */
const withPart =
  (path: string, then: Situation, part: Partial<InstalledPart> = {}): Situation =>
  (at, told) => {
    const parts = [{ path: at.at(path), what: "the packages that cofferdam loads", ...part }];
    const installation = { ...NOT_INSTALLED, places: [at.at(path)], parts };
    return then({ ...at, host: { ...at.host, installation: () => installation } }, told);
  };

/** A file that the product loads has another name in the project. */
const hardLinked =
  (then: Situation): Situation =>
  (at, told) => {
    const [ours, name] = [at.at("srv/own.js"), at.at("home/ann/project/copy.js")];
    if (!existsSync(name)) {
      at.write({ "srv/own.js": "" });
      linkSync(ours, name);
    }
    const loaded = [{ path: at.at("srv"), entries: [ours] }];
    return then({ ...at, host: { ...at.host, installation: () => ({ ...NOT_INSTALLED, loaded }) } }, told);
  };

/** A config that is found by itself. */
const found: Situation = ({ host }) => void loadConfig(host);

/** The same, once it is trusted. */
const trusted: Situation = ({ host }) => {
  rememberTrust(host, trustFile(host));
  loadConfig(host);
};

const PLAIN = { [CONFIG]: "version: 1\nsandbox: { runtimes: [] }\n" };
const written: Situation = (at) => at.write(PLAIN);

/** What is done to the machine's files, and then the situation on a machine that is different in this. */
const on =
  (more: (at: Machine) => Partial<Host>, then: Situation): Situation =>
  (at, told) =>
    then({ ...at, host: { ...at.host, ...more(at) } }, told);

/** What keeps calls from being run with the machine's state folder. */
const state: Situation = ({ host }) => {
  const problem = problemOfState(host);
  if (problem !== null) throw problem;
};

const elsewhere = on((at) => ({ stateFolder: at.at("home/ann/own/cofferdam") }), state);
const STATE = "home/ann/.local/state/cofferdam";
const owner = (path: string, id: number) => (at: Machine) => chownSync(at.at(path), id, id);

/** What is remembered of every config is broken. */
const breakTrust = ({ host }: Machine): void => {
  const folder = join(host.stateFolder, "trust");
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), "{");
};

/** A host as this process's environment makes it. */
const environment =
  (env: Readonly<Record<string, string>>): Situation =>
  () => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    thisHost();
  };

/** What lies about the project's own programs. */
const programs =
  (path: string, env: Readonly<Record<string, string>> = {}): Situation =>
  (at) => {
    const placed = Object.entries(env).map(([name, value]) => [name, at.at(value)] as const);
    const host = {
      ...at.host,
      env: { PATH: "/usr/bin:/bin", TMPDIR: "/tmp", ...Object.fromEntries(placed) },
    };
    at.write({
      [CONFIG]: `version: 1\nsandbox: { runtimes: [], paths: { r: { root: ., mode: ${path} } } }\n`,
    });
    return installationFindings(host, loadConfig(host, { config: at.at(CONFIG) }).config.roots).map(
      ({ hint }) => hint,
    );
  };

/** How people get a part of the product out of a root. */
const WAYS_OUT = [
  "remove its folder from PATH",
  "use a Node outside the root",
  "start cofferdam without that loader",
  "set them to paths outside the root",
  "set {} to a path outside the root",
  "write absolute folders in PATH",
  "install cofferdam elsewhere: `npm install --global cofferdam`, and `npm uninstall cofferdam` here",
];

/** Roots, folders of runtimes, and the journal's. */
/** The config with the line that was told. */
const withTold = config(
  (told) =>
    `sandbox: { runtimes: [], paths: { r: { root: ., mode: rw }, ${told.slice(told.indexOf(": ") + 2)} } }`,
);

export const OF_FOLDERS: readonly Row[] = [
  ["create it (`{}`), or name another", config(root("./notes")), run(config(root("./notes")))],
  [
    "name a folder with a shorter path",
    config(root(`./${"x".repeat(300)}`)),
    config(root("./x"), there("home/ann/project/x")),
  ],
  [
    "name the folder that contains it",
    config(root("./a"), { files: { "home/ann/project/a": "" } }),
    config(root(".")),
  ],
  [
    "check the target of that link, then name the folder that you mean",
    after(link("home/ann/project/l", "srv"), config(root("./l"), there("srv"))),
    config(root("."), there("srv")),
  ],
  [
    "check the target of that link, then name the folder that you mean",
    after(
      link("home/ann/project/l", "srv"),
      config(
        `sandbox: { runtimes: [], paths: { ws: { root: ., mode: rw }, r: { root: ./l/sub, mode: rw } } }`,
        there("srv/sub"),
      ),
    ),
    config("sandbox: { runtimes: [], paths: { ws: { root: ., mode: rw }, r: { root: ./sub, mode: rw } } }", {
      files: { "home/ann/project/sub/a": "" },
    }),
  ],
  [
    "list each folder once",
    config("sandbox: { runtimes: [], paths: { a: { root: ., mode: rw }, b: { root: ., mode: ro } } }"),
    config("sandbox: { runtimes: [], paths: { a: { root: ., mode: rw } } }"),
  ],
  [
    "name a smaller folder that contains only files for tools",
    config(root("HOME")),
    config(root("HOME/project")),
  ],
  [
    "name a folder on a disk, such as one in your home",
    config(root("/proc/self")),
    config(root("HOME/project")),
  ],
  [
    "make the root `ro`, name another folder, or let an operator list `{ path: {}, access: write }` under `files` of a profile in {}, with the other paths of calls",
    config(root("/etc/ssl")),
    (at, told) => {
      const files = `{ path: "\${workspace}", access: write }, { path: "\${runtime}", access: read }`;
      return config(root("/etc/ssl"), { profile: `files: [${files}, ${quoted(told, 1)}]` })(at, told);
    },
  ],
  [
    "make the root `ro`, name another folder, or {}",
    withPart("home/ann/project", config(root("."))),
    config(root(".", "ro")),
  ],
  [
    "install copies instead of hard links (`pnpm install --force --package-import-method=copy`, `bun install --force --backend=copyfile`), make the root `ro`, or name another folder",
    hardLinked(config(root("."))),
    hardLinked(config(root(".", "ro"))),
  ],
  // Listed by hand
  [
    "name existing folders",
    config(listed("/srv/nowhere")),
    config(listed("HOME/tool"), there("home/ann/tool")),
  ],
  [
    "list the folders in it that programs need",
    config(listed("/etc")),
    config(listed("HOME/tool"), there("home/ann/tool")),
  ],
  [
    "write one of {}, or { name, read: [folder] }",
    ({ host }) => void findRuntimes(host, ["ruby"], []),
    ({ host, project }) => void findRuntimes(host, [{ name: "ruby", read: [project] }], []),
  ],
  [
    "{}, or list the folders that it needs: runtimes: [{ name: {}, read: [/its/folder] }]",
    config("sandbox: { runtimes: [rust] }"),
    config("sandbox: { runtimes: [{ name: rust, read: [HOME/tool] }] }", there("home/ann/tool")),
  ],
  [
    "list a folder outside of it",
    after(
      (at) => at.write({ [`${STATE}/x/a`]: "" }),
      ({ host, at }) => void findRuntimes(host, [{ name: "own", read: [at(`${STATE}/x`)] }], []),
    ),
    ({ host, project }) => void findRuntimes(host, [{ name: "own", read: [project] }], []),
  ],
  // The journal's folder
  [
    "name a folder outside all roots that only you can access",
    config(journal("./records", WS)),
    config(journal("HOME/records", WS)),
  ],
  [
    "remove the key: records are kept there by default",
    config(journal("HOME/.local/state/cofferdam/x"), there("home/ann/.local/state/cofferdam")),
    config(""),
  ],
  // The config's own folder
  [
    "put the file itself here, or name another file with `--config`",
    after(
      link(CONFIG, "srv/cofferdam.yaml"),
      after((at) => at.write({ "srv/cofferdam.yaml": PLAIN[CONFIG] }), found),
    ),
    ({ host, at }) => void loadConfig(host, { config: at("srv/cofferdam.yaml") }),
  ],
  [
    "rename it to `{}`",
    after((at) => at.write({ "home/ann/project/coferdam.yaml": "version: 1\n" }), found),
    after((at) => renameSync(at.at("home/ann/project/coferdam.yaml"), at.at(CONFIG)), trusted),
  ],
  [
    "start in another folder",
    on(
      (at) => ({ cwd: at.at("home/ann/project/a") }),
      after(
        (at) => at.write({ "home/ann/project/a": "" }),
        ({ host }) => void trustFile(host),
      ),
    ),
    after((at) => at.write(PLAIN), trusted),
  ],
  [
    "start in an existing folder that you can read",
    on(
      (at) => ({ cwd: at.at("nowhere") }),
      ({ host }) => void trustFile(host),
    ),
    after((at) => at.write(PLAIN), trusted),
  ],
  [
    "start in a project's folder, or write a `{}` that lists smaller folders",
    on(
      ({ home }) => ({ cwd: home }),
      ({ host }) => void loadConfig(host),
    ),
    ({ host }) => void loadConfig(host),
  ],
  ["write one with `cofferdam init`", ({ host }) => void trustFile(host), after(written, trusted)],
  [
    "use it with `--config`, or name it `{}`",
    after(
      (at) => at.write({ "home/ann/project/own.yaml": PLAIN[CONFIG] }),
      ({ host }) => void trustFile(host, "own.yaml"),
    ),
    ({ host, at }) => void loadConfig(host, { config: at("home/ann/project/own.yaml") }),
  ],
  [
    "run `cofferdam trust` to review it, or use another config with `--config`",
    after(written, found),
    trusted,
  ],
  [
    "remove it with `{}`, then run `cofferdam trust`",
    after(
      written,
      after((at) => void trusted(at, ""), after(breakTrust, found)),
    ),
    run(trusted),
  ],
  // The state folder
  [
    "set XDG_STATE_HOME to a folder that you own",
    after((at) => at.write({ [`${STATE}/a`]: "" }), after(owner(STATE, 1_001), state)),
    elsewhere,
  ],
  ["create it, or {}", after((at) => at.write({ "home/ann/.local": "" }), state), elsewhere],
  [
    "remove {}: it is created again",
    after((at) => at.write({ [`${STATE}/trust`]: "" }), after(owner(STATE, process.getuid?.() ?? 0), state)),
    after(
      (at) => rmSync(at.at(`${STATE}/trust`)),
      after(({ host }) => makeStateFolder(host), state),
    ),
  ],
  [
    "move it away: {}",
    after(
      written,
      after((at) => mkdirSync(at.at("srv"), { recursive: true }), after(link(STATE, "srv"), trusted)),
    ),
    run(trusted),
  ],
  [
    "move the file to a folder that you own",
    after(
      (at) => at.write({ [PROFILE]: "profile: own\n" }),
      after(owner(dirname(PROFILE), 1_001), config("")),
    ),
    after((at) => renameSync(at.at(dirname(PROFILE)), at.at("gone")), config("", { profile: "env: ['*']" })),
  ],
  [
    "review it, then make it yours: {}",
    after((at) => at.write({ [PROFILE]: "profile: own\n" }), after(owner(PROFILE, 1_001), config(""))),
    run(config("")),
  ],
  [
    "set it to the absolute path of a folder, or unset it",
    environment({ XDG_STATE_HOME: "a" }),
    environment({ XDG_STATE_HOME: "/srv/a" }),
  ],
  // The product's own parts
  [
    "remove the folder from PATH, or make the root `ro`",
    programs("rw", { PATH: "home/ann/project/bin" }),
    programs("ro", { PATH: "home/ann/project/bin" }),
  ],
  [
    "set TMPDIR to a folder outside the root, or make the root `ro`",
    programs("rw", { TMPDIR: "home/ann/project/bin" }),
    programs("rw", { TMPDIR: "tmp" }),
  ],
  [
    "give tools a separate folder, or make the root `ro`; if no program of yours imports cofferdam, install it globally and run `npm uninstall cofferdam` there",
    after((at) => at.write({ "home/ann/project/node_modules/cofferdam/a": "" }), programs("rw")),
    programs("ro"),
  ],
  ...WAYS_OUT.map(
    (wayOut): Row => [
      wayOut,
      withPart("home/ann/project", config(root(".")), { wayOut: wayOut.replace("{}", "NODE_PATH") }),
      config(root(".")),
    ],
  ),
  // Git's own folder lies elsewhere.
  [
    "if that is your repository, add under `sandbox.paths` of the config: {}",
    after(worktree, config(root("."))),
    withTold,
  ],
  [
    "calls may have written {}; if you know that folder and want calls to use it, add under `sandbox.paths` of the config: {}",
    after(otherRepository, config(root("."))),
    withTold,
  ],
  [
    "write the path without `..`",
    config("sandbox: { runtimes: [], os_profile: [../own.yaml] }"),
    config("sandbox: { runtimes: [], os_profile: [HOME/own.yaml] }", {
      files: { "home/ann/own.yaml": "profile: one\n" },
    }),
  ],
];
