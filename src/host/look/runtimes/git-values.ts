/** Checks the documented values of one key: true for a value that may be carried. Null is a key without `=`. */
export type ValueCheck = (value: string | null) => boolean;

/** A boolean as git reads it (git-config(1), VALUES). */
export const BOOL: ValueCheck = (value) =>
  value === null || value === "" || /^(true|yes|on|1|false|no|off|0)$/i.test(value);

/** An integer, perhaps with a unit. */
export const NUMBER: ValueCheck = (value) => value !== null && /^-?\d{1,18}[kmg]?$/i.test(value);

/** One of these words. */
export const words = (...listed: readonly string[]): ValueCheck => {
  const known = new Set(listed);
  return (value) => value !== null && known.has(value.toLowerCase());
};

/** A boolean, or one of these words. */
export const boolOr = (...listed: readonly string[]): ValueCheck => {
  const isListed = words(...listed);
  return (value) => BOOL(value) || isListed(value);
};

/** Words and numbers with signs between them: colors, columns, date formats, kinds of white space. */
export const PLAIN: ValueCheck = (value) => value !== null && /^[\w #%,.:;+/= -]{0,200}$/.test(value);

/** The name of a branch, remote or ref, or a pattern of such names. */
export const REF: ValueCheck = (value) =>
  value !== null && /^[^\p{C}\s~^:\\"'`$;&|<>()!-][^\p{C}\s~^:\\"'`$;&|<>()!]{0,199}$/u.test(value);

/** One line that git prints or records and never interprets. */
export const TEXT: ValueCheck = (value) =>
  value !== null && value !== "" && /^[^\p{Cc}\p{Cs}]{1,1000}$/u.test(value);

/** An absolute folder, every folder, or the empty value, which resets earlier ones. */
export const FOLDER: ValueCheck = (value) => value !== null && /^(|\*|\/[^\p{C}]{0,1000})$/u.test(value);

/** Format of printed commits; with `%G…` git would start a signature verifier (git-log(1), PRETTY FORMATS). */
export const FORMAT: ValueCheck = (value) => TEXT(value) && !/%[-+ ]?G/.test(value ?? "");

/** A field to sort refs by; with `signature` git would start a verifier (git-for-each-ref(1), FIELD NAMES). */
export const SORT: ValueCheck = (value) =>
  value !== null && /^-?[a-z]+(:[a-z]+){0,2}$/i.test(value) && !/signature/i.test(value);
