import type { Reading } from "./query.ts";

/** What a regex takes for one character. */
export type Unit = Reading["regexUnit"];

/** A text as numbers, one for each character or for each byte. */
export function unitsOf(text: string, unit: Unit): readonly number[] {
  const units: number[] = [];
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0;
    if (unit === "character" || point < 0x80) units.push(point);
    else if (point >= 0xdc80 && point <= 0xdcff) units.push(point - 0xdc00);
    else pushUtf8(point, units);
  }
  return units;
}

function pushUtf8(point: number, bytes: number[]): void {
  if (point < 0x800) {
    bytes.push(0xc0 | (point >> 6), continued(point));
  } else if (point < 0x1_0000) {
    bytes.push(0xe0 | (point >> 12), continued(point >> 6), continued(point));
  } else {
    bytes.push(0xf0 | (point >> 18), continued(point >> 12), continued(point >> 6), continued(point));
  }
}

function continued(bits: number): number {
  return 0x80 | (bits & 0x3f);
}
