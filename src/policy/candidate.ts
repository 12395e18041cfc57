import { isOpaque } from "../shell/word.ts";
import { isActOfBash } from "./act-of-bash.ts";
import type { CommandLine } from "./command.ts";
import {
  type CallCover,
  type CoverableCall,
  coverInWords,
  coversCall,
  MAX_PATTERN_LENGTH,
  MAX_PATTERNS,
  statedArgument,
} from "./cover.ts";
import { whyNotStated } from "./not-stated.ts";
import { prefixOf } from "./prefixes.ts";
import { readCommands } from "./reading.ts";
import { redactText } from "./redact.ts";
import type { Risk } from "./risk.ts";

/** How far a command line is generalised: `mayRead` frees the arguments of programs that only read. */
export interface LineGenerality {
  readonly mayRead: boolean;
}

/**
 * The cover that a person may give instead of exactly this command line: each command with its program and subcommand
 * and any further arguments, or exactly its words. Null if it would not cover this very line, could not be stated as
 * rules, or is not wider than the line.
 */
export function lineCandidate(call: CoverableCall, how: LineGenerality): CallCover | null {
  const { line } = call;
  if (line === null || line.commands.length > MAX_PATTERNS) return null;
  const patterns = patternsOf(line, how);
  return patterns === null ? null : checked({ of: "commands", patterns }, call);
}

/** The cover of every call of a tool, whatever its arguments are; null for the shell. */
function toolCandidate(call: CoverableCall): CallCover | null {
  const { tool, version, line } = call;
  return line === null ? checked({ of: "tool", tool, version, args: {}, others: "free" }, call) : null;
}

/** The cover of exactly the arguments of a call; null if one can't be stated as a glob. */
function equalCandidate(call: CoverableCall): CallCover | null {
  const { tool, version, line, input } = call;
  if (line !== null || typeof input !== "object" || input === null || Array.isArray(input)) return null;
  const args = Object.fromEntries(Object.keys(input).map((name) => [name, statedArgument(call, name) ?? ""]));
  const isStated = Object.values(args).every(
    (value) => !value.includes("*") && value.length <= MAX_PATTERN_LENGTH,
  );
  return isStated ? checked({ of: "tool", tool, version, args, others: "none" }, call) : null;
}

/**
 * The cover of a file tool's calls for the folders of these paths: `notes:drafts/a.md` becomes `notes:drafts/*`. Null
 * if a path can't be stated as a glob.
 */
function pathCandidate(call: CoverableCall, paths: Readonly<Record<string, string>>): CallCover | null {
  const args = Object.entries(paths).map(([name, path]) => [name, path.replace(/[^/:]*$/, "*")] as const);
  const isStated = args.length > 0 && args.every(([, glob]) => /^[^*]+[/:]\*$/.test(glob));
  const { tool, version } = call;
  return isStated
    ? checked({ of: "tool", tool, version, args: Object.fromEntries(args), others: "free" }, call)
    : null;
}

/**
 * Each program generalised, or each act of bash where a line has no program; null if one can't be stated, which needs
 * words without blanks and `*`.
 */
function patternsOf(line: CommandLine, { mayRead }: LineGenerality) {
  const reads = readCommands(line.commands, () => null);
  const programs = reads.filter(({ command }) => !isActOfBash(command.words, line));
  const all = (programs.length === 0 ? reads : programs).map(({ command: { words }, hazard }) => {
    const prefix = hazard === null && !words.some(isOpaque) ? prefixOf(words, mayRead) : null;
    return { pattern: (prefix ?? words).join(" "), exact: prefix === null, words: prefix ?? words };
  });
  const isStated = all.every(
    ({ pattern, words }) =>
      pattern.length <= MAX_PATTERN_LENGTH && words.every((word) => /^[^\s*]+$/u.test(word)),
  );
  if (!isStated) return null;
  const distinct = new Map(
    all.map(({ pattern, exact }) => [JSON.stringify([pattern, exact]), { pattern, exact }]),
  );
  return [...distinct.values()];
}

/** The cover, if it covers the call that it comes from and can be shown whole. */
function checked(cover: CallCover, call: CoverableCall): CallCover | null {
  return coversCall(cover, call) && redactText(coverInWords(cover)).isWhole ? cover : null;
}

/** A call, and the covers that may be given for it instead of exactly this call. */
export interface GeneralisedCall {
  readonly call: CoverableCall;
  /** The cover for a session; null if there is none wider than the call. */
  similar(): CallCover | null;
  /** The cover for the project, or why there is none, in words. */
  project(): CallCover | string;
}

/** Why no approval of a call can be kept for the project; null if one can. */
export type KeepObstacle = string | null;

/** A command line: for the session with free arguments, also of programs that only read; for the project without. */
export function generalisedLine(call: CoverableCall, obstacle: KeepObstacle): GeneralisedCall {
  return {
    call,
    similar: () => {
      const cover = lineCandidate(call, { mayRead: true });
      const isWider = cover?.of === "commands" && cover.patterns.some(({ exact }) => !exact);
      return isWider ? cover : null;
    },
    project: () => obstacle ?? lineCandidate(call, { mayRead: false }) ?? whyNotStated(call),
  };
}

/** A tool of the host's: any arguments for the session, and for the project if it only reads; else the same arguments. */
export function generalisedTool(
  call: CoverableCall,
  risk: Risk | null,
  obstacle: KeepObstacle,
): GeneralisedCall {
  return {
    call,
    similar: () => (risk === "destructive" ? null : toolCandidate(call)),
    project: () =>
      obstacle ??
      (risk === "destructive" ? null : risk === "read_only" ? toolCandidate(call) : equalCandidate(call)) ??
      whyNotStated(call),
  };
}

/** A file tool: the folders of its paths. */
export function generalisedPaths(
  call: CoverableCall,
  paths: Readonly<Record<string, string>>,
  obstacle: KeepObstacle,
): GeneralisedCall {
  const candidate = () => pathCandidate(call, paths);
  return { call, similar: candidate, project: () => obstacle ?? candidate() ?? whyNotStated(call) };
}
