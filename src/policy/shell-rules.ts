import { visible } from "../errors.ts";
import type { Hazard } from "../shell/hazards.ts";
import { quoted } from "../shell/quote.ts";
import { fileNameOf, type ShellRule, shellAction, shellPattern } from "../shell/rule.ts";
import { namesUnread } from "../shell/unread.ts";
import { isOpaque } from "../shell/word.ts";
import { strictest } from "./action.ts";
import type { CommandLine, JudgedCommand } from "./command.ts";
import { PatternsByProgram } from "./patterns-by-program.ts";
import { changeableProgram, unsettledProgram } from "./program-place.ts";
import { CommandReading, coverageOf, type ReadCommand, readCommands } from "./reading.ts";
import { type RuleHit, ruleInWords, type ToolSaid } from "./rule-hit.ts";

/** The judging part of `shell:` of a config. */
export interface ShellRules {
  readonly rules: readonly ShellRule[];
  readonly order: "first-match" | "strictest";
  readonly default: { readonly allowed: boolean; readonly approval: boolean };
}

interface Judging {
  readonly shell: ShellRules;
  readonly patterns: PatternsByProgram<ShellRule>;
  readonly denies: boolean;
  /** True if there is a rule that denies or asks. */
  readonly isStrict: boolean;
}

/** A rule that spoke: as written, past options or perhaps (`beside`), or for other roots (`elsewhere`). */
interface Heard {
  readonly rule: ShellRule;
  readonly how: "plainly" | "beside" | "elsewhere";
  readonly action: RuleHit["action"];
  readonly hit: RuleHit;
}

/**
 * The rules' verdict on a line: the strictest verdict on its commands. Parts that are not understood ask, or are denied
 * if the default denies. So a line is allowed only if all of it is understood and allowed.
 *
 * A command is read as written, under every other name of its program and, if the program runs its words, as each
 * command that the words may hold. The strictest of these readings decides.
 * 1. In one reading, `first-match` hears the rules down to the first that covers its words plainly, `strictest` hears
 *    all; the strictest that was heard decides. A rule that covers only past options, or perhaps, never ends the
 *    search.
 * 2. A rule that denies or asks is heard in every reading, one that allows only in the words as written. So a rule that
 *    allows wins over a stricter one below it that covers the same words, but not over one that matches another name of
 *    the program: no other spelling is looser, unless a rule allows that very spelling.
 * 3. A rule whose roots don't hold the call's paths is skipped; one that asks still precedes the default.
 * 4. A rule that allows, unless it is `exact`, asks about a word that makes the command do more than its name says
 *    (`find -delete`), and leaves the rest to the next rule.
 * 5. A command that runs unread, may be another program when it starts, or runs a program by such a word, asks if any
 *    rule denies or asks, unless a rule allows it.
 * 6. A command that no rule covers as written gets the default. A default that allows covers only understood commands.
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
    ...hitsOfCommand(read, judging),
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

interface CommandHits {
  readonly hits: readonly RuleHit[];
  readonly doubt: RuleHit | null;
}

function hitsOfCommand(read: ReadCommand, judging: Judging): CommandHits {
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
  // The verdict names the rule for the words as written, and stricter ones for other readings.
  const decisive = strictest(hits);
  const named = hits.filter((hit) => hit === decisive || written.some((one) => one.hit === hit));
  return { hits: named, doubt: perhaps?.hit ?? (denies && !isAllowed ? unread : null) };
}

/** A rule's verdict and its command; null for the whole line. */
interface Spoken {
  readonly hit: RuleHit;
  readonly command: JudgedCommand | null;
}

const MAX_NAMED = 80;

export function reasonOf({ reason, rule, action }: RuleHit, { words }: JudgedCommand): string {
  const first = words.slice(0, MAX_NAMED / 2).map((word) => word.slice(0, MAX_NAMED + 1));
  const line = quoted(first.map((word) => (isOpaque(word) ? `${word.slice(1)}…` : word)));
  const shown = visible(line.length > MAX_NAMED ? `${line.slice(0, MAX_NAMED)}…` : line);
  return `${shown}: ${reason ?? (action === "ask" ? `rule ${visible(rule)} asks` : `rule ${visible(rule)}`)}`;
}

