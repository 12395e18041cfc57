import { compile } from "../../sbpl/compile.ts";
import { LIKELY } from "../../sbpl/readings.ts";

/** What is wrong with the text of a profile, in words such as its compiler's; null where it is one. */
export function problemOf(text: string, params: ReadonlyMap<string, string>): string | null {
  const result = compile(text, LIKELY, { params });
  if (result.kind === "profile") return null;
  const what = result.kind === "error" ? result.message : `${result.what} is not known to the stand-in`;
  return `<input string>:${result.line}: ${what}`;
}
