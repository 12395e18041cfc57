import { z } from "zod";
import type { AbsolutePath } from "./path.ts";
import type { Pattern } from "./pattern.ts";
import { foldersOfPattern } from "./pattern-folders.ts";
import { patternIndex } from "./pattern-index.ts";

/** `unasked`: as soon as it starts in the folder, or a shell enters it. `started`: when the person starts the tool. */
export const RunsWhen = z.enum(["unasked", "started"]);
export type RunsWhen = z.infer<typeof RunsWhen>;

const MAX_ROWS = 2_000;

const ExecutedRow = z.strictObject({
  names: z
    .string()
    .min(1)
    .meta({ description: "A pattern as in `masks`; case is ignored.", examples: ["**/.envrc"] }),
  by: z
    .string()
    .min(1)
    .max(100)
    .meta({ description: "The program that executes or loads the file.", examples: ["direnv"] }),
  when: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: "The situation in which it does.", examples: ["a shell enters the folder"] }),
  runs: RunsWhen.default("unasked").describe(
    "`unasked`: when a person starts the program in the folder. `started`: only when a person starts the tool that the file is for.",
  ),
  source: z
    .string()
    .max(500)
    .optional()
    .meta({ description: "The URL of the documentation that says so.", examples: ["https://direnv.net"] }),
});

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

/** `obeyed by Claude Code when a session starts in the folder`: many names belong to several programs. */
export function printObeyed({ by, when }: Pick<ExecutedNames, "by" | "when">): string {
  return `obeyed by ${by} when ${when}`;
}

/** The program of a row about files that this product's own processes would load, or that keep them from starting. */
export const OURSELVES = "cofferdam";

/** A row, once for each pattern of its `names`. */
export function executedNames(
  { by, when, runs }: Omit<ExecutedSection[number], "names">,
  patterns: readonly Pattern[],
): readonly ExecutedNames[] {
  return patterns.map((pattern) => ({ pattern, ignoreCase: true, by, when, runs }));
}

/** Finds the row that names a path, preferring one that runs unasked, then the one with most names; or null. */
export type ExecutedFinder = (path: AbsolutePath) => ExecutedNames | null;

/** Compiles rows for many searches, at the first of them. */
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

/** The same for folders: finds the row that runs unasked and names something in the folder. Only links are queried. */
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
