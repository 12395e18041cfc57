import { formatPatch, OMIT_HEADERS, structuredPatch } from "diff/lib/patch/create.js";
import { decoded, linesOf, newlinesIn } from "./head.ts";

/** Larger texts are not compared at all. */
const MOST_LENGTH = 16 * 1024 ** 2;
/** Nor are texts of which more than this lies between the first and the last difference. */
const MOST_BETWEEN = { length: 1024 ** 2, lines: 50_000 } as const;
/** What a comparison may cost: lines added and removed (its time grows with their square), and milliseconds. */
const EFFORT = { maxEditLength: 2_000, timeout: 250 } as const;
/** Unchanged lines that are shown around a change. */
const CONTEXT = 3;

/** What is different line by line, or what is too large or too different to be told so. */
export type DiffText =
  | { readonly kind: "hunks"; readonly text: string }
  | { readonly kind: "large" | "different" };

/**
 * The hunks of a unified diff of two texts (or their UTF-8), with three lines of context and no header. A line keeps
 * the CR before its LF: a change of line ends is seen in every line, and told in a first line of its own.
 */
export function diffText(before: string | Uint8Array, after: string | Uint8Array): DiffText {
  if (before.length > MOST_LENGTH || after.length > MOST_LENGTH) return { kind: "large" };
  const [old, now] = [decoded(before), decoded(after)];
  const { start, fromEnd } = between(old, now);
  const parts = [old, now].map((text) => text.slice(start, text.length - fromEnd));
  const [oldPart = "", newPart = ""] = parts;
  const isTooMuch = (part: string): boolean =>
    part.length > MOST_BETWEEN.length || linesOf(part) > MOST_BETWEEN.lines;
  const patch = parts.some(isTooMuch)
    ? undefined
    : structuredPatch("", "", oldPart, newPart, "", "", { context: CONTEXT, ...EFFORT });
  if (patch === undefined) return { kind: "different" };
  const skipped = newlinesIn(old.slice(0, start));
  const hunks = patch.hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + skipped,
    newStart: hunk.newStart + skipped,
  }));
  return {
    kind: "hunks",
    // An unchanged line that is empty stands as one: a blank there would be shown as if it were in the file.
    text: `${lineEndsChange(old, now)}${formatPatch({ ...patch, hunks }, OMIT_HEADERS)}`.replace(
      /\n (?=\n)/g,
      "\n",
    ),
  };
}

/** The lines in which two texts differ, from the first to the last, and those that are shown around them. */
function between(old: string, now: string): { readonly start: number; readonly fromEnd: number } {
  const shorter = Math.min(old.length, now.length);
  let same = 0;
  while (same < shorter && old.charCodeAt(same) === now.charCodeAt(same)) same += 1;
  let sameAtEnd = 0;
  const isSameAtEnd = (back: number): boolean =>
    old.charCodeAt(old.length - back) === now.charCodeAt(now.length - back);
  while (sameAtEnd < shorter - same && isSameAtEnd(sameAtEnd + 1)) sameAtEnd += 1;
  let [start, end] = [same, old.length - sameAtEnd];
  for (let line = 0; line <= CONTEXT; line += 1) {
    // The first time to the edges of the lines in which the difference begins and ends.
    start = start < 2 ? 0 : old.lastIndexOf("\n", start - (line === 0 ? 1 : 2)) + 1;
    end = old.indexOf("\n", end) === -1 ? old.length : old.indexOf("\n", end) + 1;
  }
  return { start, fromEnd: old.length - end };
}

function lineEndsChange(before: string, after: string): string {
  const [old, now] = [lineEnds(before), lineEnds(after)];
  return old === null || now === null || old === now ? "" : `\\ Line ends change: ${old} → ${now}\n`;
}

function lineEnds(text: string): "CRLF" | "LF" | "CRLF and LF" | null {
  const hasCrlf = text.includes("\r\n");
  const hasLf = /(?<!\r)\n/.test(text);
  if (hasCrlf) return hasLf ? "CRLF and LF" : "CRLF";
  return hasLf ? "LF" : null;
}
