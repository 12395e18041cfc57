import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";
import { Busy, MOST_HELD_MS } from "../support/load/busy.ts";
import { CASES } from "../support/load/cases.ts";
import { heldMs, slowness } from "../support/load/held-loop.ts";
import { heldByPlanting, SMALL } from "../support/load/planted.ts";

sandboxMustWork("that no call holds up the others");

const MIB = 1024 ** 2;
/** The rest of them is tried in `event-loop.long.test.ts`. */
const SOME = CASES.filter((_, at) => at % 18 === 0);

describe.skipIf(unusable !== null)("no call holds up the others", () => {
  let busy: Busy;
  beforeAll(async () => {
    busy = await Busy.make();
  }, 60_000);
  afterAll(() => busy[Symbol.asyncDispose]());

  it.each(SOME)("%s", { timeout: 120_000 }, async (...one) => {
    expect(await busy.held(one)).toBeLessThanOrEqual(1);
  });

  it.each(SMALL)(
    "what it leaves behind is seen to meanwhile: %s",
    { timeout: 60_000 },
    async (_, ...lines) => {
      expect(await heldByPlanting(lines)).toBeLessThanOrEqual(1);
    },
  );

  it("in a tree that is as deep as a path can be, nor does a call take long", {
    timeout: 60_000,
  }, async () => {
    await using session = busy.session();
    const most = await heldMs(async () => {
      for (const path of ["ws:deep/some/f", `ws:${"b/".repeat(250)}f`])
        expect(await session.call("write_file", { path, content: "x" })).toMatchObject({ kind: "done" });
      const path = `ws:${"b/".repeat(2_000)}f`;
      expect(await session.call("write_file", { path, content: "x" })).toMatchObject({
        kind: "failed",
        error: { code: "FILE_BAD_PATH" },
      });
    });
    expect(most).toBeLessThanOrEqual(2 * MOST_HELD_MS * slowness());
  });

  it("a call that is too large to be kept for its answer is refused, and one nearly as large is asked about", async () => {
    await using session = busy.session();
    const ask = (length: number) =>
      session.ask("write_file", { path: "asked:new", content: "line\n".repeat(length / 5) });
    expect(await ask(12 * MIB)).toMatchObject({
      kind: "denied",
      reason: "one question would take more than 14MiB",
    });
    const asked = await ask(10 * MIB);
    expect(asked.kind).toBe("pending");
    if (asked.kind === "pending") await session.putAway(asked.approvalId, "it is only looked at");
  });

  it("a folder to start in may lie 256 names deep, and no deeper", async () => {
    await using session = busy.session();
    const deep = "c/".repeat(256);
    mkdirSync(join(busy.place.ws, deep, "c"), { recursive: true });
    expect(await session.ask("shell", { argv: ["ls"], cwd: deep })).toMatchObject({ kind: "allowed" });
    await expect(session.ask("shell", { argv: ["ls"], cwd: `${deep}c` })).rejects.toMatchObject({
      code: "USAGE",
      message: "`cwd` has more than 256 names",
    });
  });
});
