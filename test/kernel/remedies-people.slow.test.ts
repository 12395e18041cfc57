import { describe, test } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { follow } from "../support/remedies/row.ts";
import { ROWS_OF_PEOPLE } from "../support/remedies/rows/all.ts";

sandboxMustWork("remedies for ordinary users");

describe.skipIf(unusable !== null)("what passes for an ordinary user once it was done", () => {
  test.each(ROWS_OF_PEOPLE.map((row) => [row[0], row] as const))("%s", async (_remedy, row) => follow(row));
});
