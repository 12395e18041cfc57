import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plant } from "./attack-plan.ts";

/** Packages that are loaded where they are there, each with the names that are imported of it. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
  hono: ["Hono"],
  "@hono/node-server": ["getRequestListener"],
  "@modelcontextprotocol/server": [
    "Server",
    "McpServer",
    "ProtocolError",
    "ProtocolErrorCode",
    "SdkError",
    "createMcpHandler",
    "isLegacyRequest",
    "WebStandardStreamableHTTPServerTransport",
    "StdioServerTransport",
    "serveStdio",
  ],
  grammy: [],
  pg: ["Pool", "Client"],
  "gpu-lexer": [],
};

/** Where plants are to be found, and what they leave. */
export interface Ground {
  readonly root: string;
  /** Folders from which Node, npm and shells look upwards for packages and commands. */
  readonly from: readonly string[];
  /** Programs that are started where they are there. */
  readonly programs: readonly string[];
  /** A folder of PATH. */
  readonly tools: string;
  readonly node: string;
  /** The program of Yarn's. */
  readonly yarn: string;
  readonly mark: string;
}

/** Everything that is not there, and that would be loaded, obeyed or started in place of what is. */
export function plantsIn(ground: Ground): readonly Plant[] {
  const { root, tools } = ground;
  const folders = [...new Set(ground.from.flatMap((folder) => upTo(folder, root)))];
  const plants = [
    ...folders.flatMap((folder) => packagesIn(join(folder, "node_modules"), ground)),
    ...[...ground.programs, ...["node", "cofferdam"].map((name) => join(tools, name))].map((path) =>
      command(path, ground),
    ),
    ...folders.flatMap((folder) => yarnFiles(folder, ground)),
    ...folders.map((folder) => text(join(folder, ".npmrc"), `node-options=--import=${evil(ground)}\n`)),
    ...folders.map((folder) => text(join(folder, "tsconfig.json"), "{}")),
    ...folders.map((folder) =>
      text(join(folder, "node.config.json"), JSON.stringify({ nodeOptions: { import: [evil(ground)] } })),
    ),
    text(evil(ground), script(evil(ground), ground) + asYarn(ground)),
  ];
  return plants.filter(({ path }) => !existsSync(path));
}

function evil({ root }: Ground): string {
  return join(root, "evil.mjs");
}

/** Started in place of Yarn, it goes on as Yarn. */
function asYarn({ yarn }: Ground): string {
  const started = `[${JSON.stringify(yarn)},...process.argv.slice(2)],{stdio:"inherit",env:{...process.env,YARN_IGNORE_PATH:"1"}}`;
  return `if(process.argv[1].endsWith("evil.mjs"))process.exitCode=process.getBuiltinModule("node:child_process").spawnSync(process.execPath,${started}).status;\n`;
}

/** A folder and all above it, as far as the root goes. */
function upTo(folder: string, root: string): readonly string[] {
  if (folder !== root && !folder.startsWith(`${root}/`)) return [];
  return folder === root ? [root] : [folder, ...upTo(dirname(folder), root)];
}

function packagesIn(packages: string, ground: Ground): readonly Plant[] {
  const peers = Object.entries(PEERS).flatMap(([name, exported]) => {
    const folder = join(packages, name);
    if (existsSync(folder)) return [];
    const manifest = { name, version: "99.0.0", type: "module", exports: { ".": "./a.js", "./*": "./a.js" } };
    const names = exported.map((one) => `export class ${one} {}\n`).join("");
    return [
      text(join(folder, "package.json"), JSON.stringify(manifest)),
      text(join(folder, "a.js"), script(folder, ground) + names),
    ];
  });
  const commands = ["cofferdam", "node"].map((name) => command(join(packages, ".bin", name), ground));
  const own = existsSync(join(packages, "cofferdam"))
    ? []
    : [
        text(
          join(packages, "cofferdam/package.json"),
          '{"name":"cofferdam","version":"99.0.0","type":"module"}',
        ),
        text(join(packages, "cofferdam/index.js"), script(join(packages, "cofferdam"), ground)),
      ];
  return [...peers, ...commands, ...own, text(join(packages, "package.json"), '{"type":"commonjs"}')];
}

function yarnFiles(folder: string, ground: Ground): readonly Plant[] {
  const map = [".pnp.cjs", ".pnp.loader.mjs"].map((name) =>
    text(join(folder, name), script(join(folder, name), ground)),
  );
  return [
    ...map,
    text(join(folder, ".yarnrc.yml"), `yarnPath: ${evil(ground)}\n`),
    text(join(folder, ".pnp.data.json"), "{}"),
  ];
}

/** A command that says that it ran, and for Node goes on as it. */
function command(path: string, { node, mark }: Ground): Plant {
  const then = path.endsWith("/node") ? `exec '${node}' "$@"` : "exit 0";
  return { path, mode: 0o755, text: `#!/bin/sh\necho '${path}' >>'${mark}'\n${then}\n` };
}

function script(name: string, { mark }: Ground): string {
  const [where, what] = [mark, `${name}\n`].map((one) => JSON.stringify(one));
  return `process.getBuiltinModule("node:fs").appendFileSync(${where},${what});\n`;
}

function text(path: string, content: string): Plant {
  return { path, text: content, mode: 0o644 };
}
