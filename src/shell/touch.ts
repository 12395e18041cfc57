/**
 * One act of bash itself beside starting programs: a file that it opens, a folder that it changes to, a variable that it
 * sets or removes. `path` is as bash gets it, not yet resolved; null if only bash will know it.
 *
 * A `move` may fail, and may be in a part of the line that is not reached. So a relative path, also of another move, may
 * be meant from the first folder, and from each that some of the moves lead to, one after the other; a path that stands
 * before a move too, as both may be in a loop.
 */
export type ShellTouch =
  | { readonly act: "open"; readonly path: string | null; readonly mode: "read" | "write" }
  | { readonly act: "move"; readonly path: string | null }
  | { readonly act: "set"; readonly name: string };

/** The acts of bash by a part of a line, and the reason why it may also run something unseen; null if it can't. */
export interface ShellEffect {
  readonly doubt: string | null;
  readonly touches: readonly ShellTouch[];
}

/** The effect of a part that does nothing by itself. */
export const NO_EFFECT: ShellEffect = { doubt: null, touches: [] };

/** An effect again and again: only bash knows how far a move from folder to folder leads. */
export function repeatedEffect({ doubt, touches }: ShellEffect): ShellEffect {
  return {
    doubt,
    touches: touches.map((one) =>
      one.act === "move" && one.path?.startsWith("/") !== true ? { act: "move", path: null } : one,
    ),
  };
}

/** The effect of a part that may run anything. */
export function doubtful(doubt: string): ShellEffect {
  return { doubt, touches: [] };
}
