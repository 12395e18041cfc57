import type { ShellTouch } from "../shell/touch.ts";
import type { ProgramPlace } from "./program-place.ts";

/** One simple command, with the facts for judging it. */
export interface JudgedCommand {
  /** Its words as the program receives them; `isOpaque` if only bash will know them. */
  readonly words: readonly string[];
  /** True if the line itself may give it its input: by a pipe, a here-document, a here-string or a file. */
  readonly isFed?: true;
  /** The program's other names: found and located paths, links, file names, first words of rules for the same file. */
  readonly programNames: readonly string[];
  /**
   * Whether the call decides which file the program is. `fixed`: the call can write nothing that affects it.
   * `writable`: an earlier call could have made the found file. `unsettled`: this call may replace it before it runs.
   */
  readonly programFile: "fixed" | "writable" | "unsettled";
  /** The place at which the call may change it, if one is known. */
  readonly programPlace?: ProgramPlace | null;
  /** True if every path that the words may name is in one of the named roots. */
  readonly arePathsInside: (roots: readonly string[]) => boolean;
  /** The access that approval would add and the command may use, in words; null if there is none. */
  readonly gains: string | null;
}

/** One call of the shell tool, parsed: everything that it would run. */
export interface CommandLine {
  readonly commands: readonly JudgedCommand[];
  /** Why other programs may run than `commands`, as `it has a substitution`; empty if no others can. */
  readonly unread: readonly string[];
  /** Files that bash itself opens, folders that it changes to, variables that it sets. */
  readonly touches: readonly ShellTouch[];
  /** The access that approval would add for a program that is not known, in words; null if there is none. */
  readonly gains: string | null;
  /** The words of the shell that runs it, for rules that name that shell; null if no shell is needed. */
  readonly shell: readonly string[] | null;
}
