/**
 * A text that is looked for, from left to right and without overlaps, as `replaceAll` does. What it costs grows with the
 * two lengths added (Knuth, Morris and Pratt, 1977): that of `indexOf` grows with their product, and a model chooses both.
 */
export class Needle {
  readonly #text: string;
  /** For each beginning of the text, how long the longest shorter beginning is that is also its end. */
  readonly #borders: Uint32Array;

  /** The text is not empty. */
  constructor(text: string) {
    this.#text = text;
    this.#borders = bordersOf(text);
  }

  countIn(text: string): number {
    let count = 0;
    for (let end = this.#endFrom(text, 0); end >= 0; end = this.#endFrom(text, end)) count += 1;
    return count;
  }

  /** The text with another one at every place where this one stands. */
  replacedIn(text: string, by: string): string {
    const parts: string[] = [];
    let from = 0;
    for (let end = this.#endFrom(text, 0); end >= 0; end = this.#endFrom(text, end)) {
      parts.push(text.slice(from, end - this.#text.length));
      from = end;
    }
    parts.push(text.slice(from));
    return parts.join(by);
  }

  /** Where the next one ends that begins at `from` or behind it; -1 when there is none. */
  #endFrom(text: string, from: number): number {
    const [wanted, borders] = [this.#text, this.#borders];
    let same = 0;
    for (let at = from; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      while (same > 0 && unit !== wanted.charCodeAt(same)) same = borders[same - 1] ?? 0;
      if (unit === wanted.charCodeAt(same)) same += 1;
      if (same === wanted.length) return at + 1;
    }
    return -1;
  }
}

function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let same = 0;
  for (let at = 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (same > 0 && unit !== text.charCodeAt(same)) same = borders[same - 1] ?? 0;
    if (unit === text.charCodeAt(same)) same += 1;
    borders[at] = same;
  }
  return borders;
}
