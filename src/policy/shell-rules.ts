import { visible } from "../errors.ts";
import type { Hazard } from "../shell/hazards.ts";
import { quoted } from "../shell/quote.ts";
import { fileNameOf, type ShellRule, shellAction, shellPattern } from "../shell/rule.ts";
import { namesUnread } from "../shell/unread.ts";
import { isOpaque } from "../shell/word.ts";
import { strictest } from "./action.ts";
import type { Command, CommandLine } from "./command.ts";
import { PatternsByProgram } from "./patterns-by-program.ts";
import { coverageOf, type ReadCommand, Reading, readCommands } from "./reading.ts";
import type { RuleHit, ToolSaid } from "./rule-hit.ts";

/** `shell:` of a config, as far as it judges. */
export interface ShellRules {
  readonly rules: readonly ShellRule[];
  readonly order: "first-match" | "strictest";
  readonly default: { readonly allowed: boolean; readonly approval: boolean };
}

/** The rules as a line is held against them. */
interface Judging {
  readonly shell: ShellRules;
  readonly patterns: PatternsByProgram<ShellRule>;
  readonly denies: boolean;
  /** True when there is a rule that denies or asks. */
  readonly isStrict: boolean;
}

/** A rule that spoke: for the words as they stand, past options or perhaps (`beside`), or for other roots (`elsewhere`). */
interface Heard {
  readonly rule: ShellRule;
  readonly how: "plainly" | "beside" | "elsewhere";
  readonly action: RuleHit["action"];
  readonly hit: RuleHit;
}

/**
 * What the rules say about a line: the strictest of what they say about each of its commands. What is not understood asks,
 * or is denied where the default denies; so a line is let pass only where all of it is understood and allowed.
 *
 * A command is read as written, under every other name of its program and, where the program runs what its words say, as
 * each command that the words may hold; the strictest of these readings decides.
 * 1. In one reading, `first-match` hears the rules down to the first that covers its words plainly, `strictest` hears
 *    all; the strictest that was heard decides. A rule that covers only past options, or perhaps, never ends the search.
 * 2. A rule that denies or asks is heard in every reading, one that allows only in the words as written. So a rule that
 *    allows holds before a stricter one below it that covers the same words, never before one that knows the program
 *    by another name: no other spelling is looser, unless a rule allows that very spelling.
 * 3. A rule whose roots don't hold the call's paths leaves it to the next rule; one that asks is not left for the default.
 * 4. A rule that allows, unless it is `exact`, asks about a word that makes more of the command than its name says
 *    (`find -delete`), and leaves the rest to the next rule.
 * 5. What runs unread, may be another program when its turn comes, or runs a program by such a word, asks where any rule
 *    denies or asks, unless a rule allows it.
 * 6. What no rule covers as written is as the default says. A default that asks nobody lets pass what is understood.
 */
export function shellSaid(line: CommandLine, shell: ShellRules): ToolSaid {
  const { commands, unread } = line;
  const isOne = commands.length === 1 && unread.length === 0;
  const denies = shell.rules.some((rule) => !rule.allowed);
  const patterns = new PatternsByProgram(shell.rules, ({ pattern }) => pattern);
  const judging: Judging = {
    shell,
    patterns,
    denies,
    isStrict: shell.rules.some((rule) => shellAction(rule) !== "allow"),
  };
  const said = readCommands(commands, patterns.knownBy).map((read) => ({
    command: read.command,
    ...commandSaid(read, judging),
  }));
  const unreadHits = unread.length === 0 ? [] : [lineHit(unread, shell)];
  const ofShell = line.shell === null ? [] : shellHits(line.shell, shell);
  const spoken = oncePerRule([
    ...said.flatMap(({ command, hits: ofCommand }) => ofCommand.map((one) => ({ hit: one, command }))),
    ...[...unreadHits, ...ofShell].map((one) => ({ hit: one, command: null })),
  ]);
  const hits = spoken.map(({ hit: one, command }) =>
    isOne || command === null ? one : { ...one, reason: reasonOf(one, command) },
  );
  const hit = strictest(hits) ?? defaultHit(shell);
  const doubts = [...said.map(({ doubt }) => doubt), ...(denies ? unreadHits : [])];
  return {
    hit,
    others: hits.filter((one) => one !== hit),
    doubt: doubts.find((one) => one !== null && one.action === "ask") ?? null,
  };
}

/** What the rules say about one command: each that spoke. */
interface Said {
  readonly hits: readonly RuleHit[];
  readonly doubt: RuleHit | null;
}

