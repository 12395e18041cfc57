import { IS_LONG } from "../long.ts";
import { PEOPLE, type Person } from "./people.ts";

/** The share of a table that one person tries, so that two people try each row once. With `--long`, or one person: all rows. */
export function rowsOf<Row>(person: Person, rows: readonly Row[]): readonly Row[] {
  if (IS_LONG) return rows;
  return rows.filter((_, at) => at % PEOPLE.length === PEOPLE.indexOf(person));
}
