import type { Presentation } from "../policy/presentation.ts";

/** Labels of the risks. */
export const RISKS = {
  read_only: "reads",
  write: "writes",
  destructive: "destroys",
  unknown: "unknown risk",
} as const;

/** Labels of the endings. */
export const OUTCOMES = { approved: "Approved", rejected: "Rejected", expired: "Expired" } as const;

/** Approvals of more than one call, by their scope. */
export const SCOPES = { similar: "of similar calls", project: "for this project" } as const;

/** Titles of the content, by its kind. */
export const CONTENTS = {
  text: "What it would do",
  diff: "The change",
  file_content: "The content",
  command: "The command",
  structured: "What it would do",
} as const satisfies Record<Presentation["type"], string>;

/** `1 request`, `2 requests`. */
export function count(many: number, what: string): string {
  return `${many.toLocaleString("en")} ${what}${many === 1 ? "" : "s"}`;
}
