import { visible } from "../errors.ts";

/** The longest word, and the longest `NAME=value`, without the final NUL: 32 pages (execve(2), `MAX_ARG_STRLEN`). */
const MAX_WORD_BYTES = 128 * 1024 - 1;
/** Words and environment: a quarter of the usual stack of 8 MiB (execve(2)), less the sandbox's own words. */
const MAX_BYTES = 2 * 1024 ** 2 - 16 * 1024;
/** Cost of each word beside its bytes: the final NUL and the pointer to it. */
const EACH_BYTES = 9;
/** bubblewrap takes 9,000 arguments (`MAX_ARGS` of its source); a plan needs up to about two thousand. */
const MAX_WORDS = 6_000;

/** The part too large to start any program, as "word 2 has 200000 bytes, 131071 are the most for one", or null. */
export function tooLargeToStart(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  nameOf: (position: number) => string = (position) => `word ${position}`,
): string | null {
  if (words.length > MAX_WORDS) return `the call has ${words.length} words; the maximum is ${MAX_WORDS}`;
  const sizes = words.map(byteLength);
  const long = sizes.findIndex((bytes) => bytes > MAX_WORD_BYTES);
  if (long >= 0) return `${nameOf(long + 1)} has ${sizes[long]} bytes; the maximum is ${MAX_WORD_BYTES}`;
  for (const [name, value] of Object.entries(env)) {
    const bytes = byteLength(`${name}=${value}`);
    if (bytes > MAX_WORD_BYTES)
      return `the variable ${visible(name)} has ${bytes} bytes; the maximum is ${MAX_WORD_BYTES}`;
    sizes.push(bytes);
  }
  const total = sizes.reduce((sum, bytes) => sum + bytes + EACH_BYTES, 0);
  if (total <= MAX_BYTES) return null;
  return `the call's words and environment have ${total} bytes; the maximum is ${MAX_BYTES}`;
}

/** The size of a text in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}
