import type { z } from "zod";
import { unavailable } from "./failure.ts";

/** One statement: the name under which the server keeps its plan, and the schema of its rows. */
export interface Statement<Row> {
  /** Null for a rare statement. */
  readonly name: string | null;
  readonly text: string;
  readonly row: z.ZodType<Row>;
}

/** A value for `$1` and so on. */
export type Value = string | number | null;

/** A checked row. Throws `STORE_UNAVAILABLE` for an invalid one: another program wrote it. */
export function rowOf<Row>(schema: z.ZodType<Row>, given: unknown): Row {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const place = (read.error.issues[0]?.path ?? []).join(".");
  throw unavailable(`contains unreadable data in \`${place}\``, "restore it from a backup");
}

/** The row of a table that always has one. Throws `STORE_UNAVAILABLE` if it was removed. */
export function onlyOne<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw unavailable("has lost a row", "restore it from a backup");
  return row;
}

/** An id as a column holds it, unique: Postgres holds no U+0000, and UTF-8 no lone surrogates. */
export function keyOf(id: string): string {
  return JSON.stringify(id).slice(1, -1);
}

/** A quoted identifier, for any text (https://www.postgresql.org/docs/current/sql-syntax-lexical.html). */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A time that a database can hold: 100 years at most, which is as good as for ever. */
export function bounded(ms: number): number {
  return Math.min(ms, 100 * 365 * 86_400_000);
}
