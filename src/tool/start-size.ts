import { visible } from "../errors.ts";

/** The longest word, and the longest `NAME=value`, without the NUL behind it: 32 pages (execve(2), `MAX_ARG_STRLEN`). */
const MOST_WORD_BYTES = 128 * 1024 - 1;
/**
 * Words and environment together: a quarter of the usual stack of 8 MiB (execve(2)), less what the walls put before the
 * words.
 */
const MOST_BYTES = 2 * 1024 ** 2 - 16 * 1024;
/** What each costs beside its bytes: the NUL behind it and the pointer to it. */
const EACH_BYTES = 9;
/** bubblewrap takes 9,000 arguments in all (`MAX_ARGS` of its source), of which a plan needs up to some two thousand. */
const MOST_WORDS = 6_000;

/**
 * What is too large for any program to be started with, as "word 2 has 200000 bytes, 131071 are the most for one", or
 * null.
 */
export function tooLargeToStart(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  nameOf: (position: number) => string = (position) => `word ${position}`,
): string | null {
  if (words.length > MOST_WORDS) return `the call has ${words.length} words, ${MOST_WORDS} are the most`;
  const sizes = words.map(byteLength);
  const long = sizes.findIndex((bytes) => bytes > MOST_WORD_BYTES);
  if (long >= 0)
    return `${nameOf(long + 1)} has ${sizes[long]} bytes, ${MOST_WORD_BYTES} are the most for one`;
  for (const [name, value] of Object.entries(env)) {
    const bytes = byteLength(`${name}=${value}`);
    if (bytes > MOST_WORD_BYTES)
      return `the variable ${visible(name)} has ${bytes} bytes, ${MOST_WORD_BYTES} are the most for one`;
    sizes.push(bytes);
  }
  const total = sizes.reduce((sum, bytes) => sum + bytes + EACH_BYTES, 0);
  if (total <= MOST_BYTES) return null;
  return `the call's words and environment have ${total} bytes, ${MOST_BYTES} are the most together`;
}

/** The size of a text in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}
