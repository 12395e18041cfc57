/** The words of a text with how often each occurs, most frequent first; words of the same count by their first place. */
export function countWords(text) {
  const counts = new Map();
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? [])
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
