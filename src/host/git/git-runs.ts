import type { AbsolutePath } from "../../profile/path.ts";

/** What git may run in a repository by itself. */
export interface GitRuns {
  /**
   * For people: hooks and settings that name programs or further configurations, as `hooks/pre-commit` and `core.fsmonitor`; `anything
   * (config holds a NUL)` where that can't be told; and `core.worktree` where git writes to a folder that is not the repository's.
   * A setting may look like a path, and two hooks may have one name.
   */
  readonly names: readonly string[];
  readonly hooks: readonly FoundHook[];
  /** Its files of configuration, of which some may be missing, where any setting names a program; else none. */
  readonly configs: readonly AbsolutePath[];
  /** False where it can't be told what git may run. */
  readonly isClear: boolean;
}

/** A file that git runs as a hook. */
export interface FoundHook {
  /** As people are told it. */
  readonly name: string;
  /** In its canonical folder; it may be a link itself. */
  readonly path: AbsolutePath;
  /** The links by which git comes to that folder, each by its canonical folder. */
  readonly links: readonly AbsolutePath[];
}

/** Puts together what was found: what can't be told, hooks, names of settings that name programs, and the files that hold these. */
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
