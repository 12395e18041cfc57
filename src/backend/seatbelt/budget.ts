import { visible } from "../../errors.ts";
import type { NotEnforceable } from "../plan.ts";
import { printProfile, quoteText, type Section, textsOf } from "./sbpl.ts";
import { isSpellable } from "./translate.ts";

/** `sandbox-exec` takes no string above 1,025 bytes; one such string makes it refuse the whole profile. */
const MAX_STRING = 900;

/** From about 17,000 rules on, the compiler of profiles is known to crash. */
const MAX_RULES = 4_096;

/** Filters of one rule are compiled into one table of at most 65,535 bytes. */
const MAX_FILTERS = 256;

/** A larger text takes the compiler seconds. */
const MAX_TEXT = 256 * 1024;

/** The maximum of all arguments and variables together is a mebibyte (execve(2), `ARG_MAX`). */
const MAX_PARAMETERS = 64 * 1024;

const NARROW = "name fewer paths: mask or grant their folders instead";

/** The reason why the kernel would not take the rules, or null: refused here, where the reason can be reported. */
export function overBudget(
  sections: readonly Section[],
  parameters: Readonly<Record<string, string>>,
): NotEnforceable | null {
  const rules = sections.flatMap((section) => section.rules);
  if (rules.length > MAX_RULES)
    return tooMany("files", `${rules.length} rules are needed; the maximum is ${MAX_RULES}`);
  for (const { filter } of rules) {
    const texts = filter === null ? [] : textsOf(filter);
    if (texts.length > MAX_FILTERS)
      return tooMany(
        "masks",
        `${texts.length} conditions are needed in one rule; the maximum is ${MAX_FILTERS}`,
      );
    for (const text of texts) {
      const refusal = typeof text === "string" ? refusedText(text) : null;
      if (refusal !== null) return refusal;
    }
  }
  return refusedParameters(Object.values(parameters)) ?? refusedSize(printProfile(sections, "").length);
}

function refusedSize(size: number): NotEnforceable | null {
  return size <= MAX_TEXT
    ? null
    : tooMany("files", `the rules need ${size} bytes; the maximum is ${MAX_TEXT}`);
}

function tooMany(field: string, reason: string): NotEnforceable {
  return { field, reason, remedy: NARROW };
}

function refusedText(text: string): NotEnforceable | null {
  if (!isSpellable(text)) {
    const reason = `${visible(text)} has a character that is not printable ASCII, which rules can't contain`;
    return { field: "files", reason, remedy: "rename it, or grant the folder above it" };
  }
  const { length } = quoteText(text);
  return length <= MAX_STRING ? null : tooLong(text, length);
}

/** A parameter's value reaches the compiler as an argument: characters that no path of a config has are refused. */
function refusedParameters(values: readonly string[]): NotEnforceable | null {
  for (const value of values) {
    if (/[\p{Cc}\p{Cs}="\\]/u.test(value)) {
      const reason = `${visible(value)} has non-ASCII letters and a character that arguments can't contain`;
      return { field: "files", reason, remedy: "rename it, or grant the folder above it" };
    }
    const length = Buffer.byteLength(value);
    if (length > MAX_STRING) return tooLong(value, length);
  }
  const size = values.reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  return size <= MAX_PARAMETERS
    ? null
    : tooMany("files", `the paths in arguments need ${size} bytes; the maximum is ${MAX_PARAMETERS}`);
}

function tooLong(text: string, length: number): NotEnforceable {
  const reason = `${visible(`${text.slice(0, 60)}…`)} is a string of ${length} bytes; the maximum is ${MAX_STRING}`;
  return { field: "files", reason, remedy: "use a shorter path or pattern" };
}
