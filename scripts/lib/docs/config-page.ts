import { jsonSchema, type SchemaName } from "../../../src/config/schema.ts";
import { code, page, table } from "./markdown.ts";
import { type Row, rowsOf, Schema } from "./schema-rows.ts";

/** The rows of a file that people write. */
export function rowsOfFile(name: SchemaName): readonly Row[] {
  return rowsOf(Schema.parse(jsonSchema(name)));
}

/** The page about `cofferdam.yaml`: every key that there is. */
export function configPage(): string {
  return page(
    "cofferdam.yaml",
    "Every key of the config. `NAME` stands for a name of your choice, `[]` for each item of a list. An unknown key is an error.",
    "`cofferdam schema config` prints the same as a JSON Schema. `cofferdam check` checks a config without running anything.",
    ...sections(rowsOfFile("config")),
    UNITS,
  );
}

/** The page about files of operators. */
export function profilePage(): string {
  return page(
    "Operator profile",
    "Every key of an operator profile. A profile can only take access away. A key that is left out says nothing; an empty list allows nothing.",
    "`cofferdam schema profile` prints the same as a JSON Schema. `cofferdam profile list` lists the profiles that apply.",
    sectionTable(rowsOfFile("profile")),
    UNITS,
  );
}

const UNITS =
  "Times are a number and a unit: `500ms`, `60s`, `2m`, `1h`. Ages: `12h`, `90d`. Sizes: `64KiB`, `256MiB`, `2GiB`.";

/** A table of each key at the top. */
function sections(rows: readonly Row[]): readonly string[] {
  const byTop = Map.groupBy(rows, ({ path }) => /^\w+/.exec(path)?.[0] ?? "");
  return [...byTop].flatMap(([top, own]) => [`## ${top}`, sectionTable(own)]);
}

function sectionTable(rows: readonly Row[]): string {
  return table(
    ["key", "type", "default", "meaning", "example"],
    rows.map((row) => [
      code(row.path),
      row.type,
      row.isRequired ? "required" : code(row.default),
      row.like === null ? row.description : `${row.description} The keys are those of \`${row.like}\`.`,
      code(row.example),
    ]),
  );
}
