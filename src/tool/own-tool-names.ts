import { FILE_TOOLS } from "./files/all.ts";

/** The names of the product's own tools. */
export const OWN_TOOL_NAMES: ReadonlySet<string> = new Set([
  "shell",
  ...FILE_TOOLS.map(({ name }) => name),
  "web_fetch",
  "web_fetch_add_domain",
]);
