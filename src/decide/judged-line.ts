import type { LeadingWay } from "../host/look/leads.ts";
import type { CommandLine, JudgedCommand } from "../policy/command.ts";
import type { ProgramPlace } from "../policy/program-place.ts";
import { accessTo } from "../profile/access-to.ts";
import { type AbsolutePath, isInside, nameOf, parentOf } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import { isHarmlessBuiltin } from "../shell/builtins.ts";
import { localeDoubts } from "../shell/locale.ts";
import { onlyReads } from "../shell/only-reads.ts";
import { fileNameOf } from "../shell/rule.ts";
import type { ShellTouch } from "../shell/touch.ts";
import { type Call, scriptOf, wordsOf } from "../tool/call.ts";
import type { Root } from "../tool/facts.ts";
import type { ProgramFacts } from "./binding.ts";
import { type GainedAccess, gainInWords } from "./gained-access.ts";
import type { TouchedPlaces } from "./touched-places.ts";

/** Facts looked up for one simple command of a call. */
export interface CommandFacts {
  readonly words: readonly [string, ...string[]];
  /** See `SimpleCommand.isFed`. */
  readonly isFed?: true;
  readonly program: ProgramFacts;
  readonly way: Omit<LeadingWay, "end">;
  /** Places where another program would be found first: in PATH, or on a path that leads nowhere. */
  readonly before: readonly AbsolutePath[];
  /** Canonical targets of the words that may be paths; null for a word without a clear target. */
  readonly paths: readonly (AbsolutePath | null)[];
  /** First words of deny and ask rules that also name this program. */
  readonly ruleNames: readonly string[];
  /** False if the program was not looked up because the call has too many. */
  readonly isLookedUp: boolean;
}

interface Found {
  readonly commands: readonly CommandFacts[];
  readonly touches: readonly ShellTouch[];
  readonly touched: TouchedPlaces;
  readonly unread: readonly string[];
  readonly roots: readonly Root[];
  /** Bash's locale for reading characters; empty for its default. */
  readonly locale: string;
  /** The profile with approval. */
  readonly profile: Profile;
  /** The access that approval adds; null if it adds none. */
  readonly gained: GainedAccess | null;
  /** True for a path in a folder that belongs to the sandbox itself. */
  readonly isMadeInside: (path: AbsolutePath) => boolean;
}

type JudgedProgram = Pick<JudgedCommand, "programNames" | "programFile" | "programPlace">;

/** A call of the shell tool as rules judge it: each of its commands, and the parts that were not understood. */
export function judgedLine({ input }: Pick<Call, "input">, found: Found): CommandLine {
  const isOfShell = scriptOf(input) !== null;
  const isAlone = found.commands.length === 1 && found.unread.length === 0;
  const programs = new Map<string, JudgedProgram>();
  const gains = found.gained === null ? null : gainInWords(found.gained, found.roots);
  const programOf = (one: CommandFacts): JudgedProgram => {
    const [word] = one.words;
    const known = programs.get(word) ?? {
      programNames: programNames(one),
      ...programFile(one, { isOfShell, isAlone }, found),
    };
    programs.set(word, known);
    return known;
  };
  return {
    commands: found.commands.map((one): JudgedCommand => {
      const program = programOf(one);
      return {
        words: one.words,
        ...(one.isFed === true ? { isFed: true } : {}),
        ...program,
        arePathsInside: (names) => arePathsInside(one, found, names),
        gains: mayUse(one, program, found, isOfShell) ? gains : null,
      };
    }),
    touches: found.touches,
    gains,
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

/** A shell looks a program up when it reaches the command: earlier commands may have replaced or created it by then. */
function programFile(
  command: CommandFacts,
  { isOfShell, isAlone }: { readonly isOfShell: boolean; readonly isAlone: boolean },
  found: Found,
): Pick<JudgedCommand, "programFile" | "programPlace"> {
  if (!command.isLookedUp) return { programFile: "unsettled" };
  const [word] = command.words;
  const hasMoved = found.touched.folders?.length !== 1;
  if (hasMoved && word.includes("/") && !word.startsWith("/")) return { programFile: "unsettled" };
  const place = changeablePlace(command, isOfShell, found);
  const isMade = isOfShell && isMissing(command.words[0], command.program.real);
  if (place === null && !isMade) return { programFile: "fixed" };
  const isUnsettled = isOfShell && (isMade || !isAlone);
  return { programFile: isUnsettled ? "unsettled" : "writable", programPlace: place };
}

function isMissing(word: string, real: AbsolutePath | null): boolean {
  return real === null && word.includes("/");
}

/**
 * The place at which the call could have written the program, replaced something on the way to it, or created an earlier match: a
 * shell looks names up late. In the sandbox's own folders it may do so whatever the host has there. The last such
 * place, because it names the program most closely; null if there is none.
 */
function changeablePlace(
  { program: { real }, way, before }: CommandFacts,
  isOfShell: boolean,
  { profile, isMadeInside }: Found,
): ProgramPlace | null {
  const isOwn = (one: AbsolutePath): boolean =>
    isMadeInside(parentOf(one)) && accessTo(profile, one, FOLDER) === "none";
  const mayChange = (one: AbsolutePath): boolean => mayReplace(profile, one) || (isOfShell && isOwn(one));
  const path =
    (real !== null && mayWrite(profile, real) ? real : undefined) ??
    way.places.findLast(mayChange) ??
    (isOfShell ? before.findLast(mayChange) : undefined);
  return path === undefined ? null : { path, isPrivate: isOwn(path) };
}

const NOWHERE = "/dev/null";

const FOLDER = { kind: "folder", bornInside: false } as const;

/** True if the call can replace this place: its folder is writable, and it is neither a mount nor above one. */
function mayReplace(profile: Profile, place: AbsolutePath): boolean {
  const isMount = profile.files.some(({ path, access }) => access !== "write" && isInside(path, place));
  return !isMount && mayWrite(profile, place) && accessTo(profile, parentOf(place), FOLDER) === "write";
}

function mayWrite(profile: Profile, place: AbsolutePath): boolean {
  return accessTo(profile, place) === "write" || accessTo(profile, place, FOLDER) === "write";
}

/** True if the paths of a command, and the places that bash itself uses in the line, are all in the named roots. */
function arePathsInside(
  { paths }: CommandFacts,
  { roots: all, touched }: Found,
  names: readonly string[],
): boolean {
  const roots = all.filter((root) => names.includes(root.name));
  const isIn = (path: AbsolutePath | null): boolean =>
    path !== null && roots.some((root) => isInside(path, root.path));
  return (
    paths.every(isIn) &&
    touched.folders !== null &&
    touched.folders.every(isIn) &&
    touched.opened.every(({ path }) => isIn(path) || path === NOWHERE)
  );
}

/**
 * True if a command may use the access that approval adds. Surely not if it only reads, or is bash's own, and nothing
 * that it names can be read only with approval.
 */
function mayUse(
  { words, paths }: CommandFacts,
  { programFile }: Pick<JudgedCommand, "programFile">,
  { gained, touched }: Found,
  isOfShell: boolean,
): boolean {
  if (gained === null) return false;
  const isBuiltin = isOfShell && isHarmlessBuiltin(words);
  if (!isBuiltin && (programFile !== "fixed" || !onlyReads(words))) return true;
  const { readable } = gained;
  if (readable.length === 0) return false;
  const reaches = (path: AbsolutePath | null): boolean =>
    path === null || readable.some((place) => isInside(path, place) || isInside(place, path));
  return paths.some(reaches) || touched.folders === null || touched.folders.some(reaches);
}
