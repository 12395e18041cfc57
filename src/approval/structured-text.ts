import { isList, type Json } from "../policy/canonical-json.ts";
import { type Head, headOf } from "./head.ts";

/** Values within more others than this are written on one line: indentation would grow with the square of the depth. */
const MOST_LEVELS = 32;
/** No more than this is written out: what comes then is counted, piece by piece. */
const MOST_WRITTEN = 1024 ** 2;

/** The beginning of a value as JSON, two blanks for each level, its keys in the order that they have. */
export function structuredHead(value: Json): Head {
  const pieces: string[] = [];
  let written = 0;
  let [newlines, bytes] = [0, 0];
  const write = (piece: string): void => {
    if (written < MOST_WRITTEN) {
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
  const isDeep = newline.length > 2 * MOST_LEVELS;
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
