/** What an attack on an installation tries; it stands in a file beside the program that does it. */
export interface AttackPlan {
  /** Where code that was planted leaves its name when it runs: a file outside of every root. */
  readonly mark: string;
  /** A folder that may be written, on the way to what may not. */
  readonly scratch: string;
  /** Files and links to change in every way. */
  readonly files: readonly string[];
  /** Folders to move away, and to put another in the place of. */
  readonly folders: readonly string[];
  /** What to make where nothing is. */
  readonly plants: readonly Plant[];
}

/** A file that is made, with the folders above it; or a link. */
export interface Plant {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

/** What came of it. */
export interface AttackResult {
  readonly tried: number;
  /** The acts that went through: `append PATH`. */
  readonly done: readonly string[];
}
