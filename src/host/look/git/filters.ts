import { type AbsolutePath, isInside, joinPath, upwards } from "../../../profile/path.ts";
import { statsOf } from "../nodes.ts";
import { parseGitConfig } from "../runtimes/git-config.ts";
import { repositoryOf } from "./elsewhere.ts";
import { textAt } from "./files.ts";

/** A filter that a list of attributes names, without a command in any configuration inside. */
export interface UnsetFilter {
  readonly filter: string;
  /** The file that names it. */
  readonly by: AbsolutePath;
}

const MAX_FILTERS = 5;

/** Filters of `.gitattributes` from a folder up to its tree's top, without a command: git takes the files unchanged. */
export function unsetFilters(
  cwd: AbsolutePath,
  roots: readonly AbsolutePath[],
  known: readonly string[],
): readonly UnsetFilter[] {
  const inRoots = [...upwards(cwd)].filter((folder) => roots.some((root) => isInside(folder, root)));
  const at = inRoots.findIndex((folder) => statsOf(joinPath(folder, ".git")) !== null);
  const top = inRoots[at];
  if (top === undefined) return [];
  const common = repositoryOf(top)?.common ?? null;
  const lists = inRoots.slice(0, at + 1).map((folder) => joinPath(folder, ".gitattributes"));
  if (common !== null) lists.push(joinPath(common, "info/attributes"));
  const named = new Map(lists.flatMap((by) => filtersIn(textAt(by)).map((filter) => [filter, by] as const)));
  if (named.size === 0) return [];
  const own = common === null ? [] : parseGitConfig(textAt(joinPath(common, "config")));
  const set = new Set([
    ...known,
    ...own.flatMap(({ name }) => /^filter\.(.+)\.(?:clean|process)$/s.exec(name)?.[1] ?? []),
  ]);
  return [...named]
    .flatMap(([filter, by]) => (set.has(filter) ? [] : [{ filter, by }]))
    .slice(0, MAX_FILTERS);
}

/** The names of filters in a list of attributes (gitattributes(5)). */
function filtersIn(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .flatMap((line) => /\sfilter=([\w.-]{1,100})(?=\s|$)/.exec(line)?.[1] ?? []);
}
