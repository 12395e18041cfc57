import { describe, expect, test } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { blocksOf, PAGES, pageText } from "../support/docs/pages.ts";
import { Stage } from "../support/docs/stage.ts";

sandboxMustWork("the commands of the docs");

const played = PAGES.filter((page) => page !== "README.md").filter((page) =>
  blocksOf(pageText(page)).some(
    ({ language, marks }) => /^(?:console|sh)$/.test(language) || marks.length > 0,
  ),
);

// `npx vitest run test/kernel/docs-console.slow.test.ts -u` writes the outputs into the pages.
describe.skipIf(unusable !== null)("the commands of a page print the output that it shows", () => {
  test.each(played)("%s", async (page) => {
    const text = pageText(page);
    await using stage = new Stage();
    await expect(await stage.play(text, blocksOf(text))).toMatchFileSnapshot(`../../${page}`);
  });
});
