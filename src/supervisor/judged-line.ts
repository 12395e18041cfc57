import type { Way } from "../host/leads.ts";
import type { Command, CommandLine } from "../policy/command.ts";
import { accessTo } from "../profile/access-to.ts";
import { type AbsolutePath, isInside, nameOf, parentOf } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import { localeDoubts } from "../shell/locale.ts";
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
  /** The places that are passed where another would be found before it: of PATH, or of a path that leads to none. */
  readonly before: readonly AbsolutePath[];
  /** Where the words that may be paths lead, canonical; null for one that leads nowhere clear. */
  readonly paths: readonly (AbsolutePath | null)[];
  /** First words of rules that deny or ask, by which the program is known as well. */
  readonly ruleNames: readonly string[];
  /** False where nobody has looked which program it is, because there are too many. */
  readonly isLookedUp: boolean;
}

/** What a line's commands are judged by: what was found of them, and what the call may write. */
interface Found {
  readonly commands: readonly CommandFacts[];
  readonly unread: readonly string[];
  readonly roots: readonly Root[];
  /** By which bash reads characters; empty for its own. */
  readonly locale: string;
  /** What the call gets on a yes. */
  readonly profile: Profile;
  /** True for a path in a folder that sandboxes have of their own. */
  readonly isMadeInside: (path: AbsolutePath) => boolean;
}

/** A call of the shell tool as rules judge it: each of its commands, and what of it is not understood. */
export function judgedLine({ input }: Pick<Call, "input">, found: Found): CommandLine {
  const isOfShell = scriptOf(input) !== null;
  const isAlone = found.commands.length === 1 && found.unread.length === 0;
  const programs = new Map<string, Pick<Command, "programNames" | "programFile">>();
  const programOf = (one: CommandFacts): Pick<Command, "programNames" | "programFile"> => {
    const [word] = one.words;
    const known = programs.get(word) ?? {
      programNames: programNames(one),
      programFile: programFile(one, { isOfShell, isAlone }, found),
    };
    programs.set(word, known);
    return known;
  };
  return {
    commands: found.commands.map(
      (one): Command => ({
        words: one.words,
        ...programOf(one),
        arePathsInside: (names) => arePathsInside(one, found.roots, names),
      }),
    ),
    unread: [...found.unread, ...localeDoubts(scriptOf(input) ?? "", found.locale)],
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
  if (!command.isLookedUp) return "unsettled";
  if (!isProgramWritable(command, isOfShell, found)) return "fixed";
  const isMade = isMissing(command.words[0], command.program.real);
  return isOfShell && (isMade || !isAlone) ? "unsettled" : "writable";
}

/** True for a path where no program was found. */
function isMissing(word: string, real: AbsolutePath | null): boolean {
  return real === null && word.includes("/");
}

/**
 * True when the call could have written the program, or put another thing at a place that is passed on the way to it. A
 * shell looks a name up only when its turn comes, so an earlier command may also make what is found before it, and in
 * folders of the sandbox's own whatever the host has there.
 */
function isProgramWritable(
  { words: [word], program: { real }, way, before }: CommandFacts,
  isOfShell: boolean,
  { profile, isMadeInside }: Found,
): boolean {
  if (real !== null && mayWrite(profile, real)) return true;
  if (way.places.some((one) => mayReplace(profile, one))) return true;
  const isOwn = (one: AbsolutePath): boolean =>
    isMadeInside(parentOf(one)) && accessTo(profile, one, FOLDER) === "none";
  return (
    isOfShell &&
    (isMissing(word, real) ||
      way.places.some(isOwn) ||
      before.some((one) => mayReplace(profile, one) || isOwn(one)))
  );
}

const FOLDER = { kind: "folder", bornInside: false } as const;

/** True for a place that the call can put another thing at: in a folder that it may write, and no mount nor above one. */
function mayReplace(profile: Profile, place: AbsolutePath): boolean {
  const isMount = profile.files.some(({ path, access }) => access !== "write" && isInside(path, place));
  return !isMount && mayWrite(profile, place) && accessTo(profile, parentOf(place), FOLDER) === "write";
}

/** True for what the call may write as a file, or as a folder. */
function mayWrite(profile: Profile, place: AbsolutePath): boolean {
  return accessTo(profile, place) === "write" || accessTo(profile, place, FOLDER) === "write";
}

function arePathsInside({ paths }: CommandFacts, all: readonly Root[], names: readonly string[]): boolean {
  const roots = all.filter((root) => names.includes(root.name));
  return paths.every((path) => path !== null && roots.some((root) => isInside(path, root.path)));
}
