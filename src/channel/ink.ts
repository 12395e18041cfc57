// Not by name: a Node that is too old lacks `styleText`, and could then not say that it is too old.
import * as util from "node:util";

/** How words are set apart on a terminal; each is the identity where there are no colours. */
export interface Ink {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly bad: (text: string) => string;
}

type Format = Parameters<typeof util.styleText>[0];

/** No colours at all. */
export const PLAIN: Ink = inkOf(() => (text) => text);
const COLOURED: Ink = inkOf(
  (format) => (text) => (text === "" ? "" : util.styleText(format, text, { validateStream: false })),
);

/**
 * The ink for one stream. FORCE_COLOR decides when it is set (empty or `0` is no); else NO_COLOR, when it is set and not
 * empty, is no (https://no-color.org); else a terminal that is not dumb has colours.
 */
export function inkFor(
  stream: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Ink {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: kind } = env;
  if (forced !== undefined) return forced === "" || forced === "0" ? PLAIN : COLOURED;
  if (none !== undefined && none !== "") return PLAIN;
  return stream.isTTY === true && kind !== "dumb" ? COLOURED : PLAIN;
}

/** How many columns a text takes, its colours left out. */
export function widthOf(text: string): number {
  return [...util.stripVTControlCharacters(text)].length;
}

function inkOf(make: (format: Format) => (text: string) => string): Ink {
  return {
    bold: make("bold"),
    dim: make("dim"),
    good: make("green"),
    warn: make("yellow"),
    bad: make("red"),
  };
}