/** Each rule once per verdict, with its first command: the number does not grow with the line. */
function oncePerRule(spoken: readonly Spoken[]): readonly Spoken[] {
  const seen = new Set<string>();
  return spoken.filter(({ hit: { rule, action } }) => {
    const key = JSON.stringify([rule, action]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** A part that is not understood asks, even if rules allow it; if the default denies, it is denied. */
function lineHit(unread: readonly string[], shell: ShellRules): RuleHit {
  const otherwise = defaultHit(shell);
  if (otherwise.action === "deny") return { ...otherwise, rule: "script" };
  const [first = "", ...more] = unread;
  const reason = `not all of it can be parsed: ${first}${more.length === 0 ? "" : `, and ${more.length} more`}`;
  return { layer: "tool", rule: "script", action: "ask", reason };
}

/** Rules that name the shell deny it, and ask about it, also if it runs a line. */
function shellHits(words: readonly string[], { rules }: ShellRules): readonly RuleHit[] {
  return rules
    .filter((rule) => shellAction(rule) !== "allow" && namesShell(rule.pattern, words, rule.exact))
    .map(hitOf);
}

/** True if a pattern names the shell that runs a line, not by a glob for any program. */
export function namesShell(pattern: string, words: readonly string[], exact = false): boolean {
  const [program = ""] = pattern.trim().split(/\s+/, 1);
  if (program.includes("*")) return false;
  const name = fileNameOf(program);
  const reading = new CommandReading(program, [program, ...words.slice(1)]);
  return name === words[0] && coverageOf(shellPattern(pattern), exact, reading) !== "no";
}

function hear(
  read: ReadCommand,
  judging: Judging,
  reading: CommandReading,
  isWritten: boolean,
): readonly Heard[] {
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
 * A rule that allows covers only a program that the call itself can't have written. If any rule denies or asks, it
 * covers unread commands only by name, and only if all of their words are read as commands.
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

function holdsPaths(rule: ShellRule, command: JudgedCommand): boolean {
  return rule.sandbox_paths === undefined || command.arePathsInside(rule.sandbox_paths);
}

function hitOf(rule: ShellRule): RuleHit {
  return {
    layer: "tool",
    rule: rule.pattern,
    action: shellAction(rule),
    reason:
      rule.description ??
      (rule.allowed ? null : `blocked by ${ruleInWords({ layer: "tool", rule: rule.pattern })}`),
  };
}

/** An ask, because an option may hide the subject of a rule. */
export function maybeHit(layer: "operator" | "tool", rule: string, reason: string | undefined): RuleHit {
  return { layer, rule, action: "ask", reason: reason ?? `this may be ${visible(rule)}, behind an option` };
}

function unreadHit({ command, isNameUnknown }: ReadCommand): RuleHit {
  const what = isNameUnknown
    ? "only the shell knows which program this runs"
    : `${visible(command.words[0] ?? "")} runs its arguments, which can't be parsed`;
  return { layer: "tool", rule: "unread", action: "ask", reason: what };
}

/** An ask, because the program may be another one when it starts; null if it can't change. */
function unsettledHit(command: JudgedCommand): RuleHit | null {
  const reason = unsettledReason(command);
  return reason === null ? null : { layer: "tool", rule: "unsettled", action: "ask", reason };
}

/** Why it is uncertain which program a command will be; null if it is certain. */
export function unsettledReason({
  words: [word = ""],
  programFile,
  programPlace,
}: JudgedCommand): string | null {
  return programFile === "unsettled" ? unsettledProgram(word, programPlace) : null;
}

/** The default's verdict on a command that no rule covers, or only one that does not apply to such a program. */
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
  return { ...hit, reason: changeableProgram(written.name, command.programPlace) };
}

function hazardHit({ word, does }: Hazard): RuleHit {
  const what = does === "runs" ? "may run another program" : "may write or remove files";
  const reason = `${visible(word)} ${what}, which needs an \`exact\` rule`;
  return { layer: "tool", rule: "hazard", action: "ask", reason };
}

function defaultHit({ default: otherwise }: ShellRules): RuleHit {
  const action = otherwise.allowed ? (otherwise.approval ? "ask" : "allow") : "deny";
  const reason =
    action === "deny" ? "commands that no rule covers are not allowed" : "no rule covers this command";
  return { layer: "tool", rule: "default", action, reason };
}
