/** A common prefix of this many letters identifies a word. */
const BEGINNING = 4;

/** The known word that was meant: equal but for case and `-`/`_`, a few slips away, or with a common beginning. */
export function nearest(word: string, known: readonly string[]): string | null {
  const folded = fold(word);
  const ranked = known
    .map((one) => ({ one, slips: slipsBetween(folded, fold(one)) }))
    .filter(({ one, slips }) => slips <= Math.max(1, Math.floor(Math.min(word.length, one.length) / 3)))
    .sort((a, b) => a.slips - b.slips);
  const longer = folded.length < BEGINNING ? [] : known.filter((one) => fold(one).startsWith(folded));
  return ranked[0]?.one ?? (longer.length === 1 ? (longer[0] ?? null) : null);
}

/** "did you mean", if a known word is near. */
export function suggestion(word: string, known: readonly string[], prefix = ""): string | null {
  const near = nearest(word, known);
  return near === null ? null : `did you mean \`${prefix}${near}\`?`;
}

function fold(word: string): string {
  return word.toLowerCase().replaceAll("-", "_").slice(0, 64);
}

/** Letters added, left out, changed or swapped (optimal string alignment). */
function slipsBetween(a: string, b: string): number {
  let [twoAbove, above]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        (above?.[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above?.[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped && row > 1 && column > 1 ? (twoAbove?.[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    [twoAbove, above] = [above, current];
  }
  return above?.[b.length] ?? 0;
}
