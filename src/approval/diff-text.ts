import { formatPatch, OMIT_HEADERS, structuredPatch } from "diff/lib/patch/create.js";
import { newlinesIn } from "../policy/newlines.ts";
import { decoded, linesOf } from "./head.ts";

/** Larger texts are not compared. */
const MAX_LENGTH = 16 * 1024 ** 2;
/** Texts with more than this between the first and the last difference are not compared either. */
const MAX_BETWEEN = { length: 1024 ** 2, lines: 50_000 } as const;
/** Maximum cost, as all other work is blocked: changed lines, whose square counts, and milliseconds. */
const EFFORT = { maxEditLength: 2_000, timeout: 50 } as const;
const CONTEXT = 3;

/** The differences line by line, or the reason for none: too large or too different. */
export type DiffText =
  | { readonly kind: "hunks"; readonly text: string }
  | { readonly kind: "large" | "different" };

/** Unified diff hunks, three lines of context, no header. Lines keep their CR; a first line reports changed ends. */
export function diffText(before: string | Uint8Array, after: string | Uint8Array): DiffText {
  if (before.length > MAX_LENGTH || after.length > MAX_LENGTH) return { kind: "large" };
  const [old, now] = [bytesOf(before), bytesOf(after)];
  const { start, fromEnd } = between(old, now);
  const differing = (bytes: Buffer): Buffer => bytes.subarray(start, bytes.length - fromEnd);
  const [oldBytes, newBytes] = [differing(old), differing(now)];
  const [oldPart, newPart] = [textOf(oldBytes), textOf(newBytes)];
  const patch =
    oldPart === null || newPart === null
      ? undefined
      : structuredPatch("", "", oldPart, newPart, "", "", { context: CONTEXT, ...EFFORT });
  if (patch === undefined) return { kind: "different" };
  const skipped = newlinesIn(old.subarray(0, start));
  const hunks = patch.hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + skipped,
    newStart: hunk.newStart + skipped,
  }));
  return {
    kind: "hunks",
    // An unchanged empty line stays empty: a blank there would look like a part of the file. Line ends that both share
    // are no change.
    text: `${lineEnds(oldBytes) === lineEnds(newBytes) ? "" : lineEndsChange(old, now)}${formatPatch({ ...patch, hunks }, OMIT_HEADERS)}`.replace(
      /\n (?=\n)/g,
      "\n",
    ),
  };
}

function bytesOf(text: string | Uint8Array): Buffer {
  return typeof text === "string"
    ? Buffer.from(text)
    : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
}

/** The text of the differing part; null if it is too large to compare. */
function textOf(part: Buffer): string | null {
  if (part.length > MAX_BETWEEN.length || linesOf(part) > MAX_BETWEEN.lines) return null;
  return decoded(part);
}

/** The lines from the first to the last difference, and the context around them. */
function between(old: Buffer, now: Buffer): { readonly start: number; readonly fromEnd: number } {
  const shorter = Math.min(old.length, now.length);
  const isSame = (at: number, other: number, length: number): boolean =>
    old.compare(now, other, other + length, at, at + length) === 0;
  const same = longest(shorter, (from, length) => isSame(from, from, length));
  const sameAtEnd = longest(shorter - same, (from, length) =>
    isSame(old.length - from - length, now.length - from - length, length),
  );
  let [start, end] = [same, old.length - sameAtEnd];
  for (let line = 0; line <= CONTEXT; line += 1) {
    // The first pass moves to the edges of the lines where the difference begins and ends.
    start = start < 2 ? 0 : old.lastIndexOf("\n", start - (line === 0 ? 1 : 2)) + 1;
    end = old.indexOf("\n", end) === -1 ? old.length : old.indexOf("\n", end) + 1;
  }
  return { start, fromEnd: old.length - end };
}

/** Maximum of bytes compared at once: comparing them one by one takes longer than all the rest. */
const MAX_COMPARED = 64 * 1024;

/** The length of the common part of two texts, up to `max`, by a comparison of parts. */
function longest(max: number, isSame: (from: number, length: number) => boolean): number {
  let same = 0;
  for (let step = MAX_COMPARED; step >= 1; step = Math.floor(step / 16))
    while (same + step <= max && isSame(same, step)) same += step;
  return same;
}

function lineEndsChange(before: Buffer, after: Buffer): string {
  const [old, now] = [lineEnds(before), lineEnds(after)];
  return old === null || now === null || old === now ? "" : `\\ Line ends change: ${old} → ${now}\n`;
}

function lineEnds(text: Buffer): "CRLF" | "LF" | "CRLF and LF" | null {
  let [hasCrlf, hasLf] = [false, false];
  for (let at = 0; at < text.length && !(hasCrlf && hasLf); at += 1) {
    if (text[at] !== NEWLINE) continue;
    if (text[at - 1] === RETURN) hasCrlf = true;
    else hasLf = true;
  }
  if (hasCrlf) return hasLf ? "CRLF and LF" : "CRLF";
  return hasLf ? "LF" : null;
}

const NEWLINE = 10;
const RETURN = 13;