function commandSaid(read: ReadCommand, judging: Judging): Said {
  const { command, hazard } = read;
  const { denies, isStrict } = judging;
  const unread =
    read.isNameUnknown || read.isProgramUnread
      ? unreadHit(read)
      : (unsettledHit(command) ?? (hazard?.does === "runs" ? hazardHit(hazard) : null));
  const otherwise = uncoveredHit(read, judging);
  const written = hear(read, judging, read.written, true);
  const others = read.others.flatMap((one) => hear(read, judging, one, false));
  const heard = [...written, ...others];
  const uncovered = written.some(({ how }) => how === "plainly")
    ? []
    : [otherwise, ...(unread !== null && isStrict ? [unread] : [])];
  const perhaps = heard.find(({ rule, action }) => !rule.allowed && action === "ask");
  const isAllowed = written.some(({ action }) => action === "allow");
  const hits = [...heard.map(({ hit }) => hit), ...uncovered];
  // What a rule says of the words as written is told, and of the other readings what is stricter.
  const decisive = strictest(hits);
  const told = hits.filter((hit) => hit === decisive || written.some((one) => one.hit === hit));
  return {
    hits: told,
    doubt: perhaps?.hit ?? (denies && !isAllowed ? unread : null),
  };
}

/** What a rule said, and of which command; null for the whole line. */
interface Spoken {
  readonly hit: RuleHit;
  readonly command: Command | null;
}

/** So much of a command stands in a reason. */
const MOST_NAMED = 80;

/** Of which of several commands a rule speaks. */
export function reasonOf({ reason, rule, action }: RuleHit, { words }: Command): string {
  const first = words.slice(0, MOST_NAMED / 2).map((word) => word.slice(0, MOST_NAMED + 1));
  const line = quoted(first.map((word) => (isOpaque(word) ? `${word.slice(1)}…` : word)));
  const shown = visible(line.length > MOST_NAMED ? `${line.slice(0, MOST_NAMED)}…` : line);
  return `${shown}: ${reason ?? (action === "ask" ? `rule ${visible(rule)} asks` : `rule ${visible(rule)}`)}`;
}

