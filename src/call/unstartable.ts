import type { Stats } from "node:fs";
import { resolve } from "node:path";
import type { CallPolicy } from "../decide/call-policy.ts";
import type { Unstartable } from "../decide/start-fault.ts";
import { visible } from "../errors.ts";
import { type InterpreterStart, isExecutable, programStart } from "../host/launch/program-start.ts";
import { BoundedLook, type Lstat, leadsTo } from "../host/look/leads.ts";
import { accessTo } from "../profile/access-to.ts";
import { type AbsolutePath, isTooDeep } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import { quote } from "../shell/quote.ts";
import { addRuntimeNamed, addRuntimeOf } from "./runtime-hint.ts";
import { shownLinks } from "./shown-links.ts";

/** The facts that decide which programs can start: search folders, and places that belong to the sandbox. */
export type StartSight = Pick<CallPolicy, "settings" | "backend">;

/** Maximum of characters of all places checked for one program. */
const MAX_PASSED = 64 * 1024;
/** A script may be run by a script, and so on: the kernel follows five (fs/exec.c, `exec_binprm`). */
const MAX_INTERPRETERS = 5;
const FOLDER = { kind: "folder", bornInside: false } as const;

/**
 * Why the sandbox can't start a program, as far as visible; null if no obstacle is known. Only places that the profile
 * shows are checked: a link is followed if it can be read inside, its target outside is not checked. `look` is for a
 * caller that has already looked at the program.
 */
export function whyUnstartable(
  word: string,
  cwd: AbsolutePath,
  profile: Profile,
  sight: StartSight,
  look: BoundedLook = new BoundedLook(MAX_PASSED),
): Unstartable | null {
  if (word === "" || isTooDeep(word)) return null;
  const programs = startableUnder(profile, sight);
  const key = `${cwd}\0${word}`;
  if (isAsSeen(programs.get(key), look)) return null;
  const start = new StartLook(cwd, profile, sight, look);
  const fault = faultOf(word, MAX_INTERPRETERS, start);
  if (programs.size >= MAX_REMEMBERED) programs.clear();
  if (fault === null && !look.isOver) programs.set(key, start.seen);
  return fault;
}

const MAX_REMEMBERED = 256;

type Seen = ReadonlyMap<AbsolutePath, string>;

/** Nearly every call starts a program that could be started before: then only changes on the way to it are checked. */
const startable = new WeakMap<StartSight["settings"], WeakMap<Profile, Map<string, Seen>>>();

/** The programs that could be started, each by its folder and word. */
function startableUnder(profile: Profile, { settings }: StartSight): Map<string, Seen> {
  const profiles = startable.get(settings) ?? new WeakMap<Profile, Map<string, Seen>>();
  startable.set(settings, profiles);
  const programs = profiles.get(profile) ?? new Map<string, Seen>();
  profiles.set(profile, programs);
  return programs;
}

function isAsSeen(seen: Seen | undefined, look: BoundedLook): boolean {
  return seen !== undefined && [...seen].every(([path, state]) => stateOf(look.at(path)) === state);
}

/** A folder changes with its content, which is checked itself; no process can set a change time (inode(7)). */
function stateOf(stats: Stats | null): string {
  if (stats === null) return "";
  const { dev, ino, mode, uid, gid, ctimeMs } = stats;
  return [dev, ino, mode, uid, gid, stats.isDirectory() ? 0 : ctimeMs].join(":");
}

type Found =
  | { readonly kind: "program"; readonly path: AbsolutePath; readonly start: InterpreterStart | null }
  | { readonly kind: "missing" | "folder" | "not-executable" | "unknown" }
  /** Not shown inside; `byLink` if a link inside leads there. */
  | { readonly kind: "outside"; readonly path: AbsolutePath; readonly byLink: boolean };

class StartLook {
  readonly sight: StartSight;
  readonly seen = new Map<AbsolutePath, string>();
  readonly #cwd: AbsolutePath;
  readonly #profile: Profile;
  readonly #look: BoundedLook;
  readonly #links: ReadonlyMap<AbsolutePath, string>;

  constructor(cwd: AbsolutePath, profile: Profile, sight: StartSight, look: BoundedLook) {
    this.#look = look;
    this.sight = sight;
    this.#cwd = cwd;
    this.#profile = profile;
    this.#links = shownLinks(sight);
  }

  /** The first program of that name, in the order of the kernel and shells; else the nearest match. */
  find(word: string, isInterpreter = false): Found {
    if (word.includes("/")) return this.#at(word, isInterpreter);
    let nearest: Found = { kind: "missing" };
    for (const folder of searchPath(this.sight)) {
      const found = this.#at(`${folder}/${word}`);
      if (found.kind === "program") return found;
      if (found.kind === "outside" && found.byLink && nearest.kind === "missing") nearest = found;
    }
    return nearest;
  }

