import { escapeInvisible } from "../../../errors.ts";

/** Matches words that YAML does not read as text, by YAML 1.1 as well, which some editors use. */
const NO_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** A text as a value in a line of YAML that a person pastes, in brackets or not. */
export function yamlText(text: string): string {
  return /^[A-Za-z/][\w./@+-]*$/.test(text) && !NO_TEXT.test(text) ? text : yamlString(text);
}

/** Always in quotes. */
export function yamlString(text: string): string {
  return JSON.stringify(escapeInvisible(text));
}
