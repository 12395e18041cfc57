import { relative } from "node:path";
import type { Denial } from "../../policy/denial.ts";
import { type AbsolutePath, isInside, namesOf } from "../../profile/path.ts";
import { quote } from "../../shell/quote.ts";
import {
  type Complaint,
  complaintsIn,
  isAboutRemoving,
  mentionOf,
  pathsIn,
  withoutPaths,
} from "./complaints.ts";
import { type PinnedPath, type PlanLimit, whyPinned } from "./plan-limits.ts";
import { type Commands, seemsTakenAway, type TakingAway, takenAway } from "./taken-away.ts";

/** The facts about an ended program that matter for the limits of its plan. */
export interface Evidence extends Commands {
  /** The end of its standard error. */
  readonly said: string;
  readonly words: string;
  /** Folders in which relative names may begin, the likeliest first. */
  readonly bases: readonly AbsolutePath[];
  readonly hasFailed: boolean;
}

/** The maximum of limits reported as likely for a complaint without a path. */
const MAX_GUESSED = 3;

/** A limit that a line complains about. */
export interface LimitHit {
  readonly limit: PlanLimit;
  readonly complaint: Complaint;
  readonly certainty: Denial["certainty"];
}

/**
 * The limits of a plan that a program ran into, the deepest first. Its output only selects among them: each target is a
 * path of the plan. `certain` if a line names the limit, or something in it, and reports a failure as the sandbox
 * causes it. A successful program gets only certain limits that it did not get round.
 */
export function limitHits(evidence: Evidence, limits: readonly PlanLimit[]): readonly LimitHit[] {
  const complaints = complaintsIn(evidence.said).filter(
    ({ kind }) => evidence.hasFailed || kind === "busy" || kind === "read-only",
  );
  if (complaints.length === 0) return [];
  const names = limits.map((limit) => ({ limit, names: namesFrom(limit.path, evidence.bases) }));
  const certain = complaints.flatMap((complaint) =>
    limitsNamedBy(complaint, names).map((limit): LimitHit => ({ limit, complaint, certainty: "certain" })),
  );
  if (certain.length > 0 || !evidence.hasFailed) return certain;
  return complaints.flatMap((complaint) =>
    limitsGuessed(complaint, evidence.words, names).map(
      (limit): LimitHit => ({ limit, complaint, certainty: "likely" }),
    ),
  );
}

/** The denials for these hits, each path once. */
export function maskDenials(
  hits: readonly LimitHit[],
  call: Pick<Evidence, "words" | "commands" | "cwd" | "bases">,
  limits: readonly PlanLimit[],
): readonly Denial[] {
  const pinned = limits.filter((one) => one.kind === "pinned");
  const denials = hits.map(({ limit, complaint, certainty }): Denial => {
    if (complaint.kind === "cross-mount") return denialOfMove(limit, certainty);
    if (limit.kind === "pinned") return denialOfRemoval(limit, certainty, complaint, call);
    const around = isMentioned(limit.path, call)
      ? undefined
      : pinned.findLast(({ path }) => isInside(limit.path, path) && wasToGo(path, complaint, call));
    if (around !== undefined) return denialOfRemoval(around, certainty, complaint, call);
    const isRead = complaint.kind === "refused" && limit.unreadable !== null;
    return { ...((isRead ? limit.unreadable : null) ?? limit.denial), certainty };
  });
  const first = new Map(denials.toReversed().map((one) => [`${one.operation} ${one.target}`, one]));
  const depth = ({ target }: Denial): number => target.split("/").length;
  const sorted = [...first.values()].reverse().sort((a, b) => depth(b) - depth(a));
  const isOther = ({ operation, target }: Denial): boolean =>
    operation !== "remove" || !PART_OF_WORKTREE.test(target);
  return WORKTREE_REMOVAL.test(call.words) && sorted.some(isOther) ? sorted.filter(isOther) : sorted;
}

/** True if the call seems to remove or move a folder: by a command, or by its name near words about that. */
function wasToGo(
  path: AbsolutePath,
  { line }: Complaint,
  call: Pick<Evidence, "words" | "commands" | "cwd" | "bases">,
): boolean {
  if (seemsTakenAway(call, namesFrom(path, call.bases))) return true;
  return isNamedWhole(path, call) && (isAboutRemoving(line) || REMOVING_CALL.test(call.words));
}

