import { escapeInvisible } from "../errors.ts";

/** Plain text, invisible text that is spelled out, or a tab. The styles differ, so no text can be mistaken for them. */
export interface Run {
  readonly kind: "text" | "spelled" | "tab";
  readonly text: string;
}

/** Text that is already spelled out. */
const SPELLED = /((?:\\u\{[0-9a-f]+\})+)/;
/** Tabs, blanks at the end of a line (each run is matched once), and text that looks spelled out. */
const APART = /\t|(?<! ) +$|\\(?=u\{)/g;
/** The look of a tab. */
const TAB = "→   ";

/**
 * A line of text from outside, made visible like in a terminal. Characters that are invisible, break lines or change
 * the text order are spelled out (`\u{202e}`). So are blanks at the end, and a backslash that would look like that.
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

/** Text that only looked spelled out has been escaped by now, so all that matches was really spelled out. */
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
