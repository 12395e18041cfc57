import { RESERVED_PREFIX } from "../../tool/obeyed-names.ts";

/**
 * The program's words as the start program gets them: in variables of its shell, `cofferdam_words` of them, removed
 * before the program starts. A launcher's own words are then the same for every call under one profile, and it can
 * start before the call is known. Only the variables' names are ever read as shell. Words too long for variables follow
 * in the launcher's words, where the kernel allows more. The program's words are the former, then the latter.
 */
export interface Handed {
  /** Words after the start program's own, in the launcher's. */
  readonly argv: readonly string[];
  readonly variables: ReadonlyMap<string, string>;
}

/** Each costs a shell some microseconds, and the launcher takes 9,000 words as options (bubblewrap.c, `MAX_ARGS`). */
const MAX_WORDS = 64;

/** The kernel's maximum of one variable: 128 KiB (execve(2), `MAX_ARG_STRLEN`), in characters of up to four bytes. */
const MAX_LENGTH = 16_384;

/** Splits the words of one program into variables and launcher words. */
export function handOver(words: readonly string[]): Handed {
  const length = words.reduce((sum, word) => sum + word.length, 0);
  const isHanded = words.length <= MAX_WORDS && length <= MAX_LENGTH;
  const handed = isHanded ? words : [];
  return {
    argv: isHanded ? [] : words,
    variables: new Map([
      ...handed.map((word, at): [string, string] => [`${RESERVED_PREFIX}word_${at}`, word]),
      [`${RESERVED_PREFIX}words`, String(handed.length)],
    ]),
  };
}

/** The lines of a POSIX shell that take the words from the variables, after those that it has in `"$@"`. */
export const TAKE_WORDS = [
  "cofferdam_at=0 cofferdam_names= cofferdam_values=",
  'while [ "$cofferdam_at" -lt "$cofferdam_words" ]; do',
  'cofferdam_names="$cofferdam_names cofferdam_word_$cofferdam_at"',
  'cofferdam_values="$cofferdam_values \\"\\$cofferdam_word_$cofferdam_at\\""',
  "cofferdam_at=$((cofferdam_at + 1))",
  "done",
  'eval "set -- \\"\\$@\\" $cofferdam_values; unset$cofferdam_names cofferdam_words"',
  "unset cofferdam_at cofferdam_names cofferdam_values",
].join("\n");
