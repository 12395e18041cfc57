import { resolve } from "node:path";
import { CofferdamError, visible } from "../errors.ts";
import { contentIdOf, MOST_CONTENT_BYTES } from "../host/content.ts";
import { BoundedLook, hasDetour, type Look, leadsTo, plainPath, wayOf } from "../host/leads.ts";
import { linkAt, realPathOf } from "../host/nodes.ts";
import { isExecutable } from "../host/program-start.ts";
import { SPELLING } from "../host/spelling.ts";
import { accessTo } from "../profile/access-to.ts";
import { type AbsolutePath, isAbsolutePath, isInside, isTooDeep, MAX_NAMES, ROOT } from "../profile/path.ts";
import type { SimpleCommand } from "../shell/parse.ts";
import { possiblePathWords } from "../shell/path-words.ts";
import { isOpaque } from "../shell/word.ts";
import { lineOf, type ShellInput, wordsOf } from "../tool/call.ts";
import type { ToolSettings } from "../tool/derive.ts";
import type { ProgramFacts } from "./binding.ts";
import type { CommandFacts } from "./judged-line.ts";
import type { CallFacts } from "./prepare.ts";
import { RuleNames } from "./rule-names.ts";
import { shownLinks } from "./shown-links.ts";
import type { Standing } from "./standing.ts";
import { commandNotFound, whyUnstartable } from "./unstartable.ts";

/** No path that is longer leads anywhere (path_resolution(7), `PATH_MAX`). */
const MOST_PATH_LENGTH = 4_095;
/** So many characters of paths in a call are looked up, each from its first folder on; of the others nobody knows. */
const MOST_LOOKED_UP = 64 * 1024;
/** The folders on their ways have so many together: everything else waits meanwhile. A thousand usual paths have fewer. */
const MAX_PASSED = 256 * 1024;

/** So many programs of one call are looked up. Of the others nobody knows which they are, so every name may be theirs. */
const MOST_PROGRAMS = 256;
/** So many names are held against rules in their place. */
const MAX_GUESSED_NAMES = 20_000;

/**
 * What one call is about, as the machine has it now: where it starts, its programs, the paths among its words. `pwd` is the
 * base as the caller's shell spells it. Throws
 * `USAGE` where there is no such folder, and for a line of more programs than can be judged.
 */
export function lookAtCall(
  input: ShellInput,
  standing: Standing,
  base: AbsolutePath,
  pwd?: string,
): Pick<CallFacts, "cwd" | "typedCwd" | "program" | "unstartable" | "commands" | "unread"> {
  const cwd = folderOf(input.cwd, base, standing);
  const line = lineOf(input);
  const programs = new ProgramLooks(cwd, standing);
  const [word] = wordsOf(input);
  const { program } = programs.at(word);
  const budget = { left: MOST_LOOKED_UP, look: new BoundedLook(MAX_PASSED) };
  const commands = line.commands.map(({ words }): CommandFacts => {
    const found = programs.of(words[0]);
    return { words, ...found, paths: hasRoots(standing) ? pathsOf(words, cwd, budget) : [] };
  });
  const seen = whyUnstartable(word, cwd, standing.onYes.profile, standing, programs.look);
  const unstartable = seen ?? (program.path === null ? commandNotFound(word, standing) : null);
  const typedCwd = typedFolder(input.cwd ?? ".", cwd, { base, pwd }, standing);
  return { cwd, typedCwd, program, unstartable, commands, unread: line.unread };
}

const UNKNOWN: FoundProgram = {
  program: { path: null, real: null, id: null, content: null },
  way: { links: [], aliases: [], places: [], isTooLong: false },
  before: [],
};

/** A program, and the way to it. */
type FoundProgram = Pick<CommandFacts, "program" | "way" | "before">;

type NameFacts = FoundProgram & Pick<CommandFacts, "ruleNames" | "isLookedUp">;

