import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { CofferdamError, visible } from "../errors.ts";
import { contentIdOf } from "../host/content.ts";
import { hasDetour, leadsTo, lookingOnce, plainPath, wayOf } from "../host/leads.ts";
import { realPathOf, statsOf } from "../host/nodes.ts";
import { accessTo } from "../profile/access-to.ts";
import { type AbsolutePath, isAbsolutePath, isInside, ROOT } from "../profile/path.ts";
import type { SimpleCommand } from "../shell/parse.ts";
import { possiblePathWords } from "../shell/path-words.ts";
import { isOpaque } from "../shell/word.ts";
import { lineOf, type ShellInput, wordsOf } from "../tool/call.ts";
import type { ToolSettings } from "../tool/derive.ts";
import type { ProgramFacts } from "./binding.ts";
import type { CommandFacts } from "./judged-line.ts";
import type { CallFacts } from "./prepare.ts";
import { ruleNames, strictWords } from "./rule-names.ts";
import type { Standing } from "./standing.ts";

/** No path that is longer leads anywhere (path_resolution(7), `PATH_MAX`). */
const MOST_PATH_LENGTH = 4_095;
/** Each folder of each path is looked at, while everything else waits: no more than so many characters of path in a call. */
const MOST_LOOKED_UP = 64 * 1024;

/** So many programs of one call are looked up. Of the others nobody knows which they are, so every name may be theirs. */
const MOST_PROGRAMS = 256;

/** What one call is about, as the machine has it now: where it starts, its programs, the paths among its words. */
export function lookAtCall(
  input: ShellInput,
  standing: Standing,
  base: AbsolutePath,
): Pick<CallFacts, "cwd" | "program" | "commands" | "unread"> {
  const cwd = folderOf(input.cwd, base, standing);
  const known = new Map<string, NameFacts>();
  const budget = { left: MOST_LOOKED_UP };
  const line = lineOf(input);
  const commands = line.commands.map(({ words }): CommandFacts => {
    const [name] = words;
    const found = known.get(name) ?? lookAtName(name, cwd, standing, known.size);
    known.set(name, found);
    return { words, ...found, paths: hasRoots(standing) ? pathsOf(words, cwd, budget) : [] };
  });
  const [word] = wordsOf(input);
  const seen = known.get(word)?.program;
  const program =
    seen === undefined || seen.path === null ? lookAtProgram(word, cwd, standing.settings) : seen;
  return { cwd, program, commands, unread: line.unread };
}

const UNKNOWN: FoundProgram = {
  program: { path: null, real: null, id: null, content: null },
  way: { links: [], aliases: [], places: [] },
  before: [],
};

/** A program, and the way to it. */
type FoundProgram = Pick<CommandFacts, "program" | "way" | "before">;

type NameFacts = FoundProgram & Pick<CommandFacts, "ruleNames">;

function lookAtName(name: string, cwd: AbsolutePath, standing: Standing, lookedUp: number): NameFacts {
  if (isOpaque(name)) return { ...UNKNOWN, ruleNames: [] };
  if (lookedUp >= MOST_PROGRAMS) return { ...UNKNOWN, ruleNames: strictWords(standing) };
  const found = findProgram(name, cwd, standing.settings);
  return { ...found, ruleNames: ruleNames(found, standing, cwd) };
}

/**
 * The folder that a command starts in, and where the paths among its words lead; a word that only bash will know may lead
 * anywhere.
 */
function pathsOf(
  words: SimpleCommand["words"],
  cwd: AbsolutePath,
  budget: { left: number },
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
function folderOf(written: string | undefined, base: AbsolutePath, { onYes }: Standing): AbsolutePath {
  const path = resolve(base, written ?? ".");
  const isSeen = (one: AbsolutePath): boolean =>
    accessTo(onYes.profile, one, { kind: "folder", bornInside: false }) !== "none";
  if (hasDetour(written ?? "")) {
    const led = leadsTo(`${base}/${written}`, ROOT, isSeen);
    if (led.kind === "folder" || led.kind === "unseen") return led.path;
  } else if (isAbsolutePath(path)) {
    const real = realPathOf(path);
    if (real !== null && isSeen(real) && statsOf(real)?.isDirectory() === true) return real;
    const led = leadsTo(path, ROOT, isSeen);
    if (led.kind === "unseen") return led.path;
  }
  throw new CofferdamError("USAGE", `there is no folder ${visible(path)} to start in`, {
    hint: "name an existing folder as `cwd`",
  });
}

/** A word with a slash is a path; any other is looked for in the PATH inside, never in the caller's. */
export function lookAtProgram(word: string, cwd: AbsolutePath, settings: ToolSettings): ProgramFacts {
  return findProgram(word, cwd, settings).program;
}

function findProgram(word: string, cwd: AbsolutePath, settings: ToolSettings): FoundProgram {
  const folders = settings.runtimes.flatMap((runtime) => runtime.path);
  const isPath = word.includes("/");
  const before: AbsolutePath[] = [];
  const look = lookingOnce();
  for (const from of isPath ? [cwd] : folders) {
    const path = plainPath(word, from);
    const way = wayOf(isPath ? word : `${from}/${word}`, from, look);
    const real = way.end;
    const stats = real === null ? null : look(real);
    if (path === null || real === null || stats?.isFile() !== true || !isExecutable(real)) {
      before.push(...way.places);
      continue;
    }
    // Also in a root that this call only reads: others may write there.
    const isShared = settings.roots.some((root) => isInside(real, root.path));
    const id = `${stats.dev}:${stats.ino}`;
    return { program: { path, real, id, content: isShared ? contentIdOf(real, id) : null }, way, before };
  }
  return { ...UNKNOWN, before };
}

function isExecutable(path: AbsolutePath): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Where the paths lead; null for one that the kernel takes for too long (`PATH_MAX`), and for all beyond what is
 * looked up.
 */
function realTargets(
  paths: Iterable<string>,
  cwd: AbsolutePath,
  budget: { left: number },
): CommandFacts["paths"] {
  const found: (AbsolutePath | null)[] = [];
  for (const path of paths) {
    budget.left -= cwd.length + 1 + path.length;
    if (budget.left < 0) return [...found, null];
    found.push(path.length > MOST_PATH_LENGTH || path.startsWith("~") ? null : targetOf(path, cwd));
  }
  return found;
}

/** Where a path leads. One that looks like an option counts only as far as there is something of that name. */
function targetOf(path: string, cwd: AbsolutePath): AbsolutePath | null {
  const { end } = wayOf(path, cwd);
  const isOption = path.startsWith("-") && path.includes("/");
  return end === null && isOption ? wayOf(path.slice(0, path.indexOf("/")), cwd).end : end;
}
