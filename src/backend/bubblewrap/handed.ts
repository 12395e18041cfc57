import { GATES_OWN } from "../../tool/obeyed-names.ts";

/**
 * How a program's words reach the gate: by variables of its shell, `cofferdam_words` of them, which it takes out before the
 * program starts. So a launcher's own words are the same for every call under one profile, and it can be started before
 * anybody knows of what. Only their names are ever read as shell. What is too much for variables stands in the launcher's
 * words, where the kernel takes more: of one and of the other all is the program's, in this order.
 */
export interface Handed {
  /** Words that stand behind the gate's own, in the launcher's. */
  readonly argv: readonly string[];
  /** The variables, by name. */
  readonly variables: ReadonlyMap<string, string>;
}

/** Each takes a shell some microseconds, and the launcher takes 9,000 words by its options (bubblewrap.c, `MAX_ARGS`). */
const MOST_WORDS = 64;

/** The kernel takes 128 KiB for one variable (execve(2), `MAX_ARG_STRLEN`). In characters, of four bytes at the most. */
const MOST_LENGTH = 16_384;

/** Hands over the words of one program. */
export function handOver(words: readonly string[]): Handed {
  const length = words.reduce((sum, word) => sum + word.length, 0);
  const isHanded = words.length <= MOST_WORDS && length <= MOST_LENGTH;
  const handed = isHanded ? words : [];
  return {
    argv: isHanded ? [] : words,
    variables: new Map([
      ...handed.map((word, at): [string, string] => [`${GATES_OWN}word_${at}`, word]),
      [`${GATES_OWN}words`, String(handed.length)],
    ]),
  };
}

/** The lines of a POSIX shell that take the words that were handed over, behind those that it has in `"$@"`. */
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
