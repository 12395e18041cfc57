/** The name in a rejection if there was no one to ask. */
export const NOBODY = "nobody";
/** The beginning of its note if handlers failed. */
export const UNASKED = "no person could be asked: ";
/** The same if the host program's handler gave an answer that can't be read. */
export const BROKEN_HANDLER = "the program's approval handler is broken: ";
