import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import {
  apiReports,
  declarationErrors,
  disposablesIn,
  entries,
  exportedIn,
  forgottenIn,
} from "./support/api/reports.ts";

let reports: ReadonlyMap<string, string>;
beforeAll(() => {
  reports = apiReports();
}, 600_000);

// `COFFERDAM_TEST_TIER=all npx vitest run test/api.slow.test.ts -u` writes them.
test.each(entries())("the public API of `$name` is what its report says", async ({ name }) => {
  await expect(reports.get(name) ?? "").toMatchFileSnapshot(`api/${name}.api.md`);
});

test("there is a report of each entry, and no other", () => {
  const names = entries().map(({ name }) => `${name}.api.md`);
  expect(readdirSync(join(import.meta.dirname, "api")).toSorted()).toEqual(names.toSorted());
});

/** What programs write themselves: it needs no more than the library calls. */
const IMPLEMENTED_BY_PROGRAMS = ["Journal", "Store"];

test("whatever `using` ends has a plain `close` beside it", () => {
  const ends = [...reports.values()].flatMap(disposablesIn);
  expect(ends.length).toBeGreaterThan(10);
  const without = ends.filter(({ hasClose }) => !hasClose).map(({ name }) => name);
  expect([...new Set(without)].toSorted()).toEqual(IMPLEMENTED_BY_PROGRAMS);
});

test("the declarations compile in a program that checks its libraries", () => {
  expect(declarationErrors(["cofferdam", "gate", "compat", "profile", "types", "testing"])).toBe("");
});

test("no exported type refers to a type that no entry exports", () => {
  const exported = new Set([...reports.values()].flatMap(exportedIn));
  const forgotten = [...reports].flatMap(([name, report]) =>
    forgottenIn(report)
      .filter((one) => !exported.has(one))
      .map((one) => `${name}: ${one}`),
  );
  expect(forgotten).toEqual([]);
});
