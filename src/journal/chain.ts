import { createHash } from "node:crypto";
import { sha256 } from "../profile/digest.ts";

/** The text after an event's last field in its line, around the hash. */
const [BEFORE, BEHIND] = [',"hash":"', '"}'];
const DIGITS = 64;
const SEAL = BEFORE.length + DIGITS + BEHIND.length;

/**
 * The chain of lines in a record. All hashes are SHA-256, in 64 lower-case hex digits.
 *
 * The text of a line is its event as JSON, without line breaks. The file holds that text with one more field at its
 * end, `"hash"`, and a line break. The hash of a line covers the 64 digits of the previous line in the same file,
 * followed by its own text, in UTF-8. `chainStart` comes before the first line of a file.
 *
 * So a hash covers its line and everything written before it in this run. There is no secret in it: a process that may
 * write the file can rewrite all of it, with new hashes. Only a hash that was kept elsewhere reveals that.
 */
export interface SealedLine {
  /** The line in the file, without the line break. */
  readonly line: string;
  readonly hash: string;
}

/**
 * The hash before the first line of a file: that of `["cofferdam journal",1,RUN,SEGMENT,PREVIOUS]` as JSON without
 * blanks. So no line fits in another run or another file. `previous` is the hash of the last line of the segment
 * before; null for the first segment.
 */
export function chainStart(runId: string, segment: number, previous: string | null): string {
  return sha256(JSON.stringify(["cofferdam journal", 1, runId, segment, previous]));
}

/** The line for a JSON text (an object with a field), after a line with this hash. */
export function sealedLine(previous: string, text: string): SealedLine {
  const digest = sha256(`${previous}${text}`);
  return { line: `${text.slice(0, -1)}${BEFORE}${digest}${BEHIND}`, hash: digest };
}

/** A parsed line: its text and its hash. */
export interface OpenedLine {
  readonly text: Buffer;
  readonly hash: string;
}

/** Parses a line of a file; null if it does not end in a hash. Bytes are compared, not their meaning. */
export function openedLine(line: Buffer): OpenedLine | null {
  const at = line.length - SEAL;
  if (at < 1) return null;
  const [, digest] = /^,"hash":"([0-9a-f]{64})"\}$/.exec(line.toString("latin1", at)) ?? [];
  return digest === undefined ? null : { text: Buffer.concat([line.subarray(0, at), CLOSING]), hash: digest };
}

const CLOSING = Buffer.from("}");

/** True if the line was written after one with this hash. */
export function isBehind(previous: string, { text, hash: digest }: OpenedLine): boolean {
  return createHash("sha256").update(previous).update(text).digest("hex") === digest;
}
