import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { Busy, MAX_HELD_MS } from "../support/load/busy.ts";
import { CASES } from "../support/load/cases.ts";
import { heldMs, slowness } from "../support/load/held-loop.ts";
import { heldByPlanting, LARGE, SMALL } from "../support/load/planted.ts";

sandboxMustWork("that no call holds up the others");

describe.skipIf(unusable !== null)("no call holds up the others, whatever a model writes", () => {
  let busy: Busy;
  beforeAll(async () => {
    busy = await Busy.make();
  });
  afterAll(() => busy[Symbol.asyncDispose]());

  it.each(CASES)("%s", async (...one) => {
    expect(await busy.held(one)).toBeLessThanOrEqual(1);
  });

  it.each([...SMALL, ...LARGE])(
    "nor by what it leaves behind: %s",
    { timeout: 240_000 },
    async (_, ...lines) => {
      expect(await heldByPlanting(lines)).toBeLessThanOrEqual(1);
    },
  );

  it("in a tree that is as deep as a path can be, nor does a call take long", {
    timeout: 60_000,
  }, async () => {
    await using session = busy.session();
    const max = await heldMs(async () => {
      for (const path of ["ws:deep/some/f", `ws:${"b/".repeat(250)}f`])
        expect(await session.call("write_file", { path, content: "x" })).toMatchObject({ kind: "done" });
      const path = `ws:${"b/".repeat(2_000)}f`;
      expect(await session.call("write_file", { path, content: "x" })).toMatchObject({
        kind: "failed",
        error: { code: "FILE_BAD_PATH" },
      });
    });
    expect(max).toBeLessThanOrEqual(2 * MAX_HELD_MS * slowness());
  });
});