  readonly #statsAt: Lstat = (path) => {
    const stats = this.#look.at(path);
    this.seen.set(path, stateOf(stats));
    return stats;
  };

  #at(written: string, isInterpreter = false): Found {
    const { path, kind } = leadsTo(written, this.#cwd, (one) => this.#isShown(one), this.#statsAt);
    if (this.#look.isOver) return { kind: "unknown" };
    if (kind === "unseen" || (kind === "file" && accessTo(this.#profile, path) === "none")) {
      const byLink = resolve(this.#cwd, written) !== path;
      // The call itself may have made a file in a place of the sandbox's own.
      const isOwn = !byLink && this.sight.backend.viewAround(path) !== null;
      return isOwn && !isInterpreter ? { kind: "unknown" } : { kind: "outside", path, byLink };
    }
    if (kind !== "file") return { kind };
    const stats = this.#statsAt(path);
    if (stats?.isFile() !== true) return { kind: "unknown" };
    if (!isExecutable(path)) return { kind: "not-executable" };
    return { kind: "program", path, start: programStart(path, `${stats.dev}:${stats.ino}`) };
  }

  /** True for paths of the profile, and for links of runtimes, which are made again inside. */
  #isShown(path: AbsolutePath): boolean {
    return accessTo(this.#profile, path, FOLDER) !== "none" || this.#links.has(path);
  }
}

function faultOf(word: string, depth: number, look: StartLook): Unstartable | null {
  const found = look.find(word);
  const name = visible(word);
  switch (found.kind) {
    case "unknown":
      return null;
    case "program": {
      const { start } = found;
      // macOS has a loader of its own, which every sandbox shows.
      const isKnown = start !== null && (start.kind === "script" || look.sight.backend.platform === "linux");
      return depth === 0 || !isKnown ? null : faultOfStart(word, start, depth, look);
    }
    case "missing":
      return commandNotFound(word, look.sight);
    case "folder":
      return { reason: `${name} is a folder`, hint: "name a program in it" };
    case "not-executable":
      return {
        reason: `${name} is not executable`,
        hint: `make it executable with \`${quote(["chmod", "+x", word])}\`, or run it with its interpreter, for example \`${quote(["sh", word])}\``,
      };
    case "outside": {
      const reason = found.byLink
        ? `${name} leads to ${visible(found.path)}, which is not in the sandbox`
        : `${name} is not in the sandbox`;
      return { reason, hint: addRuntimeOf(found.path, look.sight.settings) };
    }
  }
}

/** The fault of a program that exists, but needs another one to run it. */
function faultOfStart(
  word: string,
  start: InterpreterStart,
  depth: number,
  look: StartLook,
): Unstartable | null {
  const { interpreter } = start;
  const missing = faultOfInterpreter(word, interpreter, depth, look);
  if (missing !== null || start.kind !== "script" || !/(^|\/)env$/.test(interpreter)) return missing;
  const program = startedByEnv(start.argument);
  return program === null ? null : faultOfInterpreter(word, program, depth, look);
}

function faultOfInterpreter(
  word: string,
  interpreter: string,
  depth: number,
  look: StartLook,
): Unstartable | null {
  const run = `${visible(word)} is run by ${visible(interpreter)}`;
  const found = look.find(interpreter, true);
  switch (found.kind) {
    case "unknown":
    case "not-executable":
      return null;
    case "program":
      return faultOf(interpreter, depth - 1, look);
    case "missing":
    case "folder": {
      const where = interpreter.includes("/") ? "which does not exist" : "which is not in the sandbox's PATH";
      const hint = interpreter.includes("/")
        ? "correct the first line of the script, or build the program again on this machine"
        : addRuntimeNamed(interpreter, look.sight.settings);
      return { reason: `${run}, ${where}`, hint };
    }
    case "outside": {
      const end = found.byLink ? `, which leads to ${visible(found.path)},` : ", which is";
      const reason = found.byLink
        ? `${run}${end} and that is not in the sandbox`
        : `${run}${end} not in the sandbox`;
      return { reason, hint: addRuntimeOf(found.path, look.sight.settings) };
    }
  }
}

/** The program that env(1) starts for a first line: `node`, `-S node --flag`, `-S NAME=value node`. */
function startedByEnv(argument: string): string | null {
  const words = argument.split(/[ \t]+/).filter((one) => one !== "");
  const plain = argument.startsWith("-S") ? [words[0]?.slice(2) ?? "", ...words.slice(1)] : [argument];
  return plain.find((one) => one !== "" && !one.startsWith("-") && !one.includes("=")) ?? null;
}

/** The answer for a program that was not found. */
export function commandNotFound(word: string, { settings }: Pick<StartSight, "settings">): Unstartable {
  const reason = `command not found in the sandbox: ${visible(word)}`;
  if (word.includes("/"))
    return { reason, hint: "check the path, and the folder that the command starts in" };
  const searched = searchPath({ settings }).join(":");
  return { reason, hint: `${addRuntimeNamed(word, settings)}; searched: ${searched}` };
}

/** The folders in which a name is searched, in order: PATH inside. */
export function searchPath({ settings }: Pick<StartSight, "settings">): readonly AbsolutePath[] {
  return settings.runtimes.flatMap((runtime) => runtime.path);
}
