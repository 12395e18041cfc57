import { describe, test } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { followInSandbox } from "../support/remedies/row.ts";
import { followable, ROWS_IN_SANDBOX } from "../support/remedies/rows/all.ts";

sandboxMustWork("remedies of calls");

const ROWS = followable(ROWS_IN_SANDBOX);

describe.skipIf(unusable !== null)("what passes once it was done", () => {
  test.each(ROWS.map((row) => [row[0], row] as const))("%s", async (_remedy, row) => followInSandbox(row));
});
