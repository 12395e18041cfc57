/** What is known of one simple command, for judging it. */
export interface Command {
  /** Its words as the program gets them; `isOpaque` where only bash will know. */
  readonly words: readonly string[];
  /**
   * Every other name of the program: the file name of its word, the paths that it is found and lies at, their file
   * names, those of the links from one to the other, and the first word of each rule that leads to the same file.
   */
  readonly programNames: readonly string[];
  /**
   * Whether the call decides which file the program is. `fixed`: nothing does that it may write. `writable`: an earlier
   * call could have made it what it was found to be. `unsettled`: this very call may make it another when its turn comes.
   */
  readonly programFile: "fixed" | "writable" | "unsettled";
  /** True when every path that the words may name lies in one of the named roots. */
  readonly arePathsInside: (roots: readonly string[]) => boolean;
}

/** One call of the shell tool, taken apart: everything that it would run. */
export interface CommandLine {
  /** Every simple command, in the order in which they are written. */
  readonly commands: readonly Command[];
  /** What of it is not understood, as `it has a substitution`; empty when all of it is. */
  readonly unread: readonly string[];
  /** The words of the shell that runs it, for rules that name that shell; null for a program that needs none. */
  readonly shell: readonly string[] | null;
}
