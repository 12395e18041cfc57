import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { follow } from "./support/remedies/row.ts";
import { followable, ROWS, ROWS_IN_SANDBOX, ROWS_OF_PEOPLE } from "./support/remedies/rows/all.ts";
import { ELSEWHERE, FINAL, PARTS } from "./support/remedies/table.ts";
import { notHere, remediesOfSrc, sourceTexts } from "./support/remedies/texts.ts";

const SOURCES = remediesOfSrc();

const FOLLOWED = [
  ...[...ROWS, ...ROWS_IN_SANDBOX, ...ROWS_OF_PEOPLE].map(([remedy]) => remedy),
  ...Object.values(ELSEWHERE).flat(),
  ...FINAL,
  ...PARTS,
];

describe("what passes once it was done", () => {
  test.each(followable(ROWS).map((row) => [row[0], row] as const))("%s", async (_remedy, row) => follow(row));
});

test("each remedy of the sources is followed by a test, or is listed as one that none follows", async () => {
  const followed = new Set([...FOLLOWED, ...Object.values(notHere()).flat()]);
  const others = SOURCES.filter((one) => !followed.has(one));
  await expect(`${others.join("\n")}\n`).toMatchFileSnapshot("support/remedies/not-followed.txt");
});

test("what can't be followed here is listed with its reason, and nothing else is", () => {
  const listed = Object.values(notHere()).flat();
  expect(listed.filter((one) => !SOURCES.includes(one))).toEqual([]);
  expect(listed.filter((one) => FOLLOWED.includes(one))).toEqual([]);
});

test("what is followed stands in the sources, and its test is there", () => {
  const texts = sourceTexts();
  const isThere = (remedy: string): boolean =>
    texts.some((text) => remedy.split("{}").every((part) => text.includes(part)));
  expect(FOLLOWED.filter((remedy) => !isThere(remedy))).toEqual([]);
  expect(Object.keys(ELSEWHERE).filter((by) => !existsSync(by))).toEqual([]);
});
