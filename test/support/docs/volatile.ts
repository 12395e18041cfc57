/** Parts of an output that differ from run to run: ids, hashes, points in time and durations. */
const PARTS =
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\bsha256:[0-9a-f]+|\b[0-9a-f]{64}\b|\b(?=[0-9a-f]*\d)[0-9a-f]{8}\b|\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?Z?)?|\b\d\d:\d\d:\d\d(?:\.\d+)?\b|\b\d+(?:\.\d+)? m?s\b/g;

/** Knows which id on a page stands for which id of this run. */
export class Volatile {
  readonly #here = new Map<string, string>();

  /** A command of the page with the ids of this run. */
  asHere(line: string): string {
    return line.replaceAll(PARTS, (part) => this.#here.get(part) ?? part);
  }

  /** An output of this run with the ids and times that the page shows, where it shows as many. */
  asOnThePage(expected: string, output: string): string {
    const [shown, now] = [expected, output].map((text) => [...text.matchAll(PARTS)].map(([part]) => part));
    for (const [at, part] of (shown ?? []).entries()) {
      const one = now?.[at];
      if (one === undefined || [...this.#here.values()].includes(one)) continue;
      this.#here.set(part, one);
      // Commands may name an id by its beginning.
      if (part.length === 36) this.#here.set(part.slice(0, 8), one.slice(0, 8));
    }
    const back = new Map([...this.#here].map(([page, here]) => [here, page]));
    let at = 0;
    return output.replaceAll(PARTS, (part) => {
      const other = shown?.[at++];
      return back.get(part) ?? other ?? part;
    });
  }
}

/** The output, or what the page shows of it, where that leaves out lines by `…` and the rest is the same. */
export function shownAs(output: string, expected: string): string {
  const parts = expected.split(/^…\n/m);
  if (parts.length === 1) return output;
  const pattern = new RegExp(
    `^${parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("(?:.*\\n)*?")}$`,
  );
  return pattern.test(output) ? expected : output;
}
