import type { Loaded } from "../../config/config.ts";
import { visible } from "../../errors.ts";
import { isSeenInBuilds } from "../../host/changed-builds.ts";
import type { Host } from "../../host/host.ts";
import { statsOf } from "../../host/nodes.ts";
import { isInDependencyTree } from "../../profile/dependency-trees.ts";
import { type ExecutedNames, printObeyed } from "../../profile/executed.ts";
import { type AbsolutePath, isInside, upwards } from "../../profile/path.ts";
import { appearedPolicyOf, executedOn } from "./parts.ts";

/**
 * A sentence that says which program executes a file at this path, and whether it stays after a call that makes it. For a file that
 * is there it is about a change: only changes in build trees are seen. Null for what no program executes by itself, for other files
 * that are there, and outside of the roots that can be written.
 */
export function foreseenFor(host: Host, loaded: Loaded, path: AbsolutePath): string | null {
  const executed = executedOn(host, loaded);
  const roots = loaded.config.roots.filter(({ mode }) => mode === "rw").map((root) => root.path);
  for (const at of upwards(path)) {
    const isThere = statsOf(at) !== null;
    if ((isThere && at !== path) || !roots.some((root) => isInside(at, root))) return null;
    const row = executed(at);
    if (isThere && (row === null || !isSeenInBuilds(at, row, roots))) return null;
    if (row === null) continue;
    const what = at === path ? "it" : visible(at);
    return `${what} is ${printObeyed(row)}: ${isThere ? "one that is changed" : "a new one"} ${fateOf(row, at, loaded)}`;
  }
  return null;
}

function fateOf(row: ExecutedNames, at: AbsolutePath, loaded: Loaded): string {
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
      return "is reported after the call and stays, as `sandbox.appeared` says";
    case "ask":
      return "is taken away after the call, and given back where a person says so";
    case "quarantine":
      return "is taken away after the call";
  }
}
