import { printJsonSchema, SCHEMAS } from "../../config/schema.ts";
import { knownWord, parseWords, readArguments } from "../arguments.ts";
import type { Print } from "../print.ts";

const OPTIONS = { json: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;

/** Prints the JSON Schema of a file that people write. */
export async function schema(args: readonly string[], print: Print): Promise<number> {
  const { positionals } = readArguments("schema", args, OPTIONS);
  parseWords("schema", positionals, ["config|profile"]);
  print.result(printJsonSchema(knownWord("schema", "schema", positionals[0] ?? "", SCHEMAS)).trimEnd());
  return 0;
}
