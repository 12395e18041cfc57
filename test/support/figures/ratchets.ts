import type { SourceFigures } from "./figures.ts";

/** The highest value that each figure may have. They may only be lowered: a change that needs more asks for another design. */
export const RATCHETS: SourceFigures = {
  collidingTypes: 0,
  oneWordTypes: 353,
  headlessDocstrings: 0,
  maxConstants: 0,
  longErrorSentences: 0,
  approvalCoreLines: 1490,
  sourceLines: 110_000,
  mainEntryNames: 66,
};
