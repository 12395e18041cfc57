import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";
import { Busy } from "../support/load/busy.ts";
import { CASES } from "../support/load/cases.ts";
import { heldByPlanting, LARGE } from "../support/load/planted.ts";

sandboxMustWork("that no call holds up the others");

describe.skipIf(unusable !== null)("no call holds up the others, whatever a model writes", () => {
  let busy: Busy;
  beforeAll(async () => {
    busy = await Busy.make();
  }, 60_000);
  afterAll(() => busy[Symbol.asyncDispose]());

  it.each(CASES)("%s", { timeout: 120_000 }, async (...one) => {
    expect(await busy.held(one)).toBeLessThanOrEqual(1);
  });

  it.each(LARGE)("nor by what it leaves behind: %s", { timeout: 240_000 }, async (_, ...lines) => {
    expect(await heldByPlanting(lines)).toBeLessThanOrEqual(1);
  });
});
