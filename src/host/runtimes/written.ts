import { escapeInvisible } from "../../errors.ts";

/** What YAML reads as something else than text (YAML 1.1 as well, by which some editors go). */
const NO_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** A text as a value in a line of YAML that a person pastes, in brackets or not. */
export function yamlText(text: string): string {
  return /^[A-Za-z/][\w./@+-]*$/.test(text) && !NO_TEXT.test(text) ? text : yamlString(text);
}

/** In quotes, whatever it is. */
export function yamlString(text: string): string {
  return JSON.stringify(escapeInvisible(text));
}
