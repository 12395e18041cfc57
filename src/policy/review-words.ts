import type { ReviewRecord } from "./review-record.ts";

/** The review in words, for people. */
export function reviewInWords({ verdict, name, because }: ReviewRecord): string {
  switch (verdict) {
    case "allow_once":
      return `the reviewer ${name} allowed it once`;
    case "deny":
      return `denied by the reviewer ${name}: a person can approve it`;
    case "person":
      return `the reviewer ${name} leaves it to a person`;
    case "none":
      return `no review: ${because ?? "there was no answer"}`;
  }
}
