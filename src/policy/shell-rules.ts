import { visible } from "../errors.ts";
import { isAlsoProgram } from "../shell/builtins.ts";
import { quoted } from "../shell/quote.ts";
import { fileNameOf, type RuleDoubt, type ShellRule, shellAction, shellPattern } from "../shell/rule.ts";
import { namesUnread } from "../shell/unread.ts";
import { isOpaque } from "../shell/word.ts";
import { isActOfBash } from "./act-of-bash.ts";
import { strictest } from "./action.ts";
import { CombinedRules, isCombined } from "./combined-rules.ts";
import type { CommandLine, JudgedCommand } from "./command.ts";
import { TextWords } from "./named-in-text.ts";
import { PatternsByProgram } from "./patterns-by-program.ts";
import { changeableProgram } from "./program-place.ts";
import { CommandReading, coverageOf, type ReadCommand, readCommands, runsText } from "./reading.ts";
import type { RuleHit, ToolSaid } from "./rule-hit.ts";
import {
  BY_BASH,
  defaultHit,
  hazardHit,
  hitOf,
  maybeHit,
  type ShellDefault,
  textHit,
  unreadHit,
  unsettledHit,
} from "./shell-hits.ts";

/** The judging part of `shell:` of a config. */
export interface ShellRules {
  readonly rules: readonly ShellRule[];
  readonly order: "first-match" | "strictest";
  readonly default: ShellDefault;
}

/** Everything that one line is judged by. */
interface Judging {
  readonly shell: ShellRules;
  readonly line: CommandLine;
  readonly patterns: PatternsByProgram<ShellRule>;
  /** True for a rule that also speaks where it is uncertain whether it covers a command. */
  readonly doubts: (rule: ShellRule) => boolean;
  /** True if such a rule denies. */
  readonly denies: boolean;
  /** True if such a rule denies or asks. */
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
 * The rules' verdict on a line: the strictest verdict on its commands. If other programs may run than the listed ones,
 * the default decides about them: they ask, are denied, or run.
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
 * 5. A command that runs unread, may be another program when it starts, or runs a program by such a word, asks if a
 *    rule with `doubt: ask` denies or asks, unless a rule allows it.
 * 6. Where programs may run that nobody can list, a rule with `doubt: pass` asks if its words stand in the text.
 * 7. A command that no rule covers as written gets the default. Acts of bash itself need no rule.
 * `byDefault` is the `doubt` of rules that have none.
 */
export function shellSaid(line: CommandLine, shell: ShellRules, byDefault: RuleDoubt = "ask"): ToolSaid {
  const { commands, unread } = line;
  const isOne = commands.length === 1 && unread.length === 0;
  const doubts = (rule: ShellRule): boolean =>
    shellAction(rule) !== "allow" && (rule.doubt ?? byDefault) === "ask";
  const doubting = shell.rules.filter(doubts);
  const single = shell.rules.filter(({ pattern }) => !isCombined(pattern));
  const patterns = new PatternsByProgram(single, ({ pattern }) => pattern);
  const combined = new CombinedRules(
    shell.rules.filter((rule) => shellAction(rule) !== "allow"),
    ({ pattern }) => pattern,
  );
  const judging: Judging = {
    shell,
    line,
    patterns,
    doubts,
    denies: doubting.some(({ allowed }) => !allowed),
    isStrict: doubting.length > 0,
  };
  const reads = readCommands(commands, combined.knownBeside(patterns.knownBy));
  const said = reads.map((read) => ({ command: read.command, ...hitsOfCommand(read, judging) }));
  const unreadHits = unread.length === 0 ? [] : unreadLineHits(judging);
  const ofLine = [
    ...unreadHits,
    ...combined.covering(reads).map(hitOf),
    ...(line.shell === null ? [] : shellHits(line.shell, shell)),
    ...textHits(reads, judging),
  ];
  const spoken = oncePerRule([
    ...said.flatMap(({ command, hits: ofCommand }) => ofCommand.map((one) => ({ hit: one, command }))),
    ...ofLine.map((one) => ({ hit: one, command: null })),
  ]);
  const hits = spoken.map(({ hit: one, command }) =>
    isOne || command === null ? one : { ...one, reason: reasonOf(one, command) },
  );
  const hit = strictest(hits) ?? (said.length > 0 ? BY_BASH : defaultHit(shell.default, line.gains));
  const doubtful = [...said.map(({ doubt }) => doubt), ...(judging.denies ? unreadHits : [])];
  return {
    hit,
    others: hits.filter((one) => one !== hit),
    doubt: doubtful.find((one) => one !== null && one.action === "ask") ?? null,
    ruled: hits.find((one) => one.action === "ask" && isRuled(one, shell)) ?? null,
  };
}

/** True for the verdict of a written rule, not of the default or a check. */
function isRuled({ rule, layer }: RuleHit, { rules }: ShellRules): boolean {
  return layer === "tool" && rules.some((one) => one.pattern === rule && shellAction(one) !== "allow");
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
  const otherwise = isBashsOwn(read, judging.line) ? [] : [uncoveredHit(read, judging)];
  const written = hear(read, judging, read.written, true);
  const others = read.others.flatMap((one) => hear(read, judging, one, false));
  const heard = [...written, ...others];
  const uncovered = written.some(({ how }) => how === "plainly")
    ? []
    : [...otherwise, ...(unread !== null && isStrict ? [unread] : [])];
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

/** Programs that nobody can list get the default; where it does not ask, they ask if a rule may cover them. */
function unreadLineHits({ shell, line, isStrict }: Judging): readonly RuleHit[] {
  const otherwise = defaultHit(shell.default, line.gains);
  if (otherwise.action === "deny") return [{ ...otherwise, rule: "script" }];
  if (otherwise.action === "allow" && !isStrict) return [];
  const [first = "", ...more] = line.unread;
  const reason = `not all of it can be parsed: ${first}${more.length === 0 ? "" : `, and ${more.length} more`}`;
  return [{ layer: "tool", rule: "script", action: "ask", reason }];
}

/** The rules without doubts whose words stand in a text that some program runs. */
function textHits(reads: readonly ReadCommand[], { shell, line, doubts }: Judging): readonly RuleHit[] {
  if (line.unread.length === 0 && !reads.some(runsText)) return [];
  const rules = shell.rules.filter((rule) => shellAction(rule) !== "allow" && !doubts(rule));
  if (rules.length === 0) return [];
  const text = new TextWords(line);
  return rules.flatMap((rule) => (text.names(rule.pattern) ? [textHit("tool", rule.pattern)] : []));
}

/** True for an act of bash that is no program elsewhere: `cd src`, `set -e`. Rules for `echo` are of both. */
function isBashsOwn({ command: { words } }: ReadCommand, line: CommandLine): boolean {
  return isActOfBash(words, line) && !isAlsoProgram(words[0] ?? "");
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
    if (coverage === "no" || (coverage === "unknown" && !judging.doubts(rule))) return [];
    const action = shellAction(rule);
    if (action === "allow") return isWritten && coverage === "plainly" ? allowed(rule, read, judging) : [];
    if (action === "ask" && !holdsPaths(rule, command))
      return [{ rule, how: "elsewhere", action, hit: hitOf(rule) }];
    if (coverage !== "maybe" && coverage !== "unknown")
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

/** The default's verdict on a command that no rule covers, or only one that does not apply to such a program. */
function uncoveredHit({ command, written }: ReadCommand, { shell, patterns }: Judging): RuleHit {
  const hit = defaultHit(shell.default, command.gains);
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
