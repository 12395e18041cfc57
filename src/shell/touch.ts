/**
 * One act of bash itself beside starting programs: a file that it opens, a folder that it changes to, a variable that it
 * sets. `path` is as bash gets it, not yet resolved; null if only bash will know it.
 */
export type ShellTouch =
  | { readonly act: "open"; readonly path: string | null; readonly mode: "read" | "write" }
  | { readonly act: "move"; readonly path: string | null }
  | { readonly act: "set"; readonly name: string };
