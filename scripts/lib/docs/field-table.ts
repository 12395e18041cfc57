import { code, table } from "./markdown.ts";
import { rowsOf, type Schema } from "./schema-rows.ts";

/** A table of the fields of a schema, without those that are left out. */
export function fieldTable(schema: Schema, leftOut: readonly string[] = []): string {
  const rows = rowsOf(schema).filter(({ path }) => !leftOut.includes(path));
  return table(
    ["field", "type", "is there", "meaning"],
    rows.map(({ path, type, isRequired, description }) => [
      code(path),
      type,
      isRequired ? "always" : "sometimes",
      description,
    ]),
  );
}
