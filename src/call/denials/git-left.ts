import { join, relative } from "node:path";
import type { Repository } from "../../backend/repositories.ts";
import { folderBehind } from "../../host/look/git/checked-out.ts";
import { type TrackedState, trackedStates } from "../../host/look/git/index-file.ts";
import { statsOf } from "../../host/look/nodes.ts";
import type { Denial } from "../../policy/denial.ts";
import { type AbsolutePath, isAbsolutePath, isInside, joinPath, parentOf } from "../../profile/path.ts";
import { quote } from "../../shell/quote.ts";
import { pathsIn } from "./complaints.ts";
import type { LimitHit } from "./masks.ts";
import type { HeldPath, PlanLimit } from "./plan-limits.ts";

/** The task of git, and its place. */
export interface GitWork {
  readonly cwd: AbsolutePath;
  /** The words of each command of the call. */
  readonly commands: readonly (readonly string[])[];
  /** The same, with those in lines that it hands to a shell. */
  readonly commandsInside: readonly (readonly string[])[];
  readonly repositories: readonly Pick<Repository, "kind" | "path">[];
  /** True for paths that the call may read anyway. */
  readonly isGranted: (path: AbsolutePath) => boolean;
}

interface LeftFile {
  readonly limit: HeldPath;
  readonly sign: Pick<Repository, "kind" | "path">;
  /** The path from the top of the working tree. */
  readonly name: string;
}

/** Git's messages about files it could not replace, make or remove (entry.c, unpack-trees.c, wrapper.c). */
const LEFT = /unable to (?:unlink|create|write|remove)|failed to unlink|could not (?:unlink|remove)/;
/** Maximum of files that a remedy names for removal or for putting aside. */
const MAX_FILES = 20;
const MAX_COMMAND = 200;

/** True if git reports that it could not replace a held file. */
export function isLeftByGit({ limit, complaint }: LimitHit): boolean {
  return limit.kind === "held" && LEFT.test(complaint.line);
}

/** Held files git could not change, and how to finish outside. Its index shows what it recorded despite status 0. */
export function unreplacedDenials(hits: readonly LimitHit[], work: GitWork): readonly Denial[] {
  const left = hits.flatMap((hit) => leftFile(hit, work) ?? []);
  const signs = [...new Set(left.map(({ sign }) => sign))];
  return signs.flatMap((sign) => {
    const files = left.filter((one) => one.sign === sign);
    const remedy = remedyFor(sign, [...new Set(files.map(({ name }) => name))], work);
    return files.map(({ limit: { denial } }): Denial => {
      return { ...denial, because: `git could not replace it: ${denial.because}`, remedy };
    });
  });
}

/** Files that git would not replace. It lists each on its own line after a tab, in every language (unpack-trees.c). */
export function listedByGit(said: string): readonly string[] {
  return said.split("\n").flatMap((line) => (line.startsWith("\t") ? [line.slice(1)] : []));
}

