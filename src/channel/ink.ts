// Not by name: an old Node lacks `styleText`, and the import would fail before we can report the version.
import * as util from "node:util";

/** Styles of words on a terminal; each is the identity without colours. */
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

/** Colours by FORCE_COLOR (empty or `0`: no), then NO_COLOR (https://no-color.org), then for terminals not dumb. */
export function inkFor(
  stream: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Ink {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: kind } = env;
  if (forced !== undefined) return forced === "" || forced === "0" ? PLAIN : COLOURED;
  if (none !== undefined && none !== "") return PLAIN;
  return stream.isTTY === true && kind !== "dumb" ? COLOURED : PLAIN;
}

/** The columns that a text takes, without its colours. */
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
