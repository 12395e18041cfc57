import { PAGES, pageText } from "../test/support/docs/pages.ts";
import { proseOf } from "../test/support/docs/prose.ts";

// Prints the figures of the prose of each page: words, "what" per 1,000, the sentence length that one in ten exceeds.
const pages = process.argv.length > 2 ? process.argv.slice(2) : ["SECURITY.md", ...PAGES];
for (const page of pages) {
  const { words, whats, sentenceP90, long } = proseOf(pageText(page));
  console.log(
    page.padEnd(48),
    String(words).padStart(6),
    ((1000 * whats) / words).toFixed(1).padStart(6),
    sentenceP90,
  );
  for (const sentence of long) console.log(`   > 30: ${sentence}`);
}
