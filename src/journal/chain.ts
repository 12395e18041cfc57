import { createHash } from "node:crypto";
import { sha256 } from "../profile/digest.ts";

/** What stands behind an event's last field in its line, with the hash left out. */
const [BEFORE, BEHIND] = [',"hash":"', '"}'];
const DIGITS = 64;
const SEAL = BEFORE.length + DIGITS + BEHIND.length;

/**
 * How lines of a record hang together. All hashes are SHA-256, in 64 small hex digits.
 *
 * The text of a line is its event as JSON, without line breaks. What stands in the file is that text with one more field
 * at its end, `"hash"`, and a line break. The hash of a line is that of the 64 digits of the line before it in the same
 * file, followed by its own text, in UTF-8. Before the first line of a file stands `chainStart`.
 *
 * So a line has its hash for what it says and for all that was written before it in this run. There is no secret in
 * it: whoever may write the file can write it anew, hashes and all. That shows against a hash that was kept elsewhere.
 */
export interface SealedLine {
  /** What stands in the file, without the line break. */
  readonly line: string;
  readonly hash: string;
}

/**
 * What the first line of a file hangs on: the hash of `["cofferdam journal",1,RUN,SEGMENT,PREVIOUS]` as JSON without
 * blanks. So no line of one run is one of another, nor at home in another file. `previous` is the hash of the last
 * line of the segment before; null for the first segment.
 */
export function chainStart(runId: string, segment: number, previous: string | null): string {
  return sha256(JSON.stringify(["cofferdam journal", 1, runId, segment, previous]));
}

/** A line for a text of JSON, an object with a field, behind a line with this hash. */
export function sealedLine(previous: string, text: string): SealedLine {
  const digest = sha256(`${previous}${text}`);
  return { line: `${text.slice(0, -1)}${BEFORE}${digest}${BEHIND}`, hash: digest };
}

/** A line taken apart: its text, and the hash that it bears. */
export interface OpenedLine {
  readonly text: Buffer;
  readonly hash: string;
}

/** Takes a line of a file apart; null when it does not end in a hash. Bytes are compared, not what they may mean. */
export function openedLine(line: Buffer): OpenedLine | null {
  const at = line.length - SEAL;
  if (at < 1) return null;
  const [, digest] = /^,"hash":"([0-9a-f]{64})"\}$/.exec(line.toString("latin1", at)) ?? [];
  return digest === undefined ? null : { text: Buffer.concat([line.subarray(0, at), CLOSING]), hash: digest };
}

const CLOSING = Buffer.from("}");

/** True when the line was written behind one with this hash. */
export function isBehind(previous: string, { text, hash: digest }: OpenedLine): boolean {
  return createHash("sha256").update(previous).update(text).digest("hex") === digest;
}
