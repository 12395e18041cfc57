import type { AbsolutePath } from "../../../profile/path.ts";

/** Programs that git may run in a repository by itself. */
export interface GitRuns {
  /**
   * For people: hooks and settings that name programs or further configurations, as `hooks/pre-commit` and
   * `core.fsmonitor`; `anything (config holds a NUL)` if they are unknown; and `core.worktree` if git writes to a
   * folder that is not the repository's. A setting may look like a path, and two hooks may have one name.
   */
  readonly names: readonly string[];
  readonly hooks: readonly FoundHook[];
  /** Its configuration files, some maybe missing, if any setting names a program; else none. */
  readonly configs: readonly AbsolutePath[];
  /** False if the programs are unknown. */
  readonly isClear: boolean;
}

/** A file that git runs as a hook. */
export interface FoundHook {
  /** Name for people. */
  readonly name: string;
  /** In its canonical folder; it may be a link itself. */
  readonly path: AbsolutePath;
  /** The links through which git reaches that folder, each by its canonical folder. */
  readonly links: readonly AbsolutePath[];
}

/** Combines the findings: unknown parts, hooks, names of settings that name programs, and the files with these. */
export function gitRuns(
  unclear: readonly string[],
  hooks: readonly FoundHook[],
  settings: readonly string[],
  configs: readonly AbsolutePath[],
): GitRuns {
  return {
    names: [...new Set([...unclear, ...hooks.map(({ name }) => name), ...settings])],
    hooks,
    configs: settings.length === 0 ? [] : configs,
    isClear: unclear.length === 0,
  };
}
