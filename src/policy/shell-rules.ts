import { visible } from "../errors.ts";
import { type ShellRule, shellAction } from "../shell/rule.ts";
import { namesUnread } from "../shell/unread.ts";
import { strictest } from "./action.ts";
import type { Command } from "./command.ts";
import { coverageOf, isCallUnread, isReadToItsEnd, otherReadings, type Reading } from "./reading.ts";
import type { RuleHit, ToolSaid } from "./rule-hit.ts";

/** `shell:` of a config, as far as it judges. */
export interface ShellRules {
  readonly rules: readonly ShellRule[];
  readonly order: "first-match" | "strictest";
  readonly default: { readonly allowed: boolean; readonly approval: boolean };
}

/** A rule that spoke: for the words as they stand, past options or perhaps (`beside`), or for other roots (`elsewhere`). */
interface Heard {
  readonly rule: ShellRule;
  readonly how: "plainly" | "beside" | "elsewhere";
  readonly action: RuleHit["action"];
  readonly hit: RuleHit;
}

/**
 * What the rules say about a command. It is read as written, under every other name of its program and, where the
 * program runs what its words say, as each command that the words may hold; the strictest of these readings decides.
 *
 * 1. In one reading, `first-match` hears the rules down to the first that covers its words plainly, `strictest` hears
 *    all; the strictest that was heard decides. A rule that covers only past options, or perhaps, never ends the search.
 * 2. A rule that denies or asks is heard in every reading, one that allows only in the words as written. So a rule that
 *    allows holds before a stricter one below it that covers the same words, never before one that knows the program
 *    by another name: no other spelling is looser, unless a rule allows that very spelling.
 * 3. A rule whose roots don't hold the call's paths leaves it to the next rule; one that asks is not left for the default.
 * 4. What runs unread asks where any rule denies or asks, unless a rule that names it allows it.
 * 5. What no rule covers as written is as the default says.
 */
export function shellSaid(command: Command, shell: ShellRules): ToolSaid {
  const { words } = command;
  const denies = shell.rules.some((rule) => !rule.allowed);
  const unread = isCallUnread(command) ? unreadHit(command) : null;
  const otherwise = defaultHit(shell);
  if (words === null) {
    const hit = otherwise.action === "deny" ? { ...otherwise, rule: "script" } : (unread ?? otherwise);
    return { hit, doubt: denies ? unread : null };
  }
  const written = hear(command, words, shell, { name: words[0] ?? "", at: 0 }, true);
  const others = otherReadings(command, words).flatMap((one) => hear(command, words, shell, one, false));
  const heard = [...written, ...others];
  const uncovered = written.some(({ how }) => how === "plainly")
    ? []
    : [otherwise, ...(unread !== null && isStrict(shell.rules) ? [unread] : [])];
  const perhaps = heard.find(({ rule, action }) => !rule.allowed && action === "ask");
  const isAllowed = written.some(({ action }) => action === "allow");
  return {
    hit: strictest([...heard.map(({ hit }) => hit), ...uncovered]) ?? otherwise,
    doubt: perhaps?.hit ?? (denies && !isAllowed ? unread : null),
  };
}

/** True when there is a rule that denies or asks. */
function isStrict(rules: readonly ShellRule[]): boolean {
  return rules.some((rule) => shellAction(rule) !== "allow");
}

function hear(
  command: Command,
  words: readonly string[],
  { rules, order }: ShellRules,
  reading: Reading,
  isWritten: boolean,
): readonly Heard[] {
  const all = rules.flatMap((rule): readonly Heard[] => {
    const coverage = coverageOf(rule.pattern, rule.exact, reading, words);
    if (coverage === "no") return [];
    const action = shellAction(rule);
    if (action === "allow")
      return isWritten && coverage === "plainly" && mayAllow(rule, command, rules)
        ? [{ rule, how: "plainly", action, hit: hitOf(rule) }]
        : [];
    if (action === "ask" && !holdsPaths(rule, command))
      return [{ rule, how: "elsewhere", action, hit: hitOf(rule) }];
    if (coverage !== "maybe")
      return [{ rule, how: coverage === "plainly" ? "plainly" : "beside", action, hit: hitOf(rule) }];
    const hit = maybeHit("tool", rule.pattern, rule.description);
    return [{ rule, how: "beside", action: "ask", hit }];
  });
  const last = order === "first-match" ? all.findIndex(({ how }) => how === "plainly") : -1;
  const heard = last < 0 ? all : all.slice(0, last + 1);
  return heard.some(({ how }) => how === "plainly") ? heard.filter(({ how }) => how !== "elsewhere") : heard;
}

/**
 * A rule that asks nobody speaks only for a program that the call itself can't have written. Where any rule denies or
 * asks, it speaks for what runs unread only by name, and only when all of its words are read as commands.
 */
function mayAllow(rule: ShellRule, command: Command, rules: readonly ShellRule[]): boolean {
  if (command.isProgramWritable || !holdsPaths(rule, command)) return false;
  if (!isStrict(rules) || !isCallUnread(command)) return true;
  return namesUnread(rule.pattern) && command.words !== null && isReadToItsEnd(command.words);
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
function unreadHit({ words }: Command): RuleHit {
  return words === null
    ? { layer: "tool", rule: "script", action: "ask", reason: "a script is run as a whole" }
    : {
        layer: "tool",
        rule: "unread",
        action: "ask",
        reason: `${visible(words[0] ?? "")} runs what its words say, and no parser has read them`,
      };
}

function defaultHit({ default: otherwise }: ShellRules): RuleHit {
  const action = otherwise.allowed ? (otherwise.approval ? "ask" : "allow") : "deny";
  const reason =
    action === "deny" ? "commands that no rule covers are not allowed" : "no rule covers this command";
  return { layer: "tool", rule: "default", action, reason };
}
