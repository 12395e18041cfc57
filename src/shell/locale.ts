/** Locales in which bash reads text as the parser does: a character is one code point, or all are single bytes. */
const READ_ALIKE = /^(|C|POSIX)$|^[^@]*\.utf-?8(@|$)/i;

/** The locale by which a program reads characters (locale(7)): the first of the three that is set and not empty. */
export function localeOf(env: Readonly<Record<string, string | undefined>>): string {
  return ["LC_ALL", "LC_CTYPE", "LANG"].map((name) => env[name] ?? "").find((value) => value !== "") ?? "";
}

/**
 * Why a line may be another to bash in a locale than to the parser: in some charsets the second byte of a character is
 * a backslash or a bar (GBK, SJIS, BIG5), so that a quote or an operator behind it is read otherwise. Empty when it can't be.
 */
export function localeDoubts(line: string, locale: string): readonly string[] {
  return /^\p{ASCII}*$/u.test(line) || READ_ALIKE.test(locale)
    ? []
    : ["it has characters that the locale may make others of"];
}
