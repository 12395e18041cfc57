import { executedTable } from "../../../src/config/executed-table.ts";
import type { RunsWhen } from "../../../src/profile/executed.ts";

/**
 * Every name of the shipped table of one kind, as a path below a folder, with a name that each wildcard matches: what
 * programs of the host execute unasked, or when a person starts them.
 */
export function namesThatRun(when: RunsWhen): readonly string[] {
  return (executedTable("protected")?.names ?? []).flatMap(({ runs, pattern }) =>
    runs === when ? [pattern.text.replace("/**/", "").replaceAll("*", "x1")] : [],
  );
}

/** Parts of a list, each of at most so many. */
export function batchesOf<Item>(items: readonly Item[], max: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / max);
  const size = Math.ceil(items.length / count);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}
