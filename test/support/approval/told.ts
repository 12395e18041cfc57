import { DENIALS, type DeniedBy } from "../../../src/policy/denied-by.ts";

/** A denial as a model reads it, without its first word. */
export function toldWhy(reason: string, by: DeniedBy): string {
  return `${reason}\nWhat would help: ${DENIALS[by].advice}`;
}

/** A denial as a model reads it. */
export function toldDenied(reason: string, by: DeniedBy): string {
  return `Denied: ${toldWhy(reason, by)}`;
}
