import { cpSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT, type Layout, manifest, project } from "./layout.ts";
import { PLUG_AND_PLAY } from "./plug-and-play.ts";
import type { Site } from "./site.ts";

const HARD_LINKED = "has another name";
const inProject = (site: Site) => [join(site.project, "node_modules")];
const binOf = (site: Site) => [join(site.project, "node_modules/.bin/cofferdam")];
const PEERS_RUN = ["node_modules/hono", "node_modules/pg"];

/** A project in which npm has installed it. */
async function npm(site: Site, packages: readonly string[] = []): Promise<void> {
  manifest(site.project, {});
  await site.manage("npm", ["install", site.archive, ...packages]);
}

/** The layout in which a member has packages of its own. */
export const WORKSPACE = "a workspace of npm's";

export const LAYOUTS: readonly Layout[] = [
  {
    name: "npm",
    install: (site) => npm(site),
    command: binOf,
    byManager: () => ["npx", "--offline", "cofferdam"],
    parts: inProject,
    runs: [".bin/cofferdam", "tools/node", ...PEERS_RUN],
  },
  {
    name: "npm, with optional peers",
    install: (site) =>
      npm(site, [
        "hono@4.13.19",
        "@hono/node-server@2.1.9",
        "@modelcontextprotocol/server@2.4.0",
        "pg@8.23.1",
        "grammy@1.46.0",
      ]),
    command: binOf,
    parts: inProject,
    runs: ["hono/dist", "pg/"],
  },
  {
    name: "pnpm",
    install: project("pnpm", {}),
    command: binOf,
    byManager: (site) => [...site.manager("pnpm"), "exec", "cofferdam"],
    parts: inProject,
    refusedAround: HARD_LINKED,
    runs: PEERS_RUN,
  },

  {
    name: "pnpm, with copies",
    install: project("pnpm", { "pnpm-workspace.yaml": "packageImportMethod: copy\n" }),
    command: binOf,
    parts: inProject,
    runs: PEERS_RUN,
  },
  {
    name: "pnpm, with a global virtual store",
    install: project("pnpm", { "pnpm-workspace.yaml": "enableGlobalVirtualStore: true\n" }),
    command: binOf,
    parts: (site) => [join(site.project, "node_modules"), ...pnpmLinks(site)],
    refusedAround: HARD_LINKED,
    runs: [],
  },
  {
    name: "yarn, node-modules",
    install: project("yarn", { "yarn.lock": "", ".yarnrc.yml": "nodeLinker: node-modules\n" }),
    command: binOf,
    byManager: (site) => [...site.manager("yarn"), "cofferdam"],
    parts: inProject,
    runs: PEERS_RUN,
  },

  ...PLUG_AND_PLAY,
  {
    name: "bun",
    install: project("bun", {}),
    command: binOf,
    parts: inProject,
    refusedAround: HARD_LINKED,
    runs: PEERS_RUN,
  },
  {
    name: "npm, global",
    install: async (site) => {
      await site.manage("npm", [
        "install",
        "--global",
        "--prefix",
        join(site.project, "global"),
        site.archive,
      ]);
    },
    command: (site) => [join(site.project, "global/bin/cofferdam")],
    library: (site) => join(site.project, "global/lib/node_modules/cofferdam"),
    parts: (site) => [
      join(site.project, "global/lib/node_modules"),
      join(site.project, "global/bin/cofferdam"),
    ],
    from: (site) => [join(site.project, "global/lib")],
    runs: ["global/bin/cofferdam"],
  },
  {
    name: "npx",
    install: async (site) => {
      manifest(site.project, {});
      mkdirSync(join(site.caches, "npm"));
      cpSync(site.downloads, join(site.caches, "npm/_cacache"), { recursive: true });
      await site.manage("npx", ["--yes", "--package", site.archive, "cofferdam", "--version"], {
        npm_config_cache: join(site.caches, "npm"),
      });
    },
    command: (site) => ["npx", "--offline", "--package", site.archive, "cofferdam"],
    library: (site) => join(npxFolder(site), "node_modules/cofferdam"),
    env: (site) => ({ npm_config_cache: join(site.caches, "npm") }),
    root: (site) => site.all,
    parts: (site) => [join(npxFolder(site), "node_modules")],
    from: (site) => [npxFolder(site), site.project],
    runs: [],
  },
  {
    name: "npm link",
    install: async (site) => {
      const checkout = await unpacked(site, join(site.all, "checkout"));
      manifest(site.project, {});
      const env = { npm_config_prefix: join(site.all, "prefix") };
      await site.manage("npm", ["link"], env, checkout);
      await site.manage("npm", ["link", "cofferdam"], env);
    },
    command: binOf,
    root: (site) => site.all,
    parts: (site) => [
      ...inProject(site),
      ...["dist", "profiles", "package.json", "node_modules"].map((name) => join(site.all, "checkout", name)),
    ],
    from: (site) => [join(site.all, "checkout"), site.project],
    runs: [".bin/cofferdam"],
  },
  {
    name: WORKSPACE,
    install: async (site) => {
      manifest(site.project, { workspaces: ["packages/*"], dependencies: { "is-number": "7.0.0" } });
      const member = join(site.project, "packages/app");
      const other = join(site.project, "packages/other");
      for (const folder of [member, other]) mkdirSync(folder, { recursive: true });
      manifest(member, { name: "app", dependencies: { cofferdam: `file:${site.archive}` } });
      // Another version than the project's: it lies in a `node_modules` of the member's own.
      manifest(other, { name: "other", dependencies: { "is-number": "6.0.0" } });
      await site.manage("npm", ["install"]);
    },
    command: binOf,
    parts: inProject,
    from: (site) => [join(site.project, "packages/app")],
    runs: [".bin/cofferdam", ...PEERS_RUN],
  },
  {
    name: "a workspace of pnpm's",
    install: async (site) => {
      const member = join(site.project, "packages/app");
      mkdirSync(member, { recursive: true });
      manifest(site.project, {});
      manifest(member, { name: "app", dependencies: { cofferdam: `file:${site.archive}` } });
      writeFileSync(join(site.project, "pnpm-workspace.yaml"), "packages: [packages/*]\n");
      await site.manage("pnpm", ["install"]);
    },
    command: (site) => [join(site.project, "packages/app/node_modules/.bin/cofferdam")],
    library: (site) => join(site.project, "packages/app/node_modules/cofferdam"),
    parts: (site) => [...inProject(site), join(site.project, "packages/app/node_modules")],
    from: (site) => [join(site.project, "packages/app")],
    refusedAround: HARD_LINKED,
    runs: [],
  },
  {
    name: "a checkout that is run from its sources",
    install: async (site) => {
      await unpacked(site, site.project);
      for (const name of [
        "src",
        "scripts/cofferdam",
        "scripts/lib",
        "package-lock.json",
        "rolldown.config.ts",
      ])
        cpSync(join(CHECKOUT, name), join(site.project, name), { recursive: true, preserveTimestamps: true });
      // So that the script finds that nothing has to be installed or bundled; times of files are finer than those of `Date`.
      cpSync(join(CHECKOUT, "package-lock.json"), join(site.project, "node_modules/.cofferdam-lock"));
      const soon = new Date(Date.now() + 1000);
      utimesSync(join(site.project, "dist/worker/main.js"), soon, soon);
    },
    command: (site) => [site.node, join(site.project, "src/cli/main.ts")],
    byManager: (site) => [join(site.project, "scripts/cofferdam")],
    library: (site) => site.project,
    programs: (site) => [join(site.project, `.cofferdam-node/${privateNode()}/bin/node`)],
    parts: (site) =>
      [
        ...["src", "dist", "profiles", "package.json", "node_modules"],
        ...["scripts", "package-lock.json", "rolldown.config.ts"],
      ].map((name) => join(site.project, name)),
    runs: ["src/cli/main.ts", "scripts/cofferdam", "bin/node"],
  },
  {
    name: "npm, with Node in the project",
    install: async (site) => {
      await npm(site);
      mkdirSync(join(site.project, "runtime/bin"), { recursive: true });
      cpSync(site.node, join(site.project, "runtime/bin/node"));
    },
    command: (site) => [join(site.project, "runtime/bin/node"), ...binOf(site)],
    starter: (site) => [join(site.project, "runtime/bin/node")],
    parts: (site) => [...inProject(site), join(site.project, "runtime/bin/node")],
    runs: ["runtime/bin/node"],
  },
];

/** The version of Node that a checkout's scripts install, and start. */
function privateNode(): string {
  const setup = readFileSync(join(CHECKOUT, "scripts/lib/setup.sh"), "utf8");
  return /^node_version=(.*)$/m.exec(setup)?.[1] ?? "";
}

/** The package's files as a folder of their own, with what it needs. */
async function unpacked(site: Site, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  await site.run(["tar", "xzf", site.archive, "--strip-components=1"], folder);
  await site.manage("npm", ["install", "--omit=dev"], {}, folder);
  return folder;
}

/** Where pnpm keeps packages that all projects share, each with links to what it needs. */
function pnpmLinks(site: Site): readonly string[] {
  const store = join(site.caches, "data/pnpm/store");
  return readdirSync(store).map((version) => join(store, version, "links"));
}

/** The one folder in which npx has installed something. */
function npxFolder(site: Site): string {
  const folder = join(site.caches, "npm/_npx");
  return join(folder, readdirSync(folder).find((name) => /^[0-9a-f]+$/.test(name)) ?? "");
}
