import { PAGES, pageText } from "../test/support/docs/pages.ts";
import { proseOf } from "../test/support/docs/prose.ts";
import { sourceFigures, sources } from "../test/support/figures/figures.ts";
import { helpText } from "../test/support/figures/help-text.ts";

// Prints the figures that `test/architecture.test.ts` only lets fall, and those of the prose that users read.
for (const [name, value] of Object.entries(sourceFigures(sources()))) console.log(name.padEnd(20), value);

for (const page of ["README.md", "SECURITY.md", "docs", "help"]) {
  const { words, whats, sentenceP90, long } = proseOf(textOf(page));
  const perThousand = ((1000 * whats) / words).toFixed(1);
  console.log(
    `${page.padEnd(20)} ${words} words, "what" ${perThousand} per 1,000, sentence p90 ${sentenceP90} words, over 30 words ${long.length}`,
  );
}

function textOf(page: string): string {
  if (page === "help") return helpText();
  if (page !== "docs") return pageText(page);
  return PAGES.filter((one) => one.startsWith("docs/"))
    .map(pageText)
    .join("\n\n");
}
