import type { AbsolutePath } from "./path.ts";
import { literalPattern, type Pattern, parsePatterns, type Segment } from "./pattern.ts";

/** Letters that mean nothing else in a pattern, and no name of dots alone. */
const PLAIN_NAMES = /^(?!\.{1,2}(?:\/|$))[\w.$-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.$-]+)*$/;

/**
 * The one pattern `**\/NAMES` for a name, or several with slashes between them: what `parsePatterns` makes of it, and much quicker
 * where there is no wildcard. Throws what that throws.
 */
export function patternsAnywhere(names: string): readonly Pattern[] {
  if (!PLAIN_NAMES.test(names)) return parsePatterns(`**/${names}`);
  const plain = names.split("/").map((text): Segment => ({ kind: "name", pieces: [{ kind: "text", text }] }));
  return [{ text: `/**/${names}`, segments: [{ kind: "any-names" }, ...plain], literal: null }];
}

/** The pattern that matches these very names anywhere: of `/bin/node` the one that is written `**\/bin/node`. */
export function anywhereBelow(names: AbsolutePath): Pattern {
  const { text, segments } = literalPattern(names);
  return { text: `/**${text}`, segments: [{ kind: "any-names" }, ...segments], literal: null };
}
