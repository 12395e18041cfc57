/** What every face has to say something about, in the order of the page. */
export const CELLS = [
  "allow",
  "deny",
  "ask",
  "approve",
  "reject with note",
  "for session",
  "timeout",
  "edit",
  "suspend/resume",
  "batch",
] as const;
export type Cell = (typeof CELLS)[number];

/**
 * How a face serves it: in these words, which the test with this title in this file proves; or not, for a reason of the
 * framework's own.
 */
export type Served =
  | { readonly how: string; readonly test: readonly [file: string, title: string] }
  | { readonly reason: string };

/** One face, and how it serves each of them. */
export interface Mapping {
  /** As its users know the framework. */
  readonly framework: string;
  readonly cells: Readonly<Record<Cell, Served>>;
}
