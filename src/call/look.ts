import { resolve } from "node:path";
import type { ProgramFacts } from "../decide/binding.ts";
import type { CallPolicy } from "../decide/call-policy.ts";
import type { CommandFacts } from "../decide/judged-line.ts";
import { rulesIn } from "../decide/meet-policies.ts";
import type { CallFacts } from "../decide/prepare.ts";
import type { TouchedPlaces } from "../decide/touched-places.ts";
import { CofferdamError, visible } from "../errors.ts";
import { isExecutable } from "../host/launch/program-start.ts";
import { contentIdOf, MAX_CONTENT_BYTES } from "../host/look/content.ts";
import { BoundedLook, hasDetour, type Lstat, leadsTo, plainPath, wayOf } from "../host/look/leads.ts";
import { linkAt, realPathOf } from "../host/look/nodes.ts";
import { SPELLING } from "../host/look/spelling.ts";
import { accessTo } from "../profile/access-to.ts";
import { type AbsolutePath, isAbsolutePath, isInside, isTooDeep, MAX_NAMES, ROOT } from "../profile/path.ts";
import { possiblePathWords } from "../shell/path-words.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { isOpaque } from "../shell/word.ts";
import { lineOf, type ShellInput, wordsOf } from "../tool/call.ts";
import type { ToolSettings } from "../tool/derive.ts";
import { RuleNames } from "./rule-names.ts";
import { shownLinks } from "./shown-links.ts";
import { touchedPlaces } from "./touched.ts";
import { commandNotFound, whyUnstartable } from "./unstartable.ts";

/** A longer path leads nowhere (path_resolution(7), `PATH_MAX`). */
const MAX_PATH_LENGTH = 4_095;
/** Maximum of characters of paths looked up in a call, each from its first folder on; other targets are unknown. */
const MAX_LOOKED_UP = 64 * 1024;
/** Maximum of characters of all folders on their ways: other work waits. A thousand usual paths have fewer. */
const MAX_PASSED = 256 * 1024;

/** Maximum of programs looked up in one call. Further ones are unknown, so every name may be theirs. */
const MAX_PROGRAMS = 256;
/** Maximum of names matched against rules instead. */
const MAX_GUESSED_NAMES = 20_000;

/**
 * Looks up the facts of a call on this machine: its folder, its programs, the paths among its words. `pwd` is the base
 * as the caller's shell spells it. Throws `USAGE` for a missing folder, and for a line with too many programs to judge.
 */
export function lookAtCall(
  input: ShellInput,
  policy: CallPolicy,
  base: AbsolutePath,
  pwd?: string,
): Pick<
  CallFacts,
  "cwd" | "typedCwd" | "program" | "unstartable" | "commands" | "touches" | "touched" | "unread"
> {
  const cwd = folderOf(input.cwd, base, policy);
  const line = lineOf(input);
  const programs = new ProgramLooks(cwd, policy);
  const [word] = wordsOf(input);
  const { program } = programs.at(word);
  const budget = { left: MAX_LOOKED_UP, look: new BoundedLook(MAX_PASSED) };
  const touched = touchedPlaces(line.touches, cwd, policy, budget.look);
  const needsPaths = hasRoots(policy) || policy.withoutApproval.digest !== policy.withApproval.digest;
  const commands = line.commands.map(({ words, ...fed }): CommandFacts => {
    const found = programs.of(words[0]);
    return { words, ...fed, ...found, paths: needsPaths ? pathsOf(words, touched, budget) : [] };
  });
  const seen = whyUnstartable(word, cwd, policy.withApproval.profile, policy, programs.look);
  const unstartable = seen ?? (program.path === null ? commandNotFound(word, policy) : null);
  const typedCwd = typedFolder(input.cwd ?? ".", cwd, { base, pwd }, policy);
  return {
    cwd,
    typedCwd,
    program,
    unstartable,
    commands,
    touches: line.touches,
    touched,
    unread: line.unread,
  };
}

const UNKNOWN: FoundProgram = {
  program: { path: null, real: null, id: null, content: null },
  way: { links: [], aliases: [], places: [], isTooLong: false },
  before: [],
};

type FoundProgram = Pick<CommandFacts, "program" | "way" | "before">;

type NameFacts = FoundProgram & Pick<CommandFacts, "ruleNames" | "isLookedUp">;

/** The programs of one call, each looked up once. */
class ProgramLooks {
  readonly #cwd: AbsolutePath;
  readonly #policy: CallPolicy;
  readonly #names: RuleNames;
  readonly #known = new Map<string, NameFacts>();
  readonly #budget: ContentBudget = { look: new BoundedLook(MAX_PASSED), bytes: MAX_CONTENT_BYTES };
  #guessed = 0;

  constructor(cwd: AbsolutePath, policy: CallPolicy) {
    this.#cwd = cwd;
    this.#policy = policy;
    this.#names = new RuleNames(policy, cwd);
  }

  /** Sees each place once, as it was when the first program was looked up. */
  get look(): BoundedLook {
    return this.#budget.look;
  }