/** Calls that remove a folder in the languages' own libraries. */
const REMOVING_CALL =
  /\b(?:rmtree|removedirs|rmSync|rmdirSync|removeSync|remove_tree|rm_rf?|remove_dir_all|RemoveAll|deleteDirectory)\b|\bfs(?:\/promises)?['"`]?\)?\.rm\b/;

/** A repository's data about a worktree goes with the worktree (gitrepository-layout(5)). */
const PART_OF_WORKTREE = /\.git\/worktrees\/[^/]+$/;

function denialOfRemoval(
  limit: PinnedPath,
  certainty: Denial["certainty"],
  { line }: Complaint,
  call: Commands,
): Denial {
  const taking = takenAway(call, limit.path) ?? (MOVING.test(withoutPaths(line)) ? "move" : null);
  return {
    operation: "remove",
    target: limit.path,
    certainty,
    because: whyPinned(limit),
    remedy: remedyForRemoval(limit, taking),
  };
}

/**
 * The alternative to a removal. A command is given only if the call only removes that folder, and the folder is no
 * root: a program may print anything, and the reader may run the command as it is. The path comes from the plan.
 */
function remedyForRemoval({ path, holds, root }: PinnedPath, taking: TakingAway | null): string {
  if (holds.length === 0) return "remove its contents, and keep the folder itself";
  if (taking === "move") return "move it yourself outside the sandbox, if intended";
  if (taking === null && PART_OF_WORKTREE.test(path))
    return "keep it if the worktree is in use: its folder may not be visible here; `git worktree prune` outside the sandbox removes unused ones";
  if (taking === null || root !== null) return "remove or move it yourself outside the sandbox, if intended";
  const command = taking === "remove" ? ["rm", "-rf", path] : ["git", "worktree", "remove", "--force", path];
  return `finish it outside the sandbox, if intended: \`${quote(command)}\``;
}

/** Words for acts that give something another name. */
const MOVING = /renam|\bmov(?:e|ing)\b|\bmv:/i;
const WORKTREE_REMOVAL = /\bworktree (?:-\S+ )*remove\b/;

function denialOfMove(limit: PlanLimit, certainty: Denial["certainty"]): Denial {
  if (limit.kind === "held") return { ...limit.denial, certainty };
  return {
    operation: "rename",
    target: limit.path,
    certainty,
    because: `${whyPinned(limit)}; the folder is a separate mount, and files can't be moved or linked between mounts`,
    remedy: "copy the file, then remove the old one",
  };
}

interface NamedLimit {
  readonly limit: PlanLimit;
  readonly names: readonly string[];
}

/** The possible names of a path: its full path, or relative to one of these folders; empty for the folder itself. */
function namesFrom(path: AbsolutePath, bases: readonly AbsolutePath[]): readonly string[] {
  return [path, ...bases.map((base) => relative(base, path))];
}

function isMentioned(path: AbsolutePath, { words, bases }: Pick<Evidence, "words" | "bases">): boolean {
  return namesFrom(path, bases).some((name) => name !== "" && mentionOf(words, name) !== null);
}

function isNamedWhole(path: AbsolutePath, { words, bases }: Pick<Evidence, "words" | "bases">): boolean {
  return namesFrom(path, bases).some((name) => name !== "" && mentionOf(words, name) === "itself");
}

/**
 * The limits that a complaint names, or else the lines before it. Of two nested limits the inner one counts; a name
 * that may begin in several folders counts in the first of them.
 */
function limitsNamedBy(
  { line, before, kind }: Complaint,
  names: readonly NamedLimit[],
): readonly PlanLimit[] {
  const max = Math.max(0, ...names.map((one) => one.names.length));
  for (const text of [line, ...before])
    for (let base = 0; base < max; base += 1) {
      const found = names.flatMap((one) => (isNamedIn(text, one, base, kind) ? [one.limit] : []));
      const inner = found.filter(
        ({ path }) => !found.some((other) => other.path !== path && isInside(other.path, path)),
      );
      if (inner.length > 0) return inner;
    }
  return [];
}

function isNamedIn(
  line: string,
  { limit, names }: NamedLimit,
  base: number,
  kind: Complaint["kind"],
): boolean {
  // A writable folder only prevents its own removal, and moves into it and out of it.
  if (limit.kind === "pinned" && kind === "refused") return false;
  const name = names[base] ?? "";
  const mention = name === "" ? null : mentionOf(line, name);
  return limit.kind === "pinned" && kind !== "cross-mount" ? mention === "itself" : mention !== null;
}

/** Limits that fit a complaint which names none of them by a known path. */
function limitsGuessed(
  complaint: Complaint,
  words: string,
  names: readonly NamedLimit[],
): readonly PlanLimit[] {
  if (complaint.kind === "refused") return [];
  const paths = pathsIn(complaint.line).filter((path) => !path.startsWith("/"));
  const bySuffix = names.filter(({ limit }) => paths.some((path) => isEndOf(path, limit)));
  if (bySuffix.length > 0) return bySuffix.map(({ limit }) => limit);
  const inWords = names.filter((one) =>
    one.names.some((name) => name !== "" && mentionOf(words, name) !== null),
  );
  const meant = inWords
    .map(({ limit }) => limit)
    .filter(({ kind }) => kind === "held" || isAboutRemoving(words));
  return meant.length > 0 || complaint.kind !== "busy" ? meant : inRoots(names.map(({ limit }) => limit));
}

/** For ordinary programs only a mount is busy; git's own files are touched by git alone, which names them. */
function inRoots(limits: readonly PlanLimit[]): readonly PlanLimit[] {
  return limits
    .filter(({ kind, path }) => kind === "held" && !namesOf(path).includes(".git"))
    .slice(0, MAX_GUESSED);
}

/** True if the path ends with the name, or with the name's beginning: its start folder is unknown. */
function isEndOf(written: string, { path, kind }: PlanLimit): boolean {
  const [given, whole] = [written.split("/"), namesOf(path)];
  const parts = kind === "held" ? given.map((_, at) => given.slice(0, at + 1)) : [given];
  return parts.some((part) => {
    // A single name is too little, unless few files have such a name.
    if (part.length === 1 && !/^\.[^.]/.test(written)) return false;
    return part.every((name, at) => name === whole[whole.length - part.length + at]);
  });
}
