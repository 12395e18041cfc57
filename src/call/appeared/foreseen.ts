import type { LoadedConfig } from "../../config/config.ts";
import { visible } from "../../errors.ts";
import { isSeenInBuilds } from "../../host/look/changed-builds.ts";
import type { Host } from "../../host/look/host.ts";
import { statsOf } from "../../host/look/nodes.ts";
import { isInDependencyTree } from "../../profile/dependency-trees.ts";
import { type ExecutedNames, printObeyed } from "../../profile/executed.ts";
import { type AbsolutePath, isInside, upwards } from "../../profile/path.ts";
import { appearedPolicyOf, executedOn } from "./parts.ts";

/**
 * Says which program executes a file at this path, and whether it stays after a call makes it. Of existing files, only
 * changes in build trees are seen. Null if no program executes it by itself, and outside writable roots.
 */
export function foreseenFor(host: Host, loaded: LoadedConfig, path: AbsolutePath): string | null {
  const executed = executedOn(host, loaded);
  const roots = loaded.config.roots.filter(({ mode }) => mode === "rw").map((root) => root.path);
  for (const at of upwards(path)) {
    const isThere = statsOf(at) !== null;
    if ((isThere && at !== path) || !roots.some((root) => isInside(at, root))) return null;
    const row = executed(at);
    if (isThere && (row === null || !isSeenInBuilds(at, row, roots))) return null;
    if (row === null) continue;
    const what = at === path ? "it" : visible(at);
    return `${what} is ${printObeyed(row)}: ${isThere ? "a changed one" : "a new one"} ${fateOf(row, at, loaded)}`;
  }
  return null;
}

function fateOf(row: ExecutedNames, at: AbsolutePath, loaded: LoadedConfig): string {
  if (
    row.runs === "started" ||
    isInDependencyTree(
      at,
      row,
      loaded.config.roots.map(({ path }) => path),
    )
  )
    return "is reported after the call";
  switch (appearedPolicyOf(loaded)) {
    case "report":
      return "is reported after the call and stays, because of `sandbox.appeared`";
    case "ask":
      return "is quarantined after the call, and restored if a person approves";
    case "quarantine":
      return "is quarantined after the call";
  }
}
