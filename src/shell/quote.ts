import { quote as quoteWords } from "shell-quote";
import { escapeInvisible } from "../errors.ts";

/** Words as one line that a person reads and a POSIX shell would split into the same words. Never run. */
export function quote(words: readonly string[]): string {
  return escapeInvisible(quoted(words));
}

/** The same before it is made visible, for whoever draws it and does that. */
export function quoted(words: readonly string[]): string {
  return quoteWords([...words]);
}
