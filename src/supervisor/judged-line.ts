import type { Way } from "../host/leads.ts";
import type { Command, CommandLine } from "../policy/command.ts";
import { accessTo } from "../profile/access-to.ts";
import { type AbsolutePath, isInside, nameOf } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import { fileNameOf } from "../shell/rule.ts";
import { type Call, scriptOf, wordsOf } from "../tool/call.ts";
import type { Root } from "../tool/facts.ts";
import type { ProgramFacts } from "./binding.ts";

/** What was looked up for one simple command of a call. */
export interface CommandFacts {
  readonly words: readonly [string, ...string[]];
  readonly program: ProgramFacts;
  /** The way to it. */
  readonly way: Omit<Way, "end">;
  /** Where the words that may be paths lead, canonical; null for one that leads nowhere clear. */
  readonly paths: readonly (AbsolutePath | null)[];
  /** First words of rules that deny or ask, by which the program is known as well. */
  readonly ruleNames: readonly string[];
}

/** What a line's commands are judged by: what was found of them, and what the call may write. */
interface Found {
  readonly commands: readonly CommandFacts[];
  readonly unread: readonly string[];
  readonly roots: readonly Root[];
  /** The folders of PATH inside. */
  readonly path: readonly AbsolutePath[];
  /** What the call gets on a yes. */
  readonly profile: Profile;
  /** True for a path in a folder that sandboxes have of their own. */
  readonly isMadeInside: (path: AbsolutePath) => boolean;
}

/** A call of the shell tool as rules judge it: each of its commands, and what of it is not understood. */
export function judgedLine({ input }: Pick<Call, "input">, found: Found): CommandLine {
  const isOfShell = scriptOf(input) !== null;
  const isAlone = found.commands.length === 1 && found.unread.length === 0;
  return {
    commands: found.commands.map(
      (one): Command => ({
        words: one.words,
        programNames: programNames(one),
        programFile: programFile(one, { isOfShell, isAlone }, found),
        arePathsInside: (names) => arePathsInside(one, found.roots, names),
      }),
    ),
    unread: found.unread,
    shell: isOfShell ? wordsOf(input) : null,
  };
}

function programNames({
  words: [word],
  program: { path, real },
  way,
  ruleNames,
}: CommandFacts): readonly string[] {
  const files = [path, ...way.aliases, real].filter((one) => one !== null);
  return [...new Set([fileNameOf(word), ...files.flatMap((one) => [one, nameOf(one)]), ...ruleNames])];
}

/**
 * A program of a shell is looked up when its turn comes: what the commands beside it may write can be another then, and
 * what is not there yet may be anything.
 */
function programFile(
  command: CommandFacts,
  { isOfShell, isAlone }: { readonly isOfShell: boolean; readonly isAlone: boolean },
  found: Found,
): Command["programFile"] {
  if (!isProgramWritable(command, isOfShell, found)) return "fixed";
  const isMade = isMissing(command.words[0], command.program.real);
  return isOfShell && (isMade || !isAlone) ? "unsettled" : "writable";
}

/** True for a path where no program was found. */
function isMissing(word: string, real: AbsolutePath | null): boolean {
  return real === null && word.includes("/");
}

/**
 * True when the call could have written the program, or what is passed on the way to it. A shell looks a name up only when
 * its turn comes, so what is not there yet counts too, and the folders of PATH down to the one where the program is found
 * now: an earlier command could put another one there. Folders of the sandbox's own are empty when it starts, whatever
 * the host's hold.
 */
function isProgramWritable(
  { words: [word], program: { path, real }, way }: CommandFacts,
  isOfShell: boolean,
  { path: folders, profile, isMadeInside }: Found,
): boolean {
  if (way.places.some((one) => mayWrite(profile, one))) return true;
  if (!isOfShell) return false;
  const isOwn = (one: AbsolutePath): boolean => isMadeInside(one) && accessTo(profile, one) === "none";
  if (way.places.some(isOwn)) return true;
  if (word.includes("/")) return isMissing(word, real);
  const at = folders.findIndex((folder) => path === `${folder}/${word}`);
  return folders.slice(0, at < 0 ? folders.length : at).some((one) => mayWrite(profile, one));
}

/** True for a place where the call can put a file or a folder. */
function mayWrite(profile: Profile, place: AbsolutePath): boolean {
  return (["file", "folder"] as const).some(
    (kind) => accessTo(profile, place, { kind, bornInside: false }) === "write",
  );
}

function arePathsInside({ paths }: CommandFacts, all: readonly Root[], names: readonly string[]): boolean {
  const roots = all.filter((root) => names.includes(root.name));
  return paths.every((path) => path !== null && roots.some((root) => isInside(path, root.path)));
}
