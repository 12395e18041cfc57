import { quote as quoteWords } from "shell-quote";
import { escapeInvisible } from "../errors.ts";

/** Words as one line that a person reads and a POSIX shell would split into the same words. Never run. */
export function quote(words: readonly string[]): string {
  return escapeInvisible(quoted(words));
}

/** The maximum of characters escaped by backslashes, which is slow; longer text is put in single quotes. */
const MAX_ESCAPED = 16 * 1024;

/** The same before it is made visible, for callers that draw it and do that. */
export function quoted(words: readonly string[]): string {
  return words.map(quoterFor(words)).join(" ");
}

/** The beginning of words on one line, and the remaining words. */
export interface QuotedHead {
  readonly line: string;
  readonly rest: readonly string[];
}

/** The first words in the form of `quoted`, one after the other up to the number of characters. */
export function quotedHead(words: readonly string[], characters: number): QuotedHead {
  const quoteWord = quoterFor(words);
  const parts: string[] = [];
  let length = 0;
  for (const word of words) {
    if (length >= characters) break;
    const part = quoteWord(word);
    parts.push(part);
    length += part.length + 1;
  }
  return { line: parts.join(" "), rest: words.slice(parts.length) };
}

function quoterFor(words: readonly string[]): (word: string) => string {
  const isLong = words.reduce((sum, word) => sum + word.length, 0) > MAX_ESCAPED;
  return isLong ? inSingleQuotes : (word) => quoteWords([word]);
}

function inSingleQuotes(word: string): string {
  return /^[\w%+./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
