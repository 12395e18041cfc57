import { posix } from "node:path";
import { type AbsolutePath, isInside, knownPath } from "../profile/path.ts";
import type { ToolNeeds } from "../tool/program-tool.ts";
import type { Config } from "./config.ts";

/**
 * The folder in which an MCP server of a config starts, wherever its client is started: `needs.cwd`, from the config's
 * folder. Default that folder; if it is in no root that the server needs, the first such root. Null if it needs none.
 */
export function serverStart(
  { workspace, roots }: Pick<Config, "workspace" | "roots">,
  { roots: wanted, cwd }: Pick<ToolNeeds, "roots" | "cwd">,
): AbsolutePath | null {
  if (cwd !== undefined) return knownPath(posix.resolve(workspace, cwd));
  const needed = roots.filter(
    ({ name, mode }) => mode !== "none" && (wanted === undefined || Object.hasOwn(wanted, name)),
  );
  if (needed.some(({ path }) => isInside(workspace, path))) return workspace;
  return needed[0]?.path ?? null;
}
