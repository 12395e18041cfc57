import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { FOLLOWED } from "./support/remedies/table.ts";
import { remediesOfSrc } from "./support/remedies/texts.ts";

test("each remedy of the sources is followed by a test, or is listed as one that none follows", async () => {
  const remedies = remediesOfSrc();
  const others = remedies.filter((one) => !Object.hasOwn(FOLLOWED, one));
  await expect(`${others.join("\n")}\n`).toMatchFileSnapshot("support/remedies/not-followed.txt");
});

test("what is listed as followed stands in the sources, and its test is there", () => {
  const remedies = remediesOfSrc();
  for (const [remedy, by] of Object.entries(FOLLOWED)) {
    expect(remedies).toContain(remedy);
    if (by.startsWith("test/")) expect([by, existsSync(by)]).toEqual([by, true]);
  }
});
