import { z } from "zod";
import type { AbsolutePath } from "./path.ts";
import type { Pattern } from "./pattern.ts";
import { foldersOfPattern } from "./pattern-folders.ts";
import { patternIndex } from "./pattern-index.ts";

/**
 * When a program of the host does what a file says. `unasked`: as soon as it starts in the folder, or a shell enters it, without
 * a further act of the person. `started`: when the person starts the very tool that the file is for.
 */
export const RunsWhen = z.enum(["unasked", "started"]);
export type RunsWhen = z.infer<typeof RunsWhen>;

/** Most rows that one file may have. */
const MAX_ROWS = 2_000;

/** One row of `executed:` in an operator file: names of files or folders, which program does what they say, and when. */
const ExecutedRow = z.strictObject({
  /** A pattern as in `masks`; case is ignored. */
  names: z.string().min(1),
  by: z.string().min(1).max(100),
  when: z.string().min(1).max(200),
  runs: RunsWhen.default("unasked"),
  /** Where this is written down: an address. */
  source: z.string().max(500).optional(),
});

/** `executed:` of an operator file: files that programs outside the sandbox execute or obey by themselves. */
export const ExecutedSection = z.array(ExecutedRow).max(MAX_ROWS);
export type ExecutedSection = z.infer<typeof ExecutedSection>;

/** Names of files that programs of the host execute. */
export interface ExecutedNames {
  readonly pattern: Pattern;
  readonly ignoreCase: true;
  readonly by: string;
  readonly when: string;
  readonly runs: RunsWhen;
}

/** `obeyed by Claude Code when a session starts in the folder`: many names are those of several programs. */
export function printObeyed({ by, when }: Pick<ExecutedNames, "by" | "when">): string {
  return `obeyed by ${by} when ${when}`;
}

/** The program of a row that says what this product's own processes would load, or what keeps them from starting. */
export const OURSELVES = "cofferdam";

/** A row, once for each pattern that its `names` stand for. */
export function executedNames(
  { by, when, runs }: Omit<ExecutedSection[number], "names">,
  patterns: readonly Pattern[],
): readonly ExecutedNames[] {
  return patterns.map((pattern) => ({ pattern, ignoreCase: true, by, when, runs }));
}

/** Which row names a path; of several one that runs unasked, then the one with most names. Null for a path that none names. */
export type ExecutedFinder = (path: AbsolutePath) => ExecutedNames | null;

/** Compiles rows for many looks, at the first of them. */
export function executedFinder(names: readonly ExecutedNames[]): ExecutedFinder {
  let find: ReturnType<typeof patternIndex<ExecutedNames>> | null = null;
  return (path) => {
    find ??= patternIndex(names);
    const rows = find(path);
    return (rows.length > 1 ? rows.toSorted(nearestFirst) : rows)[0] ?? null;
  };
}

function nearestFirst(a: ExecutedNames, b: ExecutedNames): number {
  const isUnasked = ({ runs }: ExecutedNames): number => (runs === "unasked" ? 1 : 0);
  return isUnasked(b) - isUnasked(a) || b.pattern.segments.length - a.pattern.segments.length;
}

/** The same of folders: which row that runs unasked names something in a folder of this path. Links alone are asked about. */
export function executedFolderFinder(names: readonly ExecutedNames[]): ExecutedFinder {
  let find: ExecutedFinder | null = null;
  return (path) => {
    find ??= executedFinder(names.filter(({ runs }) => runs === "unasked").flatMap(rowsOfFolders));
    return find(path);
  };
}

function rowsOfFolders(row: ExecutedNames): readonly ExecutedNames[] {
  return foldersOfPattern(row.pattern).map((pattern) => ({ ...row, pattern }));
}
