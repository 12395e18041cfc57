import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import { orNull } from "../host/or-null.ts";
import type { Verified } from "./verify.ts";

/**
 * The end of a record at some time: the number, hash and time of its last line. If it is kept out of reach of the
 * record's writers, it reveals later truncation or rewriting.
 */
export const JournalHead = z.strictObject({
  run: z.string().min(1),
  lines: z.int().positive(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.iso.datetime().nullable(),
});
export type JournalHead = z.infer<typeof JournalHead>;

/** The current head of a record; null if its chain is broken or empty. */
export function headOf(verified: Verified): JournalHead | null {
  if (verified.kind !== "holds" || verified.head === null) return null;
  const { run, lines, head } = verified;
  return { run, lines, ...head };
}

/** A head on one line, as `readHeads` reads it: hash, number of lines, time, run. */
export function printHead({ run, lines, hash, at }: JournalHead): string {
  return `${hash} ${lines} ${at ?? "-"} ${run}`;
}

/** The heads in a text, one a line, in words or as JSON; empty lines are skipped. Throws `USAGE` for any other line. */
export function readHeads(text: string): readonly JournalHead[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const read = JournalHead.safeParse(
      line.startsWith("{") ? orNull((): unknown => JSON.parse(line)) : wordsOf(line),
    );
    if (read.success) return [read.data];
    throw new CofferdamError("USAGE", `line ${index + 1} is not a head: ${visible(line.slice(0, 100))}`, {
      hint: "do not change the lines of `cofferdam journal head`",
    });
  });
}

/** The result of a head for a record, which holds or is broken further on. */
export type HeadReach =
  /** The record has that line, and `after` valid lines after it. */
  | { readonly kind: "reached"; readonly after: number }
  /** It has another line there, or is shorter. */
  | { readonly kind: "not reached" }
  /** The line was in a file that was removed. */
  | { readonly kind: "gone" };

/** Compares a head with a record that was searched for its hash. `lines` is null if only the hash is known. */
export function reachOf(
  verified: Verified,
  { hash, lines }: { hash: string; lines: number | null },
): HeadReach {
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
