/** The kinds of lines in a diff. */
export type LineKind = "plain" | "added" | "removed" | "kept" | "place" | "remark";

/** One line as it is drawn: a sign before the text, if it has one. */
export interface DrawnLine {
  readonly kind: LineKind;
  readonly sign: string;
  readonly text: string;
}

/** A longer line is split into rows: a line of a megabyte would freeze the page. In UTF-16 units. */
const LONGEST = 4_000;
/** The sign of a row that continues a line. */
export const GOES_ON = "↪";

export function plainLines(text: string): readonly DrawnLine[] {
  return split(text).flatMap((line) => rows({ kind: "plain", sign: "", text: line }));
}

/** The lines of the hunks of a unified diff, each without its sign. */
export function diffLines(text: string): readonly DrawnLine[] {
  return split(text).flatMap((line) => rows(diffLine(line)));
}

function diffLine(line: string): DrawnLine {
  if (line.startsWith("@@")) return { kind: "place", sign: "", text: line };
  const rest = line.slice(1);
  switch (line[0]) {
    case "+":
      return { kind: "added", sign: "+", text: rest };
    case "-":
      return { kind: "removed", sign: "−", text: rest };
    case "\\":
      return { kind: "remark", sign: "", text: rest.trimStart() };
    case " ":
      return { kind: "kept", sign: "", text: rest };
    default:
      return { kind: line === "" ? "kept" : "remark", sign: "", text: line };
  }
}

function rows(line: DrawnLine): readonly DrawnLine[] {
  if (line.text.length <= LONGEST) return [line];
  const all: DrawnLine[] = [];
  for (let at = 0; at < line.text.length; ) {
    // Does not split a surrogate pair.
    const isHalf = (line.text.codePointAt(at + LONGEST - 1) ?? 0) > 0xffff;
    const end = at + (isHalf ? LONGEST - 1 : LONGEST);
    all.push({ ...line, sign: at === 0 ? line.sign : GOES_ON, text: line.text.slice(at, end) });
    at = end;
  }
  return all;
}

/** The first lines, up to a maximum number of lines and of characters. */
export function firstLines(
  lines: readonly DrawnLine[],
  max: { readonly lines: number; readonly characters: number },
): number {
  let characters = 0;
  for (const [index, { text }] of lines.entries()) {
    characters += text.length;
    if (index >= max.lines || (characters > max.characters && index > 0)) return index;
  }
  return lines.length;
}

/** A line break at the end of a text starts no further line. */
function split(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.length > 1 && lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
