import { type AbsolutePath, foldedText, nameOf, parentOf } from "./path.ts";
import { exactTest, type NamePiece, nameTest, type PathTest, type Pattern, plainText } from "./pattern.ts";

/** An entry with a pattern. */
export interface Patterned {
  readonly pattern: Pattern;
  readonly ignoreCase: boolean;
}

/** The number of characters at the end of a name that are compared first. */
const TAIL = 3;

/**
 * Finds every entry whose pattern matches a path itself. Most patterns end in a plain name or ending, so comparing a
 * path's last two names avoids nearly all matching; the rest is compiled when a path first gets that far.
 */
export function patternIndex<Entry extends Patterned>(
  entries: readonly Entry[],
): (path: AbsolutePath) => readonly Entry[] {
  const byName = new Map<string, Candidate<Entry>[]>();
  const byTail = new Map<string, Candidate<Entry>[]>();
  const others: Candidate<Entry>[] = [];
  for (const entry of entries) {
    const last = entry.pattern.segments.at(-1);
    if (last?.kind !== "name") others.push(new Candidate(entry, ANY_NAME));
    else {
      const [name, tail] = [plainText(last.pieces), tailOf(last.pieces)];
      const passes = name === null ? nameTest(last.pieces, entry.ignoreCase) : ANY_NAME;
      const candidate = new Candidate(entry, passes);
      if (name !== null) append(byName, foldedText(name), candidate);
      else if (tail !== null) append(byTail, foldedText(tail), candidate);
      else others.push(candidate);
    }
  }
  return (path) => {
    const name = nameOf(path);
    const folded = foldedText(name);
    const found: Entry[] = [];
    let above: string | null = null;
    const collect = (candidates: readonly Candidate<Entry>[] | undefined): void => {
      for (const candidate of candidates ?? []) {
        above ??= foldedText(nameOf(parentOf(path)));
        if (candidate.matches(path, name, above)) found.push(candidate.entry);
      }
    };
    collect(byName.get(folded));
    collect(byTail.get(folded.slice(-TAIL)));
    collect(others);
    return found;
  };
}

/** The last characters of every name that the pieces match; null if these are not known. */
function tailOf(pieces: readonly NamePiece[]): string | null {
  const last = pieces.at(-1);
  return last?.kind === "text" && last.text.length >= TAIL ? last.text.slice(-TAIL) : null;
}

const ANY_NAME = (): boolean => true;

class Candidate<Entry extends Patterned> {
  readonly entry: Entry;
  readonly #passes: (name: string) => boolean;
  /** The name before the last in every match, in lower case; null if that may be any. */
  readonly #above: string | null;
  #test: PathTest | null = null;

  constructor(entry: Entry, passes: (name: string) => boolean) {
    this.entry = entry;
    this.#passes = passes;
    const [above, last] = entry.pattern.segments.slice(-2);
    const name = above?.kind === "name" && last?.kind === "name" ? plainText(above.pieces) : null;
    this.#above = name === null ? null : foldedText(name);
  }

  matches(path: AbsolutePath, name: string, above: string): boolean {
    if ((this.#above !== null && this.#above !== above) || !this.#passes(name)) return false;
    this.#test ??= exactTest(this.entry.pattern, this.entry.ignoreCase);
    return this.#test(path);
  }
}

function append<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
