import { constants } from "node:fs";
import { posix } from "node:path";
import { type AbsolutePath, joinPath, knownPath, ROOT } from "../../../profile/path.ts";
import type { Pattern } from "../../../profile/pattern.ts";
import { anywhereBelow } from "../../../profile/pattern-anywhere.ts";
import { type Lstat, leadsTo, lookingOnce } from "../leads.ts";
import { canAccess, systemPath } from "../nodes.ts";
import type { RunningProcess } from "../running-process.ts";
import type { InstalledPart } from "./part.ts";
import { placesOn } from "./way.ts";

/** Package managers make these again as a whole: nothing may be held there. Commands of ours are found afterwards. */
const IN_PACKAGES = /\/node_modules\/\.bin(?:\/|$)/;

type Surroundings = Pick<RunningProcess, "env" | "cwd" | "homes">;

/** The names under which a shell, and `#!/usr/bin/env node`, find us in PATH. */
const COMMANDS = ["cofferdam", "node"];

/**
 * Names looked up in PATH, with `node_modules/.bin` first, before a package manager has started us there: the shell in
 * which npm, and pnpm for scripts, start a command (https://github.com/npm/promise-spawn,
 * https://github.com/pnpm/npm-lifecycle); `bash`, by Bun (https://github.com/oven-sh/bun, `run_command`); the helpers
 * of a command as pnpm before 12 makes it (https://github.com/pnpm/cmd-shim); and `node`, by `#!/usr/bin/env node`.
 */
export const STARTED_BEFORE_US = ["node", "sh", "bash", "sed", "dirname", "uname"];

const ALL = [...new Set([...COMMANDS, ...STARTED_BEFORE_US])];

/** The folders of PATH, as the kernel finds them from the current folder, links followed, missing folders included. */
export function foldersOfPath(surroundings: Surroundings): readonly AbsolutePath[] {
  const look = lookingOnce();
  const led = entriesOf(surroundings)
    .flat()
    .map((entry) => leadsTo(entry, surroundings.cwd, () => true, look).path);
  return [...new Set(led)].filter((folder) => folder !== ROOT);
}

/**
 * Patterns for our command, and for those started before it, in the folders that relative entries of PATH mean. Such an
 * entry means another folder in each working folder of a shell. `named`: by entries with a name, as `bin`. `bare`: by
 * entries that mean the working folder itself.
 */
export function commandsAnywhere(
  surroundings: Surroundings,
): Readonly<Record<"named" | "bare", readonly Pattern[]>> {
  const folders = new Set(entriesOf(surroundings).flatMap((entry) => entry.flatMap(relativeOf)));
  const commands = [...folders].flatMap((folder) => ALL.map((name) => ({ folder, name })));
  const patterns = (those: typeof commands): readonly Pattern[] =>
    those.map(({ folder, name }) => anywhereBelow(joinPath(folder, name)));
  return {
    named: patterns(commands.filter(({ folder }) => folder !== ROOT)),
    bare: patterns(commands.filter(({ folder }) => folder === ROOT)),
  };
}

/**
 * The files that PATH finds under our names, and every place in an earlier folder where it would find another: missing
 * files, and those that can't be run, or lead nowhere. For commands started before ours the places count only if one
 * exists.
 */
export function commandParts(surroundings: Surroundings): readonly InstalledPart[] {
  const look = lookingOnce();
  const entries = entriesOf(surroundings);
  return ALL.flatMap((name) => {
    const what = `the program that PATH finds as ${name}`;
    const places: AbsolutePath[] = [];
    for (const entry of entries) {
      const found = entry.map((one) => placesOn(`${one}/${name}`, surroundings.cwd, look));
      places.push(...found.flat());
      // In another working folder, a relative entry finds another command, or none.
      if (entry.flatMap(relativeOf).length === 0 && found.every(([end]) => isCommand(end, look))) break;
    }
    const isOurs = COMMANDS.includes(name);
    return [...new Set(places)]
      .map((path) => ({
        ...{ path, what, wayOut: WAY_OUT, isAlone: look(path) === null },
        // Hard links of these are not looked for: systems have several names for one shell.
        entries: isOurs && look(path)?.isFile() === true ? [path] : [],
      }))
      .filter(({ path, isAlone }) => !isAlone || (isOurs && !IN_PACKAGES.test(path)));
  });
}

const WAY_OUT = "remove its folder from PATH";

function isCommand(path: AbsolutePath, look: Lstat): boolean {
  return look(path)?.isFile() === true && canAccess(systemPath(path), constants.X_OK);
}

/**
 * The entries of PATH, each with all of its meanings. An empty entry means the working folder (environ(7)). Bash
 * expands a tilde to a home, or to its present or former working folder (bash(1), Tilde Expansion); for other programs
 * it is a name. Without PATH, programs take folders of the system.
 */
function entriesOf({ env, homes }: Surroundings): readonly (readonly string[])[] {
  return (env["PATH"] ?? "/usr/bin").split(":").map((entry) => {
    const [, whose, below = ""] = /^~([^/]*)(.*)$/s.exec(entry) ?? [];
    if (whose === undefined) return [entry === "" ? "." : entry];
    const meant = whose === "+" || whose === "-" ? ["."] : homes;
    return [entry, ...meant.map((folder) => `${folder}${below}`)];
  });
}

/** The current folder of the process that asks: proc(5). */
const OF_WHO_ASKS = /^\/+proc\/+(?:self|thread-self)\/+cwd(?=\/|$)/;

/** The names of a relative entry, as below an unknown folder; none for an absolute one. */
function relativeOf(entry: string): readonly AbsolutePath[] {
  const written = entry.replace(OF_WHO_ASKS, ".");
  if (written.startsWith("/")) return [];
  return [knownPath(posix.resolve("/", written))];
}
