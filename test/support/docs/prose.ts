/** Figures of a text's prose: tables, code and comments are left out of sentences. */
export interface Prose {
  readonly words: number;
  /** How often it says `what` or `whatever`. */
  readonly whats: number;
  /** The length that one sentence of ten exceeds, in words. */
  readonly sentenceP90: number;
  /** Sentences of more than 30 words. */
  readonly long: readonly string[];
}

/** Counts the words of a page of Markdown. */
export function proseOf(markdown: string): Prose {
  const sentences = sentencesOf(markdown);
  const lengths = sentences.map(countWords).toSorted((a, b) => a - b);
  const words = lengths.reduce((sum, length) => sum + length, 0);
  const whats = sentences.join(" ").match(/\bwhat(?:ever)?\b/gi)?.length ?? 0;
  return {
    words,
    whats,
    sentenceP90: lengths[Math.floor(lengths.length * 0.9)] ?? 0,
    long: sentences.filter((sentence) => countWords(sentence) > 30),
  };
}

/** The sentences of a page: of paragraphs, list items, headings and cells of tables. */
export function sentencesOf(markdown: string): readonly string[] {
  const text = markdown
    .replaceAll(/^---\n.*?^---\n/gms, "")
    .replaceAll(/<!--.*?-->/gs, "")
    .replaceAll(/^```.*?^```$/gms, "\n\n")
    .replaceAll(/!?\[((?:[^\][]|\[[^\]]*\])*)\]\([^)]*\)/g, "$1")
    .replaceAll(/`[^`\n]*`/g, "CODE")
    .replaceAll(/[*_]{1,2}(\S[^*\n]*?)[*_]{1,2}/g, "$1");
  return text
    .split(/\n\s*\n|\n(?=\s*(?:[-*|>#]|\d+\.) ?)|\|/)
    .map((part) =>
      part
        .replaceAll(/^\s*(?:[-*>#]+|\d+\.)\s+/g, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    .flatMap((part) => part.split(/(?<=[.!?:])["”)]?\s+(?=\S)/))
    .filter((sentence) => /\p{L}/u.test(sentence));
}

function countWords(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
