/** Maximum of UTF-16 units searched, or of places replaced, between two steps. */
const MAX_STEP = 1024 ** 2;
const MAX_STEP_PLACES = 20_000;

/**
 * Ends of the first `max` matches of a text (not empty) in another, from left to right, without overlaps. Linear
 * (Knuth, Morris and Pratt, 1977): a model chooses both texts, and the cost of `indexOf` grows with their product. Runs
 * in steps.
 */
export function* endsOf(wanted: string, text: string, max: number): Generator<void, readonly number[]> {
  const borders = yield* bordersOf(wanted);
  const ends: number[] = [];
  let same = 0;
  for (let at = 0; at < text.length && ends.length < max; at += 1) {
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

/** The text with a replacement at every place that ends there and has that length. Runs in steps. */
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

/** The same text as one piece: otherwise its first reader would have to join many pieces. */
function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}

/** For each prefix of a text, the length of its longest proper prefix that is also its suffix. */
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
