import { InnerLines } from "../../shell/inner.ts";
import { lineOf, type ShellInput } from "../../tool/call.ts";

/** The words of each command, with lines handed to a shell. For reports: it is unknown whether each command ran. */
export function commandsIn(input: ShellInput): readonly (readonly string[])[] {
  const inner = new InnerLines();
  return lineOf(input).commands.flatMap(({ words }) => [words, ...inner.of(words).commands]);
}
