import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import type { Verified } from "./verify.ts";

/**
 * How far a record had come at some time: its last line then, by number and hash, and when that was written. Kept where
 * nobody who may write the record can change it, it shows that the record was cut off or written anew since.
 */
export const Head = z.strictObject({
  run: z.string().min(1),
  lines: z.int().positive(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.iso.datetime().nullable(),
});
export type Head = z.infer<typeof Head>;

/** The head of a record as it is now; null when its chain does not hold, or has no line. */
export function headOf(verified: Verified): Head | null {
  if (verified.kind !== "holds" || verified.head === null) return null;
  const { run, lines, head } = verified;
  return { run, lines, ...head };
}

/** A head on one line, as `readHeads` reads it: hash, number of lines, time, run. */
export function printHead({ run, lines, hash, at }: Head): string {
  return `${hash} ${lines} ${at ?? "-"} ${run}`;
}

/** The heads that a text lists, one a line, in words or as JSON; empty lines are left out. Throws `USAGE` for any other. */
export function readHeads(text: string): readonly Head[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const read = Head.safeParse(line.startsWith("{") ? jsonOf(line) : wordsOf(line));
    if (read.success) return [read.data];
    throw new CofferdamError("USAGE", `line ${index + 1} is no head: ${visible(line.slice(0, 100))}`, {
      hint: "keep the lines as `cofferdam journal head` prints them",
    });
  });
}

/** What a head says of a record that holds, or is broken further on. */
export type Reach =
  /** The record has that line, and so many behind it that hold. */
  | { readonly kind: "reached"; readonly after: number }
  /** It has another line there, or does not come so far. */
  | { readonly kind: "not reached" }
  /** The line was in a file that is gone. */
  | { readonly kind: "gone" };

/** Holds a head against a record for which its hash was sought. Of one that is only a hash, `lines` is null. */
export function reachOf(verified: Verified, { hash, lines }: { hash: string; lines: number | null }): Reach {
  const line = verified.found.get(hash);
  if (line !== undefined && (lines === null || line === lines))
    return { kind: "reached", after: verified.lines - line };
  const isBefore = verified.kind !== "not chained" && lines !== null && lines <= verified.gone;
  return { kind: isBefore && line === undefined ? "gone" : "not reached" };
}

function wordsOf(line: string): unknown {
  const [, hash, lines, at, run] = /^(\S+) (\d+) (\S+) (.+)$/.exec(line) ?? [];
  return { hash, lines: Number(lines), at: at === "-" ? null : at, run };
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
