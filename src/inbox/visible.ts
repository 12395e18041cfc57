import { escapeInvisible } from "../errors.ts";

/**
 * A part of a line as it is shown: as it is; spelled out, because nobody could see it as it is; or a tab. What is not as
 * it is has a look of its own, so that no text can be taken for it.
 */
export interface Run {
  readonly kind: "text" | "spelled" | "tab";
  readonly text: string;
}

/** What is spelled out already. */
const SPELLED = /((?:\\u\{[0-9a-f]+\})+)/;
/** Tabs, blanks at the end of a line (each run is looked at once), and what looks as if it had been spelled out. */
const APART = /\t|(?<! ) +$|\\(?=u\{)/g;
/** How a tab is shown. */
const TAB = "→   ";

/**
 * A line of text from outside, made visible as a terminal shows it: what is invisible, breaks lines or turns their order
 * is spelled out (`\u{202e}`), and so are blanks at the end and a backslash that would look like that.
 */
export function runsOf(line: string): readonly Run[] {
  const runs: Run[] = [];
  let from = 0;
  for (const { 0: found, index } of line.matchAll(APART)) {
    for (const run of visible(line.slice(from, index))) runs.push(run);
    runs.push(found === "\t" ? { kind: "tab", text: TAB } : { kind: "spelled", text: spelled(found) });
    from = index + found.length;
  }
  return merged([...runs, ...visible(line.slice(from))]);
}

/** What looks as if it had been spelled out does not stand in the text any more: what is, was. */
function visible(text: string): readonly Run[] {
  return escapeInvisible(text)
    .split(SPELLED)
    .map((part, index): Run => ({ kind: index % 2 === 0 ? "text" : "spelled", text: part }))
    .filter((run) => run.text !== "");
}

function merged(runs: readonly Run[]): readonly Run[] {
  const all: Run[] = [];
  for (const run of runs) {
    const last = all.at(-1);
    if (last?.kind === run.kind) all[all.length - 1] = { ...run, text: last.text + run.text };
    else all.push(run);
  }
  return all;
}

function spelled(text: string): string {
  return Array.from(text, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`).join("");
}
