/** The script that runs lines of shell one after another, each by itself, and prints `y` or `n` for each on a line. */
export function trialScript(lines: readonly string[]): string {
  return lines.map((line) => `( ${line}\n) >/dev/null 2>&1 </dev/null && echo y || echo n`).join("\n");
}

/** The printed answers, in the order of the lines; fewer if it was not run to its end. */
export function trialAnswers(text: string): readonly boolean[] {
  return text.split("\n").flatMap((line) => (line === "y" ? [true] : line === "n" ? [false] : []));
}