/** The programs of one call, each looked at once. */
class ProgramLooks {
  readonly #cwd: AbsolutePath;
  readonly #standing: Standing;
  readonly #names: RuleNames;
  readonly #known = new Map<string, NameFacts>();
  readonly #budget: ContentBudget = { look: new BoundedLook(MAX_PASSED), bytes: MOST_CONTENT_BYTES };
  #guessed = 0;

  constructor(cwd: AbsolutePath, standing: Standing) {
    this.#cwd = cwd;
    this.#standing = standing;
    this.#names = new RuleNames(standing, cwd);
  }

  /** Sees each place once, as it was when the first program was looked up. */
  get look(): BoundedLook {
    return this.#budget.look;
  }

  /** The program of a command. Throws `USAGE` where so many are not known that they can't be judged. */
  of(name: string): NameFacts {
    if (isOpaque(name)) return { ...UNKNOWN, ruleNames: [], isLookedUp: true };
    // The program of the call itself is one of them: the shell, where it is a script.
    const isMore = this.#known.size > MOST_PROGRAMS || this.#budget.look.isOver;
    if (this.#known.has(name) || !isMore) return this.at(name);
    const ruleNames = this.#names.all;
    this.#guessed += ruleNames.length;
    if (this.#guessed > MAX_GUESSED_NAMES)
      throw new CofferdamError(
        "USAGE",
        `a line of more than ${MOST_PROGRAMS} programs is too much to be judged`,
        {
          hint: "make several calls of it, or write it to a file and run that",
        },
      );
    return { ...UNKNOWN, ruleNames, isLookedUp: false };
  }

  at(name: string): NameFacts {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = findProgram(name, this.#cwd, this.#standing.settings, this.#budget);
    const facts = { ...found, ruleNames: this.#names.of(found), isLookedUp: !this.#budget.look.isOver };
    this.#known.set(name, facts);
    return facts;
  }
}

/**
 * The folder that a command starts in, and where the paths among its words lead; a word that only bash will know may lead
 * anywhere.
 */
function pathsOf(
  words: SimpleCommand["words"],
  cwd: AbsolutePath,
  budget: PathBudget,
): CommandFacts["paths"] {
  return words.some(isOpaque) ? [null] : [cwd, ...realTargets(possiblePathWords(words), cwd, budget)];
}

/** The paths among the words matter to rules with `sandbox_paths` alone. */
function hasRoots({ config }: Standing): boolean {
  return config.shell.rules.some((rule) => rule.sandbox_paths !== undefined);
}

/**
 * The folder that a call starts in, canonical. Of one that the call can't see, whether it is there or not, what its
 * spelling and visible links say: it is refused by that. Throws `USAGE` when there is none.
 */
export function folderOf(written: string | undefined, base: AbsolutePath, { onYes }: Standing): AbsolutePath {
  if (isTooDeep(written ?? ""))
    throw new CofferdamError("USAGE", `\`cwd\` has more than ${MAX_NAMES} names`, {
      hint: "name a folder that lies less deep",
    });
  const path = resolve(base, written ?? ".");
  const look = new BoundedLook(MAX_PASSED);
  const isSeen = (one: AbsolutePath): boolean =>
    accessTo(onYes.profile, one, { kind: "folder", bornInside: false }) !== "none";
  if (hasDetour(written ?? "")) {
    const led = leadsTo(`${base}/${written}`, ROOT, isSeen, look.at);
    if (led.kind === "folder" || led.kind === "unseen") return led.path;
  } else if (isAbsolutePath(path)) {
    // The kernel goes each way that it is asked for to its end, however long it is.
    const { end, links } = wayOf(path, ROOT, look.at);
    const isReal = SPELLING.isOnly && links.length === 0 && end === path;
    const real = look.isOver ? null : isReal ? path : realPathOf(path);
    if (real !== null && isSeen(real) && look.at(real)?.isDirectory() === true) return real;
    const led = leadsTo(path, ROOT, isSeen, look.at);
    if (led.kind === "unseen") return led.path;
  }
  throw new CofferdamError("USAGE", `there is no folder ${visible(path)} to start in`, {
    hint: "name an existing folder as `cwd`",
  });
}

/**
 * The folder that a call starts in as its caller spells it, where that leads there inside as well: by links that are made
 * again. Null where the canonical path is what is spelled, or where it can't be told.
 */
function typedFolder(
  written: string,
  cwd: AbsolutePath,
  from: { readonly base: AbsolutePath; readonly pwd: string | undefined },
  standing: Standing,
): AbsolutePath | null {
  const { base, pwd = base } = from;
  const typed = resolve(isAbsolutePath(pwd) ? pwd : base, written);
  if (typed === cwd || hasDetour(written) || !isAbsolutePath(typed)) return null;
  const look = new BoundedLook(MAX_PASSED);
  const { end, links } = wayOf(typed, ROOT, look.at);
  const made = shownLinks(standing);
  return end === cwd && !look.isOver && links.every((link) => linkAt(link) === made.get(link)) ? typed : null;
}

/** A word with a slash is a path; any other is looked for in the PATH inside, never in the caller's. */
export function lookAtProgram(word: string, cwd: AbsolutePath, settings: ToolSettings): ProgramFacts {
  const budget = { look: new BoundedLook(MAX_PASSED), bytes: MOST_CONTENT_BYTES };
  return findProgram(word, cwd, settings, budget).program;
}

/** What may still be looked at of the programs of a call: of places on their ways, and of what they hold. */
interface ContentBudget {
  readonly look: BoundedLook;
  bytes: number;
}

function findProgram(
  word: string,
  cwd: AbsolutePath,
  settings: ToolSettings,
  budget: ContentBudget,
): FoundProgram {
  const folders = settings.runtimes.flatMap((runtime) => runtime.path);
  const isPath = word.includes("/");
  const before: AbsolutePath[] = [];
  const look = budget.look.at;
  if (word.length > MOST_PATH_LENGTH || isTooDeep(word)) return UNKNOWN;
  for (const from of isPath ? [cwd] : folders) {
    const path = plainPath(word, from, look);
    const way = wayOf(isPath ? word : `${from}/${word}`, from, look);
    const real = way.end;
    const stats = real === null ? null : look(real);
    if (budget.look.isOver) break;
    if (path === null || real === null || stats?.isFile() !== true || !isExecutable(real)) {
      before.push(...way.places);
      continue;
    }
    // Also in a root that this call only reads: others may write there.
    const isShared = settings.roots.some((root) => isInside(real, root.path));
    const id = `${stats.dev}:${stats.ino}`;
    const content = isShared ? contentIdOf(real, id, budget.bytes) : null;
    if (content !== null) budget.bytes -= Math.min(stats.size, budget.bytes);
    return { program: { path, real, id, content }, way, before };
  }
  return { ...UNKNOWN, before };
}

/**
 * Where the paths lead; null for one that the kernel takes for too long (`PATH_MAX`), and for all beyond what is
 * looked up.
 */
function realTargets(paths: Iterable<string>, cwd: AbsolutePath, budget: PathBudget): CommandFacts["paths"] {
  const found: (AbsolutePath | null)[] = [];
  for (const path of paths) {
    budget.left -= cwd.length + 1 + path.length;
    if (budget.left < 0) return [...found, null];
    const isNowhere = path.length > MOST_PATH_LENGTH || path.startsWith("~") || isTooDeep(path);
    const target = isNowhere ? null : targetOf(path, cwd, budget.look.at);
    if (budget.look.isOver) return [...found, null];
    found.push(target);
  }
  return found;
}

/** What may still be looked up of the paths among the words of a call. */
interface PathBudget {
  /** In characters of them. */
  left: number;
  readonly look: BoundedLook;
}

/** Where a path leads. One that looks like an option counts only as far as there is something of that name. */
function targetOf(path: string, cwd: AbsolutePath, look: Look): AbsolutePath | null {
  const { end } = wayOf(path, cwd, look);
  const isOption = path.startsWith("-") && path.includes("/");
  return end === null && isOption ? wayOf(path.slice(0, path.indexOf("/")), cwd, look).end : end;
}
