import { InnerLines } from "../shell/inner.ts";
import { lineOf, type ShellInput } from "../tool/call.ts";

/**
 * The commands of a call, each as its words, and those in lines that it hands to a shell (`sh -c 'git commit'`), as far as
 * they are found. For what is told once a call has ended: whether it ran each of them, nobody knows.
 */
export function commandsIn(input: ShellInput): readonly (readonly string[])[] {
  const inner = new InnerLines();
  return lineOf(input).commands.flatMap(({ words }) => [words, ...inner.of(words).commands]);
}