/** Files that stopped git: they hold uncommitted changes, and the sandbox keeps them as they are. */
export function blockedDenials(said: string, limits: readonly PlanLimit[], work: GitWork): readonly Denial[] {
  const listed = [...new Set(listedByGit(said))];
  if (listed.length === 0 || !changesTrees(work)) return [];
  const blocking = limits.flatMap((limit): readonly LeftFile[] => {
    const held = heldInTree(limit, work);
    if (held === null) return [];
    const names = listed.filter((name) => isBelow(parentOf(held.sign.path), name, limit.path));
    return names.map((name) => ({ ...held, name }));
  });
  return [...Map.groupBy(blocking, ({ sign }) => sign)].flatMap(([sign, files]) => {
    const git = gitIn(parentOf(sign.path), work.cwd);
    const names = files.map(({ name }) => name).slice(0, MAX_FILES);
    const aside = quote([...git, ...literally(names), "stash", "push", "-u", "--", ...names]);
    const folder = knownFolder(sign, work);
    const stopped = folder === null ? null : stoppedIn(folder);
    const command = gitCommandOf(work.commands);
    const again = stopped === null ? command?.line : quote([...git, stopped, "--continue"]);
    const remedy = `outside the sandbox, stash these files with \`${aside}\`, then run ${again === undefined ? "it again" : `\`${again}\``}`;
    return files.map(({ limit: { denial } }): Denial => {
      return { ...denial, because: `git stopped at this file: ${denial.because}`, remedy };
    });
  });
}

function leftFile({ limit, complaint }: LimitHit, work: GitWork): LeftFile | null {
  const held = heldInTree(limit, work);
  if (held === null) return null;
  const top = parentOf(held.sign.path);
  // Git names files from the top of the working tree.
  const name = pathsIn(complaint.line).find((written) => isBelow(top, written, limit.path));
  return { ...held, name: name ?? relative(top, limit.path) };
}

/** A held file with the innermost repository whose working tree contains it; null if not held, or in no tree. */
function heldInTree(limit: PlanLimit, { repositories }: GitWork): Omit<LeftFile, "name"> | null {
  if (limit.kind !== "held") return null;
  const around = repositories.filter(({ path }) => isInside(limit.path, parentOf(path)));
  const [sign] = around.toSorted((a, b) => b.path.length - a.path.length);
  return sign === undefined ? null : { limit, sign };
}

/** True if a name from the top of a working tree is the path, or lies below it. */
function isBelow(top: AbsolutePath, name: string, path: AbsolutePath): boolean {
  const whole = `${top}/${name}`;
  return isAbsolutePath(whole) && isInside(whole, path);
}

function gitIn(top: AbsolutePath, cwd: AbsolutePath): readonly string[] {
  return top === cwd ? ["git"] : ["git", "-C", relative(cwd, top) || top];
}

function remedyFor(sign: LeftFile["sign"], names: readonly string[], work: GitWork): string {
  const top = parentOf(sign.path);
  const folder = knownFolder(sign, work);
  const states = folder === null ? null : trackedStates(folder, top, names);
  const git = gitIn(top, work.cwd);
  if (states !== null) {
    const finish = finishRemedy(
      git,
      names.filter((name) => DIFFERS.has(states.get(name))),
      changesTrees(work)
        ? names.filter((name) => !states.has(name) && statsOf(joinPath(top, name)) !== null)
        : [],
      relative(work.cwd, top),
      names.some((name) => states.get(name) === "executable"),
    );
    if (finish !== null) return finish;
  }
  return repeatRemedy(folder === null ? null : stoppedIn(folder), git, gitCommandOf(work.commands));
}

const DIFFERS: ReadonlySet<TrackedState | undefined> = new Set(["differs", "executable"]);

/** The repository's own folder, if the call may read it anyway. */
function knownFolder(sign: LeftFile["sign"], work: GitWork): AbsolutePath | null {
  const folder = sign.kind === "folder" ? sign.path : folderBehind(sign.path);
  return folder !== null && work.isGranted(folder) ? folder : null;
}

/** How a person finishes changes and removals that git's index already has; null if it has neither. */
function finishRemedy(
  git: readonly string[],
  changed: readonly string[],
  gone: readonly string[],
  folder: string,
  hasProgram: boolean,
): string | null {
  const parts: string[] = [];
  if (changed.length > 0) {
    const finish = quote([...git, ...literally(changed), "checkout", "--", ...changed]);
    const program = hasProgram ? ", which also makes them executable" : "";
    parts.push(
      `git's index contains the change: outside the sandbox, review it with \`${lookAt(git, changed, folder)}\`, then apply it with \`${finish}\`${program}`,
    );
  }
  if (gone.length > 0) {
    const files = gone.slice(0, MAX_FILES).map((name) => join(folder, name));
    parts.push(
      `git's index does not contain it: if it was to be removed and you do not need it, finish outside the sandbox with \`${quote(["rm", "--", ...files])}\``,
    );
  }
  return parts.length === 0 ? null : parts.join("; ");
}

/** Stops git from reading names as patterns (gitglossary(7), pathspec), if one could be a pattern. */
function literally(names: readonly string[]): readonly string[] {
  return names.some((name) => /^:|[*?[\]\\]/.test(name)) ? ["--literal-pathspecs"] : [];
}

/**
 * Shows a person what a checkout would write, through the same filters, next to the present files. The call may have
 * written the index and attributes, so that `git diff` shows nothing, or a pointer. Its text must not steer a terminal.
 */