/** Each rule once for what it says, with the first command that it says it of: their number does not grow with a line. */
function oncePerRule(spoken: readonly Spoken[]): readonly Spoken[] {
  const seen = new Set<string>();
  return spoken.filter(({ hit: { rule, action } }) => {
    const key = JSON.stringify([rule, action]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** What is not understood asks, whatever the rules allow; where what they don't cover is denied, it is denied too. */
function lineHit(unread: readonly string[], shell: ShellRules): RuleHit {
  const otherwise = defaultHit(shell);
  if (otherwise.action === "deny") return { ...otherwise, rule: "script" };
  const [first = "", ...more] = unread;
  const reason = `not all of it is understood: ${first}${more.length === 0 ? "" : `, and ${more.length} more`}`;
  return { layer: "tool", rule: "script", action: "ask", reason };
}

/** Rules that name the shell deny it, and ask about it, where it runs a line too. */
function shellHits(words: readonly string[], { rules }: ShellRules): readonly RuleHit[] {
  return rules
    .filter((rule) => shellAction(rule) !== "allow" && namesShell(rule.pattern, words, rule.exact))
    .map(hitOf);
}

/** True when a pattern is about the shell that runs a line: by its name, no glob for any program. */
export function namesShell(pattern: string, words: readonly string[], exact = false): boolean {
  const [program = ""] = pattern.trim().split(/\s+/, 1);
  if (program.includes("*")) return false;
  const name = fileNameOf(program);
  const reading = new Reading(program, [program, ...words.slice(1)]);
  return name === words[0] && coverageOf(shellPattern(pattern), exact, reading) !== "no";
}

function hear(read: ReadCommand, judging: Judging, reading: Reading, isWritten: boolean): readonly Heard[] {
  const { command } = read;
  const all = judging.patterns.about(reading.name).flatMap(({ rule, pattern }): readonly Heard[] => {
    const coverage = coverageOf(pattern, rule.exact, reading);
    if (coverage === "no") return [];
    const action = shellAction(rule);
    if (action === "allow") return isWritten && coverage === "plainly" ? allowed(rule, read, judging) : [];
    if (action === "ask" && !holdsPaths(rule, command))
      return [{ rule, how: "elsewhere", action, hit: hitOf(rule) }];
    if (coverage !== "maybe")
      return [{ rule, how: coverage === "plainly" ? "plainly" : "beside", action, hit: hitOf(rule) }];
    const hit = maybeHit("tool", rule.pattern, rule.description);
    return [{ rule, how: "beside", action: "ask", hit }];
  });
  const last = judging.shell.order === "first-match" ? all.findIndex(({ how }) => how === "plainly") : -1;
  const heard = last < 0 ? all : all.slice(0, last + 1);
  return heard.some(({ how }) => how === "plainly") ? heard.filter(({ how }) => how !== "elsewhere") : heard;
}

/**
 * A rule that asks nobody speaks only for a program that the call itself can't have written. Where any rule denies or
 * asks, it speaks for what runs unread only by name, and only when all of its words are read as commands.
 */
function allowed(rule: ShellRule, read: ReadCommand, { isStrict }: Judging): readonly Heard[] {
  const { command } = read;
  if (command.programFile !== "fixed" || !holdsPaths(rule, command) || read.isNameUnknown) return [];
  if (rule.exact && command.words.some(isOpaque)) return [];
  const isNamed = namesUnread(rule.pattern) && read.isReadToItsEnd;
  if (isStrict && read.isProgramUnread && !isNamed) return [];
  const hazard = rule.exact ? null : read.hazard;
  if (hazard === null) return [{ rule, how: "plainly", action: "allow", hit: hitOf(rule) }];
  const hit = { ...hazardHit(hazard), rule: rule.pattern };
  return [{ rule, how: "beside", action: "ask", hit }];
}

function holdsPaths(rule: ShellRule, command: Command): boolean {
  return rule.sandbox_paths === undefined || command.arePathsInside(rule.sandbox_paths);
}

function hitOf(rule: ShellRule): RuleHit {
  return {
    layer: "tool",
    rule: rule.pattern,
    action: shellAction(rule),
    reason: rule.description ?? (rule.allowed ? null : `command blocked: ${rule.pattern}`),
  };
}

/** An ask, because an option may hide what a rule speaks of. */
export function maybeHit(layer: "operator" | "tool", rule: string, reason: string | undefined): RuleHit {
  return { layer, rule, action: "ask", reason: reason ?? `this may be ${visible(rule)}, behind an option` };
}

/** An ask, because nobody has read what would be run. */
function unreadHit({ command, isNameUnknown }: ReadCommand): RuleHit {
  const what = isNameUnknown
    ? "which program this runs is known to the shell alone"
    : `${visible(command.words[0] ?? "")} runs what its words say, and no parser has read them`;
  return { layer: "tool", rule: "unread", action: "ask", reason: what };
}

/** An ask, because what was looked at may be another program when it is run; null when that can't be. */
function unsettledHit(command: Command): RuleHit | null {
  const reason = unsettledReason(command);
  return reason === null ? null : { layer: "tool", rule: "unsettled", action: "ask", reason };
}

/** Why nobody can be sure which program a command will be; null when that is sure. */
export function unsettledReason({ words: [word = ""], programFile }: Command): string | null {
  if (programFile !== "unsettled") return null;
  return `${visible(word)} may be another program when its turn comes: the call may write where it is looked up`;
}

/** What the default says of a command that no rule covers, or only one that does not speak for such a program. */
function uncoveredHit({ command, written }: ReadCommand, { shell, patterns }: Judging): RuleHit {
  const hit = defaultHit(shell);
  const isLeftOut =
    command.programFile !== "fixed" &&
    patterns
      .about(written.name)
      .some(
        ({ rule, pattern }) =>
          shellAction(rule) === "allow" && coverageOf(pattern, rule.exact, written) === "plainly",
      );
  if (hit.action !== "ask" || !isLeftOut) return hit;
  const reason = `tools may write ${visible(written.name)}, or where it is looked up: no rule lets such a program pass`;
  return { ...hit, reason };
}

function hazardHit({ word, does }: Hazard): RuleHit {
  const what = does === "runs" ? "may run another program" : "may write or remove files";
  const reason = `${visible(word)} ${what}, which only an \`exact\` rule lets pass`;
  return { layer: "tool", rule: "hazard", action: "ask", reason };
}

function defaultHit({ default: otherwise }: ShellRules): RuleHit {
  const action = otherwise.allowed ? (otherwise.approval ? "ask" : "allow") : "deny";
  const reason =
    action === "deny" ? "commands that no rule covers are not allowed" : "no rule covers this command";
  return { layer: "tool", rule: "default", action, reason };
}
