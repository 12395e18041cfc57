import type { Place } from "../battery/place.ts";

/** Reads the document from standard input, and defines `answer`, which prints a verdict with its digest. */
const HEAD = `#!/bin/bash
read -r document
digest=\${document##*'"digest":"'}
digest=\${digest%%'"'*}
answer() { printf '{"digest":"%s","verdict":"%s"}\\n' "$digest" "$1"; }
`;

/** A reviewer of a few lines of bash. */
export const reviewerText = (lines: string): string => `${HEAD}${lines}\n`;

/** Writes a reviewer of a few lines of bash outside of every root; returns its path. */
export function reviewerProgram(place: Place, lines: string, name = "review"): string {
  place.folder("reviewers");
  return place.file(`reviewers/${name}`, reviewerText(lines), 0o755);
}
