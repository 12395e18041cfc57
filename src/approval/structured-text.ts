import { isList, type Json } from "../policy/canonical-json.ts";
import { headOf, type TextHead } from "./head.ts";

/** Values nested deeper are written on one line: indentation would grow with the square of the depth. */
const MAX_LEVELS = 32;
/** Maximum that is written out: the rest is counted, piece by piece. */
const MAX_WRITTEN = 1024 ** 2;

/** The beginning of a value as JSON, two blanks for each level, with its keys in their own order. */
export function structuredHead(value: Json): TextHead {
  const pieces: string[] = [];
  let written = 0;
  let [newlines, bytes] = [0, 0];
  const write = (piece: string): void => {
    if (written < MAX_WRITTEN) {
      pieces.push(piece);
      written += piece.length;
    } else {
      bytes += Buffer.byteLength(piece);
      if (piece.startsWith("\n")) newlines += 1;
    }
  };
  writeJson(value, "\n", write);
  return headOf(pieces.join(""), { lines: bytes === 0 ? 0 : newlines + 1, bytes });
}

/** Writes a value in pieces. `newline` goes between lines: every piece with a newline in it begins with one. */
function writeJson(value: Json, newline: string, write: (piece: string) => void): void {
  const isDeep = newline.length > 2 * MAX_LEVELS;
  if (value === null || typeof value !== "object" || isDeep) {
    write(JSON.stringify(value));
    return;
  }
  const isArray = isList(value);
  const members: Iterable<readonly [string, Json]> = isArray
    ? value.map((one): readonly [string, Json] => ["", one])
    : Object.entries(value).map(([key, one]): readonly [string, Json] => [`${JSON.stringify(key)}: `, one]);
  const inner = `${newline}  `;
  let isFirst = true;
  write(isArray ? "[" : "{");
  for (const [key, member] of members) {
    if (!isFirst) write(",");
    isFirst = false;
    write(inner);
    write(key);
    writeJson(member, inner, write);
  }
  if (!isFirst) write(newline);
  write(isArray ? "]" : "}");
}
