import { globSync } from "node:fs";
import { join } from "node:path";

/**
 * Folders with tests of their own, by their rooms: each has a `vitest.config.ts`, is run by `scripts/test --room NAME` and
 * each night. No other run collects its tests, and nothing outside imports from it but `READ_BY_DAY`.
 */
export const NIGHTLY: Readonly<Record<string, string>> = {
  "seatbelt-model": "test/seatbelt-model",
  compatibility: "scripts/compatibility",
};

/** Daily tests that import something of them all the same, each with the reason. */
export const READ_BY_DAY: Readonly<Record<string, string>> = {
  "test/compat.test.ts": "compares COMPATIBILITY.md with the rows, which are data",
};

const CHECKOUT = join(import.meta.dirname, "../..");

/** The test files of `test/` and `examples/` that `scripts/test` may collect, by their paths in the checkout. */
export function dailyTests(): readonly string[] {
  const exclude = Object.values(NIGHTLY).map((folder) => `${folder}/**`);
  return globSync("{test,examples}/**/*.test.ts", { cwd: CHECKOUT, exclude }).toSorted();
}
