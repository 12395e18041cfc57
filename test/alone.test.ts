import { readFileSync } from "node:fs";
import { matchesGlob } from "node:path";
import { expect, it } from "vitest";
import { ALONE } from "./support/alone.ts";
import { dailyTests } from "./support/nightly.ts";

const FILES = dailyTests();
const hasOwnProcess = (file: string): boolean => Object.keys(ALONE).some((some) => matchesGlob(file, some));

it("every pattern is of files that there are", () => {
  for (const pattern of Object.keys(ALONE))
    expect([pattern, FILES.some((file) => matchesGlob(file, pattern))]).toEqual([pattern, true]);
});

it("what changes its process for whoever comes behind it has one of its own", () => {
  const changes = /\bvi\.(mock|doMock)\(|as-macos|moduleLoadList/;
  const found = FILES.filter(
    (file) => file !== "test/alone.test.ts" && changes.test(readFileSync(file, "utf8")),
  );
  expect(found.length).toBeGreaterThan(3);
  expect(found.filter((file) => !hasOwnProcess(file))).toEqual([]);
});
