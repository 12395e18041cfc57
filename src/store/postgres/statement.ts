import type { z } from "zod";
import { unavailable } from "./failure.ts";

/** One statement: what the server remembers it as, so that it plans it once, and what its rows are. */
export interface Statement<Row> {
  /** Null for one that is seldom asked. */
  readonly name: string | null;
  readonly text: string;
  readonly row: z.ZodType<Row>;
}

/** What takes the place of `$1` and so on. */
export type Value = string | number | null;

/** A row as it has to be. Throws `STORE_UNAVAILABLE` for one that is not: somebody else wrote it. */
export function rowOf<Row>(schema: z.ZodType<Row>, given: unknown): Row {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const place = (read.error.issues[0]?.path ?? []).join(".");
  throw unavailable(`holds what this version can't read, in \`${place}\``, "restore it from a backup");
}

/** The row of a table that has one, always. Throws `STORE_UNAVAILABLE` where it has been removed. */
export function onlyOne<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw unavailable("has lost a part of itself", "restore it from a backup");
  return row;
}

/**
 * An id as a column holds it, different for different ids: Postgres holds no U+0000, and UTF-8 no half characters. One of
 * plain characters stays what it is.
 */
export function keyOf(id: string): string {
  return JSON.stringify(id).slice(1, -1);
}

/** A name for what the text names, whatever it holds (https://www.postgresql.org/docs/current/sql-syntax-lexical.html). */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Times that a database holds: 100 years are as good as for ever. */
export function bounded(ms: number): number {
  return Math.min(ms, 100 * 365 * 86_400_000);
}
