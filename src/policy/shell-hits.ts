import { visible } from "../errors.ts";
import type { Hazard } from "../shell/hazards.ts";
import { type ShellRule, shellAction } from "../shell/rule.ts";
import type { JudgedCommand } from "./command.ts";
import { unsettledProgram } from "./program-place.ts";
import type { ReadCommand } from "./reading.ts";
import { type RuleHit, ruleInWords } from "./rule-hit.ts";

/** The decision on commands that no rule covers. `beyond` asks only if approval would give access that one may use. */
export interface ShellDefault {
  readonly allowed: boolean;
  readonly approval: boolean | "beyond";
}

/** The verdict of a rule. */
export function hitOf(rule: ShellRule): RuleHit {
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

/** An ask, because nobody can list the programs that a command runs. */
export function unreadHit({ command, isNameUnknown }: ReadCommand): RuleHit {
  const what = isNameUnknown
    ? "only the shell knows which program this runs"
    : `${visible(command.words[0] ?? "")} runs its arguments, which can't be parsed`;
  return { layer: "tool", rule: "unread", action: "ask", reason: what };
}

/** An ask, because the program may be another one when it starts; null if it can't change. */
export function unsettledHit(command: JudgedCommand): RuleHit | null {
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

/** An ask, because of a word by which a command does more than its name says. */
export function hazardHit({ word, does }: Hazard): RuleHit {
  const what = does === "runs" ? "may run another program" : "may write or remove files";
  const reason = `${visible(word)} ${what}, which needs an \`exact\` rule`;
  return { layer: "tool", rule: "hazard", action: "ask", reason };
}

/**
 * The default's verdict. `gains`: the additional access that approval would give, in words; null if it would give none
 * that the command may use.
 */
export function defaultHit({ allowed, approval }: ShellDefault, gains: string | null): RuleHit {
  const hit = { layer: "tool", rule: "default", reason: "no rule covers this command" } as const;
  if (!allowed) return { ...hit, action: "deny", reason: "commands that no rule covers are not allowed" };
  if (approval !== "beyond") return { ...hit, action: approval ? "ask" : "allow" };
  return gains === null ? { ...hit, action: "allow" } : { ...hit, action: "ask", reason: gains };
}

/** The end of the reasons that are given as `gains` to `defaultHit`. */
const FOR_ACCESS = /where (?:reading|writing) needs approval/;

/** True for an ask because approval would give more access: a rule that allows the call would not give it. */
export function isForAccess({ layer, rule, action, reason }: RuleHit): boolean {
  // In a line of several commands, each reason begins with its command.
  const isBeyond = rule === "default" && reason !== null && FOR_ACCESS.test(reason);
  return layer === "tool" && action === "ask" && (rule === "unasked" || isBeyond);
}

/** The verdict on a line in which bash starts no program. */
export const BY_BASH: RuleHit = {
  layer: "tool",
  rule: "builtin",
  action: "allow",
  reason: "bash does this itself",
};

/** An ask, because words of a rule stand in a text that some program runs. */
export function textHit(layer: "operator" | "tool", rule: string): RuleHit {
  return { layer, rule, action: "ask", reason: `it may run ${visible(rule)}: its text has these words` };
}