function lookAt(git: readonly string[], names: readonly string[], folder: string): string {
  const [name] = names;
  if (names.length === 1 && name !== undefined) {
    const path = join(folder, name);
    const beside = quote(["diff", "-auN", path.startsWith("-") ? `./${path}` : path, "-"]);
    return `${quote([...git, "cat-file", "--filters", `:0:${name}`])} | ${beside} | cat -v`;
  }
  const one = `${quote([...git, "cat-file", "--filters"])} ":0:$f"`;
  return `for f in ${quote(names)}; do ${one} | diff -auN ${quote([`${folder === "" ? "." : folder}/`])}"$f" - | cat -v; done`;
}

/** Unrecorded work is repeated as a whole, in a place where nothing is held. */
function repeatRemedy(
  stopped: string | null,
  git: readonly string[],
  command: { readonly verb: string; readonly line: string } | null,
): string {
  const again = command === null ? "run it again" : `run \`${command.line}\``;
  if (command !== null && DONE_AGAIN.has(command.verb)) return `${again} outside the sandbox`;
  const abort = stopped === null ? "" : `\`${quote([...git, stopped, "--abort"])}\`, `;
  const keep = quote([...git, "stash", "-u"]);
  return `git stopped and left a part of its changes in the working tree: outside the sandbox, stash them with \`${keep}\`, ${abort}then ${again}; they stay in \`git stash list\``;
}

/** Subcommands that need no clean working tree. */
const DONE_AGAIN = new Set(["checkout", "switch", "restore", "reset", "clean", "rm", "mv", "worktree"]);

/** Git's unfinished operation (gitrepository-layout(5); git-status.c). */
function stoppedIn(folder: AbsolutePath): string | null {
  const isThere = (name: string): boolean => statsOf(joinPath(folder, name)) !== null;
  if (isThere("rebase-merge") || isThere("rebase-apply")) return "rebase";
  if (isThere("MERGE_HEAD")) return "merge";
  if (isThere("REVERT_HEAD")) return "revert";
  return isThere("CHERRY_PICK_HEAD") || isThere("sequencer") ? "cherry-pick" : null;
}

/** The only git command of the call that changes working trees, as written. */
function gitCommandOf(
  commands: readonly (readonly string[])[],
): { readonly verb: string; readonly line: string } | null {
  const found = commands.flatMap((words) => {
    const verb = verbOf(words);
    const line = quote(words);
    if (verb === null || !CHANGING.has(verb) || line.length > MAX_COMMAND || !isPlain(words)) return [];
    // The files put aside first are then the newest stash.
    return [{ verb, line: /\bstash (?:pop|apply)$/.test(line) ? `${line} stash@{1}` : line }];
  });
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** Options that make git start no program named by a call (unlike `-c core.fsmonitor=…`, `rebase --exec`). */
const PLAIN_OPTION =
  /^(?:--|-[CBbdfmqru]|-f?dx?|--(?:(?:no-)?(?:rebase|edit|ff|commit|autostash)|ff-only|squash|hard|soft|mixed|merge|keep|source(?:=.*)?|staged|worktree|ours|theirs|detach|force|quiet|include-untracked|onto|message|continue|skip|abort))$/;

/** A person gets no command to run outside that may start a program chosen by the call. */
function isPlain([program = "", ...words]: readonly string[]): boolean {
  const isHarmless = (word: string): boolean =>
    word.startsWith("-") ? PLAIN_OPTION.test(word) : !word.includes("::");
  return program === "git" && words.every(isHarmless);
}

const CHANGING = new Set([
  ...DONE_AGAIN,
  "merge",
  "rebase",
  "pull",
  "stash",
  "cherry-pick",
  "revert",
  "am",
  "apply",
]);

/** True if the call itself starts git to change working trees. Git messages from other programs propose no removal. */
function changesTrees({ commandsInside }: GitWork): boolean {
  return commandsInside.some((words) => CHANGING.has(verbOf(words) ?? ""));
}

function verbOf([program = "", ...words]: readonly string[]): string | null {
  if (program !== "git" && !program.endsWith("/git")) return null;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (!word.startsWith("-")) return word;
    if (word === "-C" || word === "-c") at += 1;
  }
  return null;
}
