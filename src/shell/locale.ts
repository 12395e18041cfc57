/** Locales in which bash reads text as the parser does: a character is one code point, or all are single bytes. */
const READ_ALIKE = /^(|C|POSIX)$|^[^@]*\.utf-?8(@|$)/i;

/** The locale in which a program reads characters (locale(7)): the first of the three that is set and not empty. */
export function localeOf(env: Readonly<Record<string, string | undefined>>): string {
  return ["LC_ALL", "LC_CTYPE", "LANG"].map((name) => env[name] ?? "").find((value) => value !== "") ?? "";
}

/**
 * Reasons why bash may read a line differently in a locale than the parser; may be empty. In some charsets the second
 * byte of a character is a backslash or a bar (GBK, SJIS, BIG5), which changes a quote or operator after it.
 */
export function localeDoubts(line: string, locale: string): readonly string[] {
  return /^\p{ASCII}*$/u.test(line) || READ_ALIKE.test(locale)
    ? []
    : ["it has characters that depend on the locale"];
}
