import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SEEDS } from "./seeds.ts";
import { dailyTests } from "./support/nightly.ts";

/** Ids at the end of a test's title: `… (S0-10, C5)`. */
const NAMED = /\(((?:S[0-4]-D?\d+|C\d+)(?:, (?:S[0-4]-D?\d+|C\d+))*)\)["'`]/g;

const checkout = join(import.meta.dirname, "..");
const named = new Map(
  dailyTests().flatMap((file) => {
    const text = readFileSync(join(checkout, file), "utf8");
    return [...text.matchAll(NAMED)].flatMap(([, ids = ""]) =>
      ids.split(", ").map((id) => [id, file] as const),
    );
  }),
);

test("every requirement that is served, and every defect that must be gone, has a test that names it", () => {
  const unproven = Object.entries(SEEDS).filter(
    ([id, { standing }]) => standing.is === "served" && !named.has(id),
  );
  expect(unproven.map(([id, { says }]) => `${id} ${says}`)).toEqual([]);
});

test("a test names no requirement that there is not, or that nobody serves", () => {
  const strange = [...named].filter(([id]) => {
    const standing = SEEDS[id]?.standing.is;
    return standing !== "served" && standing !== "adapted";
  });
  expect(strange).toEqual([]);
});
