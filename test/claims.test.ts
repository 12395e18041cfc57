import { expect, test } from "vitest";
import { CLAIMS } from "../src/attacks/claims.ts";
import { printSecurity, proofs } from "./claims.ts";
import { evidence, strangers } from "./support/claims/evidence.ts";
import { HISTORY, TRAPS } from "./support/claims/known.ts";

test("every claim has a test that names it", () => {
  const found = proofs();
  const unproven = Object.keys(CLAIMS).filter((id) => ![...found.keys()].some((one) => one === id));
  const rows = [...found].map(
    ([id, { selftest, tests }]) =>
      `${id.padEnd(16)} ${String(selftest).padStart(4)} of the selftest, ${tests} others`,
  );
  console.info(`claim → cases\n${rows.toSorted().join("\n")}`);
  expect(unproven).toEqual([]);
});

test("every test that names a claim names one that there is", () => {
  expect(strangers()).toEqual([]);
});

test.each([...HISTORY, ...TRAPS])("$name: a test says that it can't happen here", ({ tests }) => {
  const titles = evidence().map(({ claim, title }) => `${claim}: ${title}`);
  expect(tests.filter((one) => !titles.some((title) => title.startsWith(one)))).toEqual([]);
});

// `npx vitest run test/claims.test.ts -u` writes it.
test("SECURITY.md says what the table says", async () => {
  await expect(printSecurity()).toMatchFileSnapshot("../SECURITY.md");
});
