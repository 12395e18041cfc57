import { accessSync, constants } from "node:fs";
import { type AbsolutePath, ROOT } from "../../profile/path.ts";
import { type Look, leadsTo, lookingOnce } from "../leads.ts";
import { systemPath } from "../nodes.ts";
import type { RunningProcess } from "../running-process.ts";
import type { InstalledPart } from "./part.ts";
import { placesOn } from "./way.ts";

/**
 * Package managers put such folders in PATH, and make them anew as a whole, which something held in them would keep from being
 * done. A command of ours that a call makes there is looked for afterwards.
 */
const IN_PACKAGES = /\/node_modules\/\.bin(?:\/|$)/;

type Surroundings = Pick<RunningProcess, "env" | "cwd">;

/** The names under which a shell, and `#!/usr/bin/env node`, find us in PATH. */
const COMMANDS = ["cofferdam", "node"];

/**
 * What is looked up in PATH, with `node_modules/.bin` first, before a package manager has started us there: the shell in which npm, and
 * pnpm for scripts, start a command (https://github.com/npm/promise-spawn, https://github.com/pnpm/npm-lifecycle); `bash`, by Bun
 * (https://github.com/oven-sh/bun, `run_command`); the helpers of a command as pnpm before 12 makes it
 * (https://github.com/pnpm/cmd-shim); and `node`, by `#!/usr/bin/env node`.
 */
export const STARTED_BEFORE_US = ["node", "sh", "bash", "sed", "dirname", "uname"];

/**
 * The folders of PATH as the kernel finds them from the current folder, links followed; those that are missing, too. An empty
 * entry is the current folder (environ(7)).
 */
export function foldersOfPath({ env, cwd }: Surroundings): readonly AbsolutePath[] {
  const look = lookingOnce();
  const led = entriesOf(env).map((entry) => leadsTo(entry, cwd, () => true, look).path);
  return [...new Set(led)].filter((folder) => folder !== ROOT);
}

/**
 * What PATH finds under our names, and every place in a folder before that one where it would find another: missing files, and
 * those that can't be run, or lead nowhere, so far.
 */
export function commandParts({ env, cwd }: Surroundings): readonly InstalledPart[] {
  const look = lookingOnce();
  const entries = entriesOf(env);
  return COMMANDS.flatMap((name) => {
    const what = `what PATH finds under the name ${name}`;
    const places: AbsolutePath[] = [];
    for (const entry of entries) {
      const found = placesOn(`${entry}/${name}`, cwd, look);
      places.push(...found);
      if (isCommand(found[0], look)) break;
    }
    return places
      .map((path) => ({
        ...{ path, what, wayOut: WAY_OUT, isAlone: look(path) === null },
        entries: look(path)?.isFile() === true ? [path] : [],
      }))
      .filter(({ path, isAlone }) => !(isAlone && IN_PACKAGES.test(path)));
  });
}

const WAY_OUT = "take its folder out of PATH";

function isCommand(path: AbsolutePath, look: Look): boolean {
  if (look(path)?.isFile() !== true) return false;
  try {
    accessSync(systemPath(path), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Without PATH, programs take folders of the system. */
function entriesOf(env: Surroundings["env"]): readonly string[] {
  return (env["PATH"] ?? "/usr/bin").split(":").map((entry) => (entry === "" ? "." : entry));
}
