import { visible } from "../../errors.ts";
import type { Refusal } from "../plan.ts";
import { printProfile, quoteText, type Section, textsOf } from "./sbpl.ts";
import { isSpellable } from "./translate.ts";

/** `sandbox-exec` takes no string above 1,025 bytes; one such string makes it refuse the whole profile. */
const MOST_STRING = 900;

/** From about 17,000 rules on, the compiler of profiles is known to crash. */
const MOST_RULES = 4_096;

/** Filters of one rule are compiled into one table of at most 65,535 bytes. */
const MOST_FILTERS = 256;

/** More takes the compiler seconds. */
const MOST_TEXT = 256 * 1024;

/** All arguments and variables together have a mebibyte (execve(2), `ARG_MAX`). */
const MOST_PARAMETERS = 64 * 1024;

const NARROW = "name fewer paths: mask or grant the folders that hold so many";

/** Why rules can't be handed to the kernel, or null: refused here, where the reason can be told. */
export function overBudget(
  sections: readonly Section[],
  parameters: Readonly<Record<string, string>>,
): Refusal | null {
  const rules = sections.flatMap((section) => section.rules);
  if (rules.length > MOST_RULES)
    return tooMany("files", `${rules.length} rules would be needed; ${MOST_RULES} is the most`);
  for (const { filter } of rules) {
    const texts = filter === null ? [] : textsOf(filter);
    if (texts.length > MOST_FILTERS)
      return tooMany(
        "masks",
        `${texts.length} conditions would be needed in one rule; ${MOST_FILTERS} is the most`,
      );
    for (const text of texts) {
      const refusal = typeof text === "string" ? refusedText(text) : null;
      if (refusal !== null) return refusal;
    }
  }
  return refusedParameters(Object.values(parameters)) ?? refusedSize(printProfile(sections, "").length);
}

function refusedSize(size: number): Refusal | null {
  return size <= MOST_TEXT
    ? null
    : tooMany("files", `the rules would take ${size} bytes; ${MOST_TEXT} is the most`);
}

function tooMany(field: string, reason: string): Refusal {
  return { field, reason, remedy: NARROW };
}

function refusedText(text: string): Refusal | null {
  if (!isSpellable(text)) {
    const reason = `${visible(text)} has a character that is not printable ASCII, which no rule can spell`;
    return { field: "files", reason, remedy: "rename it, or grant the folder above it" };
  }
  const { length } = quoteText(text);
  return length <= MOST_STRING ? null : tooLong(text, length);
}

/** What a parameter stands for reaches the compiler as an argument: characters that no path of a config has are refused. */
function refusedParameters(values: readonly string[]): Refusal | null {
  for (const value of values) {
    if (/[\p{Cc}\p{Cs}="\\]/u.test(value)) {
      const reason = `${visible(value)} has, beside letters that no rule can spell, a character that no argument may have`;
      return { field: "files", reason, remedy: "rename it, or grant the folder above it" };
    }
    const length = Buffer.byteLength(value);
    if (length > MOST_STRING) return tooLong(value, length);
  }
  const size = values.reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  return size <= MOST_PARAMETERS
    ? null
    : tooMany("files", `paths of ${size} bytes would be arguments; ${MOST_PARAMETERS} is the most`);
}

function tooLong(text: string, length: number): Refusal {
  const reason = `${visible(`${text.slice(0, 60)}…`)} would be a string of ${length} bytes; ${MOST_STRING} is the most`;
  return { field: "files", reason, remedy: "use a shorter path or pattern" };
}
