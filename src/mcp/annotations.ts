import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { ToolCard } from "../decide/tool-cards.ts";

type Hints = Pick<ToolAnnotations, "destructiveHint" | "idempotentHint" | "openWorldHint">;

/** Hints for our own tools. A tool that may replace or remove data is destructive, such as `write_file`. */
const OURS: Readonly<Record<string, Hints>> = {
  shell: { destructiveHint: true, idempotentHint: false },
  write_file: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
  edit_file: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
  delete_file: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
  move_file: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
  web_fetch_add_domain: { destructiveHint: false, idempotentHint: true, openWorldHint: true },
};
const ON_FILES = ["read_file", "list_dir", "find_files", "search_files"];

/**
 * The annotations of a tool (https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations), from
 * its risk and, for our own tools, from `OURS`. They are display hints: no decision depends on them.
 */
export function annotationsOf({ name, risk }: ToolCard, hasNetwork: boolean): ToolAnnotations {
  if (risk === "read_only") return { readOnlyHint: true, openWorldHint: !ON_FILES.includes(name) };
  const known = Object.hasOwn(OURS, name) ? OURS[name] : undefined;
  if (known === undefined) return { readOnlyHint: false, destructiveHint: true };
  return { readOnlyHint: false, openWorldHint: hasNetwork, ...known };
}
