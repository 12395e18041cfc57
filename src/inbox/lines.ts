/** What a line of a diff says. */
export type LineKind = "plain" | "added" | "removed" | "kept" | "place" | "remark";

/** One line as it is drawn: a sign of its own before the text, where it has one. */
export interface Line {
  readonly kind: LineKind;
  readonly sign: string;
  readonly text: string;
}

/** A longer line is drawn in several rows: nobody's page should stand still for one of a megabyte. */
const LONGEST = 4_000;
/** The sign of a row that goes on with a line. */
export const GOES_ON = "↪";

/** The lines of a text. */
export function plainLines(text: string): readonly Line[] {
  return split(text).flatMap((line) => rows({ kind: "plain", sign: "", text: line }));
}

/** The lines of the hunks of a unified diff, each without the sign that says what it is. */
export function diffLines(text: string): readonly Line[] {
  return split(text).flatMap((line) => rows(diffLine(line)));
}

function diffLine(line: string): Line {
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

function rows(line: Line): readonly Line[] {
  if (line.text.length <= LONGEST) return [line];
  const all: Line[] = [];
  for (let at = 0; at < line.text.length; ) {
    // A character is not cut in half.
    const isHalf = (line.text.codePointAt(at + LONGEST - 1) ?? 0) > 0xffff;
    const end = at + (isHalf ? LONGEST - 1 : LONGEST);
    all.push({ ...line, sign: at === 0 ? line.sign : GOES_ON, text: line.text.slice(at, end) });
    at = end;
  }
  return all;
}

/** What is shown at first of many lines: so many that they make no more than so many characters. */
export function firstLines(
  lines: readonly Line[],
  most: { readonly lines: number; readonly characters: number },
): number {
  let characters = 0;
  for (const [index, { text }] of lines.entries()) {
    characters += text.length;
    if (index >= most.lines || (characters > most.characters && index > 0)) return index;
  }
  return lines.length;
}

/** What ends a text is no line of its own. */
function split(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.length > 1 && lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
