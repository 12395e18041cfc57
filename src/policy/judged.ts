import type { Action } from "./approval-section.ts";

/** One rule that spoke about a call, and what it said. */
export interface RuleHit {
  readonly layer: "operator" | "project" | "tool" | "mode" | "caller";
  readonly rule: string;
  readonly action: Action;
  readonly reason: string | null;
}

/** What is known of one command line, for judging it. `words` null: a script that no parser has read. */
export interface Judged {
  readonly tool: string;
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
  /** The call's own target needs more than it gets unasked. */
  readonly needsMore: string | null;
}

const RANK = { allow: 0, ask: 1, deny: 2 } as const satisfies Record<Action, number>;

/** The first of the strictest of several that speak; undefined of none. */
export function strictest<Speaker extends { readonly action: Action }>(
  speakers: readonly Speaker[],
): Speaker | undefined {
  return speakers.toSorted((a, b) => RANK[b.action] - RANK[a.action])[0];
}
