import { describe, test } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";
import { follow } from "../support/remedies/row.ts";
import { ROWS_IN_SANDBOX, TOLD_TO_ROOT } from "../support/remedies/rows/all.ts";

sandboxMustWork("remedies of calls");

const ROWS = ROWS_IN_SANDBOX.filter(([remedy]) => process.getuid?.() === 0 || !TOLD_TO_ROOT.has(remedy));

describe.skipIf(unusable !== null)("what passes once it was done", () => {
  test.each(ROWS.map((row) => [row[0], row] as const))("%s", async (_remedy, row) => follow(row));
});