  /** The program of a command. Throws `USAGE` if too many unknown programs are to be judged. */
  of(name: string): NameFacts {
    if (isOpaque(name)) return { ...UNKNOWN, ruleNames: [], isLookedUp: true };
    // The program of the call itself counts as well: for a script, the shell.
    const isMore = this.#known.size > MAX_PROGRAMS || this.#budget.look.isOver;
    if (this.#known.has(name) || !isMore) return this.at(name);
    const ruleNames = this.#names.all;
    this.#guessed += ruleNames.length;
    if (this.#guessed > MAX_GUESSED_NAMES)
      throw new CofferdamError(
        "USAGE",
        `the line has too many programs to check: more than ${MAX_PROGRAMS}`,
        { hint: "split it into several calls, or write it to a file and run that" },
      );
    return { ...UNKNOWN, ruleNames, isLookedUp: false };
  }

  at(name: string): NameFacts {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = findProgram(name, this.#cwd, this.#policy.settings, this.#budget);
    const facts = { ...found, ruleNames: this.#names.of(found), isLookedUp: !this.#budget.look.isOver };
    this.#known.set(name, facts);
    return facts;
  }
}

/** The possible folders of a command, and the targets of its path words; those that bash expands may lead anywhere. */
function pathsOf(
  words: SimpleCommand["words"],
  { folders }: TouchedPlaces,
  budget: PathBudget,
): CommandFacts["paths"] {
  if (folders === null || words.some(isOpaque)) return [null];
  return folders.flatMap((folder) => [folder, ...realTargets(possiblePathWords(words), folder, budget)]);
}

/** Only rules with `sandbox_paths` need the paths among the words. */
function hasRoots(policy: CallPolicy): boolean {
  return rulesIn(policy).some(({ config }) =>
    config.shell.rules.some((rule) => rule.sandbox_paths !== undefined),
  );
}

/**
 * The canonical folder that a call starts in. For a folder hidden from the call, existing or not, only its spelling and
 * visible links count: the call is rejected by that. Throws `USAGE` if there is none.
 */
export function folderOf(
  written: string | undefined,
  base: AbsolutePath,
  { withApproval }: CallPolicy,
): AbsolutePath {
  if (isTooDeep(written ?? ""))
    throw new CofferdamError("USAGE", `\`cwd\` has more than ${MAX_NAMES} names`, {
      hint: "use a folder that is less deep",
    });
  const path = resolve(base, written ?? ".");
  const look = new BoundedLook(MAX_PASSED);
  const isSeen = (one: AbsolutePath): boolean =>
    accessTo(withApproval.profile, one, { kind: "folder", bornInside: false }) !== "none";
  if (hasDetour(written ?? "")) {
    const led = leadsTo(`${base}/${written}`, ROOT, isSeen, look.at);
    if (led.kind === "folder" || led.kind === "unseen") return led.path;
  } else if (isAbsolutePath(path)) {
    // The kernel follows each path that it gets to the end, at any length.
    const { end, links } = wayOf(path, ROOT, look.at);
    const isReal = SPELLING.isOnly && links.length === 0 && end === path;
    const real = look.isOver ? null : isReal ? path : realPathOf(path);
    if (real !== null && isSeen(real) && look.at(real)?.isDirectory() === true) return real;
    const led = leadsTo(path, ROOT, isSeen, look.at);
    if (led.kind === "unseen") return led.path;
  }
  throw new CofferdamError("USAGE", `the folder ${visible(path)} does not exist`, {
    hint: "name an existing folder as `cwd`",
  });
}

/** The caller's spelling of the start folder, if it leads there inside too; null if canonical or unknown. */
function typedFolder(
  written: string,
  cwd: AbsolutePath,
  from: { readonly base: AbsolutePath; readonly pwd: string | undefined },
  policy: CallPolicy,
): AbsolutePath | null {
  const { base, pwd = base } = from;
  const typed = resolve(isAbsolutePath(pwd) ? pwd : base, written);
  if (typed === cwd || hasDetour(written) || !isAbsolutePath(typed)) return null;
  const look = new BoundedLook(MAX_PASSED);
  const { end, links } = wayOf(typed, ROOT, look.at);
  const made = shownLinks(policy);
  return end === cwd && !look.isOver && links.every((link) => linkAt(link) === made.get(link)) ? typed : null;
}

/** A word with a slash is a path; any other is searched in the PATH inside, never in the caller's. */
export function lookAtProgram(word: string, cwd: AbsolutePath, settings: ToolSettings): ProgramFacts {
  const budget = { look: new BoundedLook(MAX_PASSED), bytes: MAX_CONTENT_BYTES };
  return findProgram(word, cwd, settings, budget).program;
}

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
  if (word.length > MAX_PATH_LENGTH || isTooDeep(word)) return UNKNOWN;
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
    // Even in a root that this call only reads: other calls may write there.
    const isShared = settings.roots.some((root) => isInside(real, root.path));
    const id = `${stats.dev}:${stats.ino}`;
    const content = isShared ? contentIdOf(real, id, budget.bytes) : null;
    if (content !== null) budget.bytes -= Math.min(stats.size, budget.bytes);
    return { program: { path, real, id, content }, way, before };
  }
  return { ...UNKNOWN, before };
}

/** The targets of the paths; null for one too long for the kernel (`PATH_MAX`), and for all beyond the budget. */
function realTargets(paths: Iterable<string>, cwd: AbsolutePath, budget: PathBudget): CommandFacts["paths"] {
  const found: (AbsolutePath | null)[] = [];
  for (const path of paths) {
    budget.left -= cwd.length + 1 + path.length;
    if (budget.left < 0) return [...found, null];
    const isNowhere = path.length > MAX_PATH_LENGTH || path.startsWith("~") || isTooDeep(path);
    const target = isNowhere ? null : targetOf(path, cwd, budget.look.at);
    if (budget.look.isOver) return [...found, null];
    found.push(target);
  }
  return found;
}

interface PathBudget {
  /** In characters of the paths. */
  left: number;
  readonly look: BoundedLook;
}

/** The target of a path. One that looks like an option counts only as far as its name exists. */
function targetOf(path: string, cwd: AbsolutePath, look: Lstat): AbsolutePath | null {
  const { end } = wayOf(path, cwd, look);
  const isOption = path.startsWith("-") && path.includes("/");
  return end === null && isOption ? wayOf(path.slice(0, path.indexOf("/")), cwd, look).end : end;
}
