import { closeSync, fchmodSync, openSync, writeSync } from "node:fs";
import { CONFIG_NAME, nearestConfig, realFolder } from "../../config/locate.ts";
import { rootFolder } from "../../config/roots.ts";
import { trustFile } from "../../config/trust.ts";
import { CofferdamError, visible } from "../../errors.ts";
import { thisHost } from "../../host/look/host.ts";
import { joinPath } from "../../profile/path.ts";
import { parseWords, readArguments } from "../arguments.ts";
import type { Print } from "../print.ts";
import { lookAtProject } from "../project.ts";
import { starterConfig } from "../starter-config.ts";
import { withGitRoots } from "../starter-git.ts";

const OPTIONS = {
  profile: { type: "string", multiple: true },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Writes a starter config into the current folder, which must be usable as a root. */
export async function init(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("init", args, OPTIONS);
  parseWords("init", positionals, []);
  const host = thisHost();
  const folder = realFolder(host.cwd);
  const path = joinPath(folder, CONFIG_NAME);
  if (nearestConfig(host, folder) === path) throw taken(path);
  const project = lookAtProject(host, rootFolder(host, folder));
  write(path, withGitRoots(starterConfig(project, values.profile ?? []), folder));
  // Problems are reported now, not at first use.
  const { config } = trustFile(host, path).loaded;
  const runtimes = config.runtimes.map((runtime) => runtime.name);
  if (values.json === true) print.json({ file: path, runtimes, rules: config.shell.rules.length });
  else {
    const { length } = config.shell.rules;
    const holds = `one root, the runtimes ${runtimes.join(", ")}, ${length} ${length === 1 ? "rule" : "rules"}`;
    print.result(`${print.ink.good("wrote")} ${CONFIG_NAME}: ${holds}`);
    print.talk(print.talkInk.dim("read it, then run `cofferdam trust`; it has no effect before that"));
  }
  return 0;
}

function write(path: string, text: string): void {
  let fd: number;
  try {
    fd = openSync(path, "wx", 0o644);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "EEXIST") throw taken(path);
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CofferdamError("CONFIG_INVALID", `${visible(path)} cannot be written: ${why}`, {
      hint: "run this in a folder that you can write",
      cause,
    });
  }
  try {
    // A file that others can write would be refused later, so the umask must not matter.
    fchmodSync(fd, 0o644);
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

function taken(path: string): CofferdamError {
  return new CofferdamError("CONFIG_INVALID", `${visible(path)} already exists`, {
    hint: "edit it, or move it away first",
    at: { file: path, line: 1, column: 1 },
  });
}
