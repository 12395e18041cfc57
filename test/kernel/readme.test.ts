import { expect, test } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { blocksOf, pageText } from "../support/docs/pages.ts";
import { Stage } from "../support/docs/stage.ts";

sandboxMustWork("the README");

// `npx vitest run test/kernel/readme.test.ts -u` writes it.
test.runIf(unusable === null)("every command of the README prints what the README says", async () => {
  const text = pageText("README.md");
  const blocks = blocksOf(text);
  expect(blocks.filter(({ language }) => language === "console").length).toBeGreaterThan(1);
  await using stage = new Stage();
  await expect(await stage.play(text, blocks)).toMatchFileSnapshot("../../README.md");
});
