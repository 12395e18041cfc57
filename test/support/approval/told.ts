import { DENIALS, type DeniedBy } from "../../../src/policy/denied-by.ts";

/** A denial as a model reads it, without its first word. */
export function toldWhy(reason: string, by: DeniedBy): string {
  return `${reason}\nWhat would help: ${DENIALS[by].advice}`;
}

/** A denial as a model reads it. */
export function toldDenied(reason: string, by: DeniedBy): string {
  return `Denied: ${toldWhy(reason, by)}`;
}

/** The rejection of a person with a note, as a model reads it. */
export function toldNote(note: string, by: string): string {
  const advice =
    "follow the note; if it does not say what to do, ask the user. Do not repeat the call, also not in other words.";
  return `Denied: rejected by ${by}: ${note}\nWhat would help: ${advice}`;
}
