/** The system's code in node's error, as `ENOENT` (errno(3)); empty for anything else. */
export function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}
