import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PAGES } from "./lib/docs/pages.ts";
import { layOut, SITE } from "./lib/docs/site.ts";

const USAGE = `usage: scripts/docs write | build | serve

  write  the pages of docs/reference that are generated from the code
  build  the site, from README.md and docs, into docs/site/dist
  serve  the same, and show it at http://localhost:4173`;

const [command] = process.argv.slice(2);
switch (command) {
  case "write":
    for (const [name, make] of Object.entries(PAGES))
      writeFileSync(join(import.meta.dirname, "../docs/reference", name), make());
    break;
  case "build":
    build();
    break;
  case "serve":
    if (build()) tool("preview", "--port", "4173");
    break;
  default:
    console.error(USAGE);
    process.exitCode = 64;
}

function build(): boolean {
  layOut();
  return tool("build");
}

/** Runs the documentation tool; false where it fails. */
function tool(command: string, ...options: readonly string[]): boolean {
  const program = join(SITE, "node_modules/vitepress/bin/vitepress.js");
  const { status } = spawnSync(process.execPath, [program, command, SITE, ...options], { stdio: "inherit" });
  process.exitCode = status ?? 1;
  return status === 0;
}
