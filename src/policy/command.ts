/** What is known of one command line, for judging it. `words` null: a script that no parser has read. */
export interface Command {
  readonly words: readonly string[] | null;
  /**
   * Every other name of the program: the file name of its word, the paths that it is found and lies at, their file
   * names, and the first word of each rule that leads to the same file.
   */
  readonly programNames: readonly string[];
  /** The program is a file that this very call could write. */
  readonly isProgramWritable: boolean;
  /** True when every path that the words may name lies in one of the named roots. */
  readonly arePathsInside: (roots: readonly string[]) => boolean;
}
