import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { ToolCard } from "../supervisor/tool-cards.ts";

/** What a tool does to the world, as the protocol words it. */
type Hints = Pick<ToolAnnotations, "destructiveHint" | "idempotentHint" | "openWorldHint">;

/**
 * Of our own tools that change something. Whatever may replace or remove what was there is destructive: `write_file` is, of
 * a file that is there.
 */
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
 * The annotations of a tool (https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations), from its risk and
 * from what is known of our own. They are hints to whoever shows it: nothing here decides by them. `hasNetwork`: commands
 * reach something outside.
 */
export function annotationsOf({ name, risk }: ToolCard, hasNetwork: boolean): ToolAnnotations {
  if (risk === "read_only") return { readOnlyHint: true, openWorldHint: !ON_FILES.includes(name) };
  const known = Object.hasOwn(OURS, name) ? OURS[name] : undefined;
  if (known === undefined) return { readOnlyHint: false, destructiveHint: true };
  return { readOnlyHint: false, openWorldHint: hasNetwork, ...known };
}
