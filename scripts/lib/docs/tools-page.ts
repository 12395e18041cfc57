import { toolCards } from "../../../src/decide/tool-cards.ts";
import { code, page, table } from "./markdown.ts";
import { rowsOf, Schema } from "./schema-rows.ts";

/** The page about the tools that every session has. */
export function toolsPage(defined: Parameters<typeof toolCards>[0]): string {
  const cards = toolCards(defined, null);
  return page(
    "Tools",
    "The tools that every session has. The description is what a model reads. `cofferdam tools NAME` prints the same.",
    "A path names a root and a path in it (`notes:ideas.md`), or is relative to the folder that calls start in.",
    table(
      ["tool", "risk"],
      cards.map(({ name, risk }) => [`[${name}](#${name})`, code(risk)]),
    ),
    ...cards.flatMap(({ name, risk, description, schema }) => [
      `## ${name}`,
      `Risk: ${code(risk)}.`,
      `> ${description.replaceAll("\n", "\n> ")}`,
      inputs(Schema.parse(schema ?? {})),
    ]),
  );
}

function inputs(schema: Schema): string {
  return table(
    ["input", "type", "default", "meaning"],
    rowsOf(schema).map(({ path, type, isRequired, default: value, description }) => [
      code(path),
      type,
      isRequired ? "required" : value === "" ? "" : code(value),
      description,
    ]),
  );
}
