import { visible } from "../errors.ts";
import type { Action } from "./action.ts";

/** The decisions of all rules in force on commands, by their first words. */
export interface CommandRules {
  /** For a command that no pattern names; `beyond`: only if approval would give it access that it lacks. */
  readonly otherwise: Action | "beyond";
  readonly unasked: readonly string[];
  readonly asked: readonly string[];
  readonly denied: readonly string[];
  /** True if further rules decide otherwise about some commands, by more than their first words. */
  readonly isMixed: boolean;
}

/** Maximum of patterns that one sentence names, and of characters of one. */
const MAX_NAMED = 12;
const MAX_PATTERN_LENGTH = 80;

/** The rules on commands for a model: which commands run without approval, and how to spell them so that they do. */
export function commandRulesText(rules: CommandRules): string {
  const { otherwise, unasked, asked, denied, isMixed } = rules;
  const sentences = [
    otherwise === "allow" || otherwise === "beyond" ? null : listed("Without approval run", unasked),
    OTHERS[otherwise](unasked.length + asked.length + denied.length > 0),
    otherwise === "ask" ? null : listed("Approval of a person is needed for", asked),
    otherwise === "deny" ? null : listed("Denied are", denied),
    isMixed ? "Further rules may ask about or deny some." : null,
    otherwise === "ask" || otherwise === "deny" ? SPELLING : null,
  ];
  return sentences.filter((one) => one !== null).join(" ");
}

const OTHERS: Readonly<Record<CommandRules["otherwise"], (hasOthers: boolean) => string>> = {
  allow: (hasOthers) => `${hasOthers ? "Other commands" : "Commands"} run without approval.`,
  beyond: (hasOthers) =>
    `${hasOthers ? "Other commands" : "Commands"} run without approval, unless approval would let them write or read more.`,
  ask: (hasOthers) => `${hasOthers ? "Other commands need" : "Each command needs"} the approval of a person.`,
  deny: (hasOthers) => `${hasOthers ? "Other commands are" : "Each command is"} denied.`,
};

const SPELLING =
  "A line runs without approval only if each of its commands does: write each program out, without `eval`, functions, aliases or a variable as its name.";

function listed(lead: string, patterns: readonly string[]): string | null {
  if (patterns.length === 0) return null;
  const shown = patterns.slice(0, MAX_NAMED).map((pattern) => visible(pattern.slice(0, MAX_PATTERN_LENGTH)));
  const more = patterns.length > MAX_NAMED ? `, and ${patterns.length - MAX_NAMED} more` : "";
  return `${lead} commands that begin with ${shown.join(", ")}${more}.`;
}
