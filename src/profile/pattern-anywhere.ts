import type { AbsolutePath } from "./path.ts";
import { literalPattern, type Pattern, type PatternSegment, parsePatterns } from "./pattern.ts";

const PLAIN_NAMES = /^(?!\.{1,2}(?:\/|$))[\w.$-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.$-]+)*$/;

/**
 * The one pattern `**\/NAMES`, or several: equal to `parsePatterns`, and much quicker without wildcards. Same errors.
 */
export function patternsAnywhere(names: string): readonly Pattern[] {
  if (!PLAIN_NAMES.test(names)) return parsePatterns(`**/${names}`);
  const plain = names
    .split("/")
    .map((text): PatternSegment => ({ kind: "name", pieces: [{ kind: "text", text }] }));
  return [{ text: `/**/${names}`, segments: [{ kind: "any-names" }, ...plain], literal: null }];
}

/** The pattern that matches these names anywhere: for `/bin/node` it is `**\/bin/node`. */
export function anywhereBelow(names: AbsolutePath): Pattern {
  const { text, segments } = literalPattern(names);
  return { text: `/**${text}`, segments: [{ kind: "any-names" }, ...segments], literal: null };
}
