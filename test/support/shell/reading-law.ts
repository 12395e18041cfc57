import { resolve } from "node:path";
import type { ParsedLine } from "../../../src/shell/parse.ts";
import type { OpenedFile } from "./read-trace.ts";
import type { BashRun, StartedProgram } from "./trial-bash.ts";

/** Variables that bash keeps for itself and for programs. */
const OF_BASH: ReadonlySet<string> = new Set(["_", "OLDPWD", "PWD", "SHLVL"]);
/** A line leads to at most so many folders that are looked at one by one. */
const MAX_FOLDERS = 64;

/** The place in which a line was run. */
interface TrialStart {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The law of `parseLine`, compared with what bash really did with a line that it understood: the first thing that is not
 * in its reading, or null.
 */
export function breachOf(line: ParsedLine, run: BashRun, start: TrialStart): string | null {
  const folders = foldersOf(line, start.folder);
  for (const program of run.started) {
    const breach = programBreach(program, line, folders, start);
    if (breach !== null) return breach;
  }
  const opened = run.opened?.find((file) => !isTouched(file, line, folders));
  return opened === undefined ? null : `opened ${JSON.stringify(opened)}`;
}

function programBreach(
  { words, folder, env }: StartedProgram,
  line: ParsedLine,
  folders: ReadonlySet<string> | null,
  start: TrialStart,
): string | null {
  const isPlain = line.plain === null || JSON.stringify(line.plain) === JSON.stringify(words);
  if (!isPlain || !line.commands.some((command) => stands(command.words, words)))
    return `ran ${JSON.stringify(words)}`;
  if (folders?.has(folder) === false) return `ran ${JSON.stringify(words)} in ${folder}`;
  const set = new Set(line.touches.flatMap((one) => (one.act === "set" ? [one.name] : [])));
  const changed = [...env].find(
    ([name, value]) => start.env[name] !== value && !set.has(name) && !OF_BASH.has(name) && name !== "IFS",
  );
  return changed === undefined ? null : `gave ${changed.join("=")} to ${JSON.stringify(words)}`;
}

/** The folders that the moves of a line may lead to, from a first one; null if only bash knows them. */
function foldersOf({ touches }: ParsedLine, first: string): ReadonlySet<string> | null {
  const folders = new Set([first]);
  for (const one of touches) {
    if (one.act !== "move") continue;
    if (one.path === null || folders.size > MAX_FOLDERS) return null;
    for (const folder of [...folders]) folders.add(resolve(folder, one.path));
  }
  return folders;
}

function isTouched(
  { path, mode }: OpenedFile,
  { touches }: ParsedLine,
  folders: ReadonlySet<string> | null,
): boolean {
  return touches.some((one) => {
    if (one.act !== "open" || one.mode !== mode) return false;
    const named = one.path;
    if (named === null) return true;
    if (named.startsWith("/")) return resolve(named) === path;
    return folders === null || [...folders].some((folder) => resolve(folder, named) === path);
  });
}

/** True if the words that a program got are those of a command: an opaque word stands for any that begin as it says. */
export function stands([first, ...rest]: readonly string[], words: readonly string[]): boolean {
  if (first === undefined) return words.length === 0;
  if (!first.startsWith("\0")) return first === words[0] && stands(rest, words.slice(1));
  const begin = first.slice(1);
  return (
    stands(rest, words) || (words[0]?.startsWith(begin) === true && stands([first, ...rest], words.slice(1)))
  );
}
