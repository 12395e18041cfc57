/** So many UTF-16 units are looked through, or so many places replaced, between two steps. */
const MAX_STEP = 1024 ** 2;
const MAX_STEP_PLACES = 20_000;

/**
 * Where a text that is looked for ends in another one, from left to right and without overlaps, as `replaceAll` takes it; no
 * more than `most` places. The text is not empty. What it costs grows with the two lengths added (Knuth, Morris and Pratt,
 * 1977): that of `indexOf` grows with their product, and a model chooses both. In steps, for whoever lets others have their
 * turn in between.
 */
export function* endsOf(wanted: string, text: string, most: number): Generator<void, readonly number[]> {
  const borders = yield* bordersOf(wanted);
  const ends: number[] = [];
  let same = 0;
  for (let at = 0; at < text.length && ends.length < most; at += 1) {
    if (at % MAX_STEP === MAX_STEP - 1) yield;
    const unit = text.charCodeAt(at);
    while (same > 0 && unit !== wanted.charCodeAt(same)) same = borders[same - 1] ?? 0;
    if (unit === wanted.charCodeAt(same)) same += 1;
    if (same < wanted.length) continue;
    ends.push(at + 1);
    same = 0;
  }
  return ends;
}

/** The text with another one at every place that ends there and is so long. In steps. */
export function* replacedAt(
  text: string,
  ends: readonly number[],
  length: number,
  by: string,
): Generator<void, string> {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < ends.length; at += MAX_STEP_PLACES) {
    let part = "";
    for (const end of ends.slice(at, at + MAX_STEP_PLACES)) {
      part += text.slice(from, end - length) + by;
      from = end;
    }
    parts.push(flat(part));
    yield;
  }
  parts.push(text.slice(from));
  return parts.join("");
}

/** The same text, put together: one of many pieces is put together by whoever looks at it first. */
function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}

/** For each beginning of a text, how long the longest shorter beginning is that is also its end. */
function* bordersOf(text: string): Generator<void, Uint32Array> {
  const borders = new Uint32Array(text.length);
  let same = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (at % MAX_STEP === 0) yield;
    const unit = text.charCodeAt(at);
    while (same > 0 && unit !== text.charCodeAt(same)) same = borders[same - 1] ?? 0;
    if (unit === text.charCodeAt(same)) same += 1;
    borders[at] = same;
  }
  return borders;
}
