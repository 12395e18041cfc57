import { visible } from "../../errors.ts";
import type { Refusal } from "../plan.ts";
import { printRule, quoteText, type SbplRule, textsOf } from "./sbpl.ts";
import { isSpellable } from "./translate.ts";

/** `sandbox-exec` takes no string above 1,025 bytes; one such string makes it refuse the whole profile. */
const MOST_STRING = 900;

/** From about 17,000 rules on, the compiler of profiles is known to crash. */
const MOST_RULES = 4_096;

/** Filters of one rule are compiled into one table of at most 65,535 bytes. */
const MOST_FILTERS = 256;

/** The text is an argument; all arguments and variables together have a mebibyte. */
const MOST_TEXT = 256 * 1024;

const NARROW = "name fewer paths: mask or grant the folders that hold so many";

/** Why rules can't be handed to the kernel, or null: refused here, where the reason can be told. */
export function overBudget(rules: readonly SbplRule[]): Refusal | null {
  if (rules.length > MOST_RULES) {
    return {
      field: "files",
      reason: `${rules.length} rules would be needed; ${MOST_RULES} is the most`,
      remedy: NARROW,
    };
  }
  let size = 0;
  for (const rule of rules) {
    const texts = rule.filter === null ? [] : textsOf(rule.filter);
    if (texts.length > MOST_FILTERS) {
      const reason = `${texts.length} conditions would be needed in one rule; ${MOST_FILTERS} is the most`;
      return { field: "masks", reason, remedy: NARROW };
    }
    const refusal = texts.map(refusedText).find((one) => one !== null);
    if (refusal !== undefined) return refusal;
    size += printRule(rule).length + 1;
  }
  if (size <= MOST_TEXT) return null;
  return {
    field: "files",
    reason: `the rules would take ${size} bytes; ${MOST_TEXT} is the most`,
    remedy: NARROW,
  };
}

function refusedText(text: string): Refusal | null {
  if (!isSpellable(text)) {
    const reason = `${visible(text)} has a character that is not printable ASCII, which no rule can spell`;
    return { field: "files", reason, remedy: "rename it, or grant the folder above it" };
  }
  const { length } = quoteText(text);
  if (length <= MOST_STRING) return null;
  const reason = `${visible(`${text.slice(0, 60)}…`)} would be a string of ${length} bytes; ${MOST_STRING} is the most`;
  return { field: "files", reason, remedy: "use a shorter path or pattern" };
}
